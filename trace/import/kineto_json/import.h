// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The Chrome / Kineto JSON importer.
//
//   source ─► Chunker ─► parsers (one a thread) ─► Merger ─► tables
//   inflate    cut        own string pools          in file order
//
// Accepted: an object or a bare array, any number of documents one after the other, events without an array; any order of
// keys; damaged input as far as it can be read. Results do not depend on the number of threads or on where chunks end.
// Lost: nothing in silence (the ledger); args that are no columns stay in the file and are read again on demand.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "trace/input/byte_source.h"
#include "trace/schema/producers.h"
#include "trace/schema/trace_file.h"
#include "trace/store/string_pool.h"

namespace lanewise::trace::kineto_json {

// Whether the first bytes of a text may be of this format.
bool looks_like_json(std::string_view first_bytes);

// For tests only: none of it changes a result.
struct Tuning {
  std::vector<uint64_t> cuts;  // cut exactly here
  bool scalar = false;         // no AVX2
  uint64_t* wrong_guesses = nullptr;
  size_t* largest_buffer = nullptr;  // bytes of the largest piece of text in memory
};

// data_loss: nothing in it can be read as a trace. cancelled: options.progress said so. Other failures are of the source.
Result<schema::TraceFile> import_json(input::ByteSource& source, store::StringPool& strings,
                                      const schema::Producers& producers, const schema::ImportOptions& options,
                                      const Tuning& tuning = {});

}  // namespace lanewise::trace::kineto_json

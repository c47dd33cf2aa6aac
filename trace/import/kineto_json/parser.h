// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Parser: walks over a chunk from a state. One per thread; keeps its pool of strings from chunk to chunk.
#pragma once

#include <memory>

#include "trace/import/kineto_json/chunk.h"

namespace lanewise::trace::kineto_json {

class Parser {
 public:
  virtual ~Parser() = default;
  // `result` is cleared first.
  virtual void parse(const Chunk& chunk, const State& start, ChunkResult* result) = 0;
};

std::unique_ptr<Parser> make_scalar_parser();
// Null when this machine or this build has no AVX2.
std::unique_ptr<Parser> make_avx2_parser();
// The best one of this machine.
std::unique_ptr<Parser> make_parser();

}  // namespace lanewise::trace::kineto_json

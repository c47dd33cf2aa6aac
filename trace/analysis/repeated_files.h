// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of a session that record the same thing twice (a trace beside its compressed copy, a rank written to two places):
// every sum over the session counts such work twice.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/analysis/model.h"

namespace lanewise::trace::analysis {

struct RepeatedFile {
  uint32_t part, of;  // `of` < `part`
};

// Each part at most once, by part. Two files of one known rank repeat each other when their times overlap: one process records
// once at a time. Without a rank they must have the same number of events and the same first start and last end. A system trace
// beside its framework trace (SessionFile::repeats_part) is none: analyses leave it out.
std::vector<RepeatedFile> repeated_files(const Model& model);

}  // namespace lanewise::trace::analysis

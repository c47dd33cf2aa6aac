// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain of runs that decided how long the whole took.
//
// From the last thing that finished one walks back: each run began when the latest of its constraints let it. The pieces of
// the path touch each other and cover 0 to the end, so their lengths add up to the whole exactly.
#pragma once

#include <string>
#include <vector>

#include "trace/device_analysis/dependencies.h"
#include "trace/device_analysis/options.h"

namespace lanewise::trace::device_analysis {

enum class PieceKind : uint8_t {
  start,         // before the first run of the path
  work,          // an engine works (or, where the next one may begin before the end: until then)
  pipeline,      // a result comes back through the engine's own pipeline
  semaphore,     // from the end of who updates to the begin of who waits
  dma_start,     // trigger to first descriptor
  transfer,      // first descriptor to last byte read
  completion,    // from there to visible: drain, write, semaphore
  hold,          // nothing recorded held it: a shared port or bank, bandwidth, dispatch
  tail,          // after the last run
};
std::string_view piece_name(PieceKind kind);

struct Piece {
  Picos begin, end;
  PieceKind kind = PieceKind::work;
  uint32_t node = device::kNone;   // that works, or that waits
  uint32_t from = device::kNone;   // semaphore: who updated
};

// In order of time; empty pieces are left out.
std::vector<Piece> critical_path(const Dependencies& dependencies);

// What a piece is, as a part that could be made faster: "vector tensor_tensor", "DMA transfer", "semaphore hop".
std::string part_name(const Dependencies& dependencies, const Piece& piece);

// Tables: path (one row a piece), kinds (time of the path by what it is), speedups (what a faster part would save, by replay),
// slack (one row an instruction: the least slack of its runs). Of a range: the path is cut at its edges; savings and slack stay those
// of the whole.
Result<std::vector<Table>> critical_path_tables(const Subject& subject);

}  // namespace lanewise::trace::device_analysis

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: what holds for any bytes given to the reader of our own pairs.
#pragma once

#include <string>
#include <string_view>

#include "trace/import/lanewise_pair/pair.h"

namespace lanewise::trace::lanewise_pair {

// Empty, or a sentence that says which promise about the rows was broken.
inline std::string broken_rows(const device::DeviceProfile& p) {
  using device::kNone;
  const auto& program = p.program;
  for (const device::Instruction& in : program.instructions)
    if (in.queue != kNone && in.queue >= program.queues.size()) return "a trigger of no queue";
  for (const device::DmaDescriptor& d : program.descriptors) {
    if (d.queue >= program.queues.size()) return "a descriptor of no queue";
    if (d.trigger >= program.instructions.size()) return "a descriptor of no trigger";
  }
  Picos last(INT64_MIN);
  for (const device::InstructionRun& run : p.instructions) {
    if (run.instruction >= program.instructions.size()) return "a run of no instruction";
    if (run.end < run.begin || run.begin < last) return "instructions end before they begin or are not sorted";
    last = run.begin;
  }
  last = Picos(INT64_MIN);
  for (const device::DmaRun& run : p.dmas) {
    if (run.trigger >= program.instructions.size() || run.queue >= program.queues.size() || run.descriptor >= program.descriptors.size()) return "a DMA of no row of the program";
    if (run.end < run.begin || run.visible < run.end || run.begin < last) return "DMAs end before they begin or are not sorted";
    last = run.begin;
  }
  for (const device::SemaphoreRun& s : p.semaphores)
    if (s.run >= (s.by_dma ? p.dmas.size() : p.instructions.size())) return "an update by no run";
  return p.last < p.first ? "the last is before the first" : "";
}

inline std::string broken_invariant(std::string_view neff, std::string_view ntff) {
  const auto p = read_pair(neff, ntff);
  if (!p.ok()) return p.status().message().empty() ? "a failure without a sentence" : "";
  const device::Ledger& l = p->ledger;
  if (l.bytes != static_cast<int64_t>(ntff.size())) return "the ledger has another size than the file";
  if (l.header < 0 || l.metadata < 0 || l.record_bytes < 0 || l.padding < 0 || l.skipped < 0) return "less than no bytes in the ledger";
  if (l.header + l.metadata + l.record_bytes + l.padding + l.skipped != l.bytes) return "bytes of the ledger do not add up";
  int64_t kinds = 0;
  for (const auto& [name, n] : l.kinds) kinds += n;
  if (kinds != l.records || l.unknown > l.records) return "records of the ledger do not add up";
  return broken_rows(*p);
}

}  // namespace lanewise::trace::lanewise_pair

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What holds for any bytes given to the reader of real captures.
#pragma once

#include <string>
#include <string_view>

#include "trace/import/ntff/profile.h"

namespace lanewise::trace::ntff {

// Empty, or a sentence that says which promise was broken.
inline std::string broken_invariant(std::string_view bytes, const device::Program& program) {
  const auto p = read_profile(bytes, program, {});
  if (!p.ok()) return p.status().message().empty() ? "a failure without a sentence" : "";
  const device::Ledger& l = p->ledger;
  if (l.bytes != static_cast<int64_t>(bytes.size())) return "the ledger has another size than the file";
  if (l.header + l.metadata + l.record_bytes + l.padding + l.skipped != l.bytes) return "bytes of the ledger do not add up";
  int64_t kinds = 0;
  for (const auto& [name, n] : l.kinds) kinds += n;
  if (kinds != l.records) return "records of the ledger do not add up";
  if (l.unknown > l.records) return "more unknown records than records";
  Picos last;
  for (const device::InstructionRun& run : p->instructions) {
    if (run.end < run.begin || run.begin < last) return "instructions end before they begin or are not sorted";
    if (run.instruction != device::kNone && run.instruction >= p->program.instructions.size()) return "a run of no instruction";
    last = run.begin;
  }
  for (const device::DmaRun& run : p->dmas) {
    if (run.end < run.begin) return "a descriptor is complete before it starts";
    if (run.trigger != device::kNone && run.trigger >= p->program.instructions.size()) return "a descriptor of no trigger";
    if (run.queue != device::kNone && run.queue >= p->program.queues.size()) return "a descriptor of no queue";
  }
  if (p->last < p->first) return "the last is before the first";
  return "";
}

}  // namespace lanewise::trace::ntff

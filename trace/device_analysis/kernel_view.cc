// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/kernel_view.h"

#include <algorithm>
#include <vector>

#include "trace/device_analysis/intervals.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;

// Keeps what `keep` says; `renamed`: new index by old one, kNone for what went.
template <typename Run, typename Keep>
void filter(std::vector<Run>* runs, std::vector<uint32_t>* renamed, const Keep& keep) {
  size_t kept = 0;
  for (size_t i = 0; i < runs->size(); ++i) {
    const bool stays = keep((*runs)[i]);
    renamed->push_back(stays ? static_cast<uint32_t>(kept) : kNone);
    if (stays) (*runs)[kept++] = (*runs)[i];
  }
  runs->resize(kept);
}

void shift(Picos* t, Picos by) {
  if (t->value >= 0) *t -= by;
}

}  // namespace

KernelView kernel_view(device::DeviceProfile p) {
  KernelView view;
  view.captured = whole(p);
  if (p.simulated || p.last <= p.first) {
    view.profile = std::move(p);
    return view;
  }
  view.from = p.first;
  view.cut = true;
  const auto inside = [&](const auto& run) { return run.begin >= p.first && run.begin <= p.last; };
  std::vector<uint32_t> instructions, dmas;
  filter(&p.instructions, &instructions, [&](const device::InstructionRun& r) { return inside(r) && (!r.setup || r.instruction != kNone); });
  filter(&p.dmas, &dmas, [&](const device::DmaRun& r) { return inside(r) && !r.setup; });
  for (device::InstructionRun& r : p.instructions) {
    shift(&r.ready, p.first);
    if (r.ready.value < 0 && r.ready.value != -1) r.ready = Picos(0);   // it was at the head of its queue before the program began
    r.begin -= p.first;
    r.end -= p.first;
  }
  for (device::DmaRun& r : p.dmas) {
    r.begin -= p.first;
    r.end -= p.first;
    for (Picos* t : {&r.triggered, &r.read, &r.visible}) shift(t, p.first);
  }
  // Values of semaphores count on from before.
  for (device::SemaphoreRun& s : p.semaphores) {
    s.at -= p.first;
    if (s.run != kNone) s.run = (s.by_dma ? dmas : instructions)[s.run];
  }
  for (device::PeLimitChange& c : p.pe_limits) c.at = std::max(Picos(0), c.at - p.first);
  p.duration = p.last - p.first;
  for (const device::DmaRun& r : p.dmas) p.duration = std::max(p.duration, done(r));   // seen a little after it ended
  for (const device::InstructionRun& r : p.instructions) p.duration = std::max(p.duration, r.end);
  p.duration = std::min(p.duration, view.captured - p.first);
  p.exec_overhead_ns = round_up_to_nanos(view.captured - p.duration).value;
  p.last = p.last - p.first;
  p.first = Picos(0);
  view.profile = std::move(p);
  return view;
}

}  // namespace lanewise::trace::device_analysis

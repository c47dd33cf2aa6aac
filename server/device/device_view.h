// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// DeviceView: a device profile as a trace that the page can look at. The rest of the server serves it as any other, with two
// differences: a tick of its times is 1 ps instead of 1 ns, and its events are runs.
//
// Times are ps from the begin of the program, as the tables of `lanewise device` have them: what a capture shows of the runtime's work before
// it lies before 0.
//
//   event N   run N of an instruction (DeviceProfile::instructions), then, numbered on, runs of DMAs: the same number as the
//             node of trace/device_analysis/dependencies.h
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "machine/machine.h"
#include "server/timeline/arrows.h"
#include "server/timeline/timeline.h"
#include "trace/device/profile.h"
#include "trace/device_analysis/dependencies.h"

namespace lanewise::server::device {

class DeviceView {
 public:
  // The errors of machine::load_machine for the machine that the profile names.
  static Result<std::shared_ptr<const DeviceView>> make(trace::device::DeviceProfile profile);
  DeviceView(const DeviceView&) = delete;
  DeviceView& operator=(const DeviceView&) = delete;

  // The whole capture, with times of its own: `zero` is where those of this view begin.
  const trace::device::DeviceProfile& profile() const { return profile_; }
  Picos zero() const { return zero_; }
  int64_t time(Picos captured) const { return (captured - zero_).value; }
  // What the questions are asked of: the program alone (trace/device_analysis/kernel_view.h).
  const trace::device::DeviceProfile& program() const { return program_ ? *program_ : profile_; }
  const machine::Machine& machine() const { return machine_; }
  // Who waited for whom. Made at the first use, as `after` is.
  const trace::device_analysis::Dependencies& dependencies() const;
  // The nodes that had to wait for this one, each once, without those that only came later on the same engine.
  std::vector<uint32_t> after(uint32_t node) const;
  // Every tie between two nodes that an arrow can show.
  std::vector<timeline::ArrowIndex::Tie> ties() const;

  uint32_t events() const { return static_cast<uint32_t>(profile_.instructions.size() + profile_.dmas.size()); }
  bool is_dma(uint32_t event) const { return event >= profile_.instructions.size(); }
  const trace::device::InstructionRun& instruction_run(uint32_t event) const { return profile_.instructions[event]; }
  const trace::device::DmaRun& dma_run(uint32_t event) const { return profile_.dmas[event - profile_.instructions.size()]; }
  // The program's instruction of an event; of a DMA the one that ordered it. Null: it is in no binary.
  const trace::device::Instruction* instruction(uint32_t event) const;

 private:
  DeviceView(trace::device::DeviceProfile profile, machine::Machine machine);
  void make_dependencies() const;

  const trace::device::DeviceProfile profile_;
  const machine::Machine machine_;
  std::optional<trace::device::DeviceProfile> program_;   // where it is not all of the capture
  Picos zero_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const trace::device_analysis::Dependencies> dependencies_;
  mutable std::vector<uint32_t> after_first_, after_;   // of node n: after_[after_first_[n] .. after_first_[n + 1])
};

timeline::ArrowKind arrow_kind(trace::device_analysis::Why why);

// The lanes: engines, DMA queues (or DMA engines, where the capture tells them), counters, semaphores (hidden at first). `counters` false:
// without the last two, which take most of the time; ids and names are the same.
std::shared_ptr<const timeline::Timeline> make_timeline(const DeviceView& view, bool counters = true);

}  // namespace lanewise::server::device

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/device/device_view.h"

#include <algorithm>

#include "trace/device_analysis/kernel_view.h"

namespace lanewise::server::device {

using timeline::ArrowKind;
using trace::device::kNone;
using trace::device_analysis::Constraint;
using trace::device_analysis::Dependencies;
using trace::device_analysis::Why;

Result<std::shared_ptr<const DeviceView>> DeviceView::make(trace::device::DeviceProfile profile) {
  auto machine = machine::load_machine(profile.machine);
  if (!machine.ok()) return machine.status().with_context("the machine that the profile names");
  return std::shared_ptr<const DeviceView>(new DeviceView(std::move(profile), std::move(*machine)));
}

DeviceView::DeviceView(trace::device::DeviceProfile profile, machine::Machine machine) : profile_(std::move(profile)), machine_(std::move(machine)) {
  // Ours hold the program and nothing else: no copy is made.
  if (profile_.producer == "lanewise") return;
  auto view = trace::device_analysis::kernel_view(profile_);
  if (!view.cut) return;
  zero_ = view.from;
  program_ = std::move(view.profile);
}

const trace::device::Instruction* DeviceView::instruction(uint32_t event) const {
  const uint32_t row = is_dma(event) ? dma_run(event).trigger : instruction_run(event).instruction;
  return row == kNone ? nullptr : &profile_.program.instructions[row];
}

void DeviceView::make_dependencies() const {
  std::call_once(once_, [&] {
    auto made = std::make_unique<const Dependencies>(profile_, machine_);
    const Dependencies& d = *made;
    after_first_.assign(d.nodes() + 1, 0);
    const auto each = [&](const auto& use) {
      for (uint32_t node = 0; node < d.nodes(); ++node) {
        uint32_t last = kNone;
        for (const Constraint& c : d.before(node)) {
          if (c.from == kNone || c.why == Why::order || c.from == last) continue;
          use(c.from, node);
          last = c.from;
        }
      }
    };
    each([&](uint32_t from, uint32_t) { ++after_first_[from + 1]; });
    for (size_t i = 1; i < after_first_.size(); ++i) after_first_[i] += after_first_[i - 1];
    after_.resize(after_first_.back());
    std::vector<uint32_t> next(after_first_.begin(), after_first_.end() - 1);
    each([&](uint32_t from, uint32_t node) { after_[next[from]++] = node; });
    dependencies_ = std::move(made);
  });
}

const Dependencies& DeviceView::dependencies() const {
  make_dependencies();
  return *dependencies_;
}

std::vector<uint32_t> DeviceView::after(uint32_t node) const {
  make_dependencies();
  std::vector<uint32_t> nodes(after_.begin() + after_first_[node], after_.begin() + after_first_[node + 1]);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

ArrowKind arrow_kind(Why why) {
  switch (why) {
    case Why::semaphore: return ArrowKind::semaphore;
    case Why::trigger: return ArrowKind::trigger;
    case Why::queue: return ArrowKind::queue;
    case Why::order:
    case Why::result: break;
  }
  return ArrowKind::engine;
}

std::vector<timeline::ArrowIndex::Tie> DeviceView::ties() const {
  const Dependencies& d = dependencies();
  // The order of an engine shows itself: it is a row.
  const auto shown = [](const Constraint& c) { return c.from != kNone && c.why != Why::order; };
  size_t count = 0;
  for (uint32_t node = 0; node < d.nodes(); ++node) count += static_cast<size_t>(std::count_if(d.before(node).begin(), d.before(node).end(), shown));
  std::vector<timeline::ArrowIndex::Tie> ties;
  ties.reserve(count);
  for (uint32_t node = 0; node < d.nodes(); ++node) {
    for (const Constraint& c : d.before(node)) {
      if (shown(c)) ties.push_back({c.from, node, time(d.anchor(c)), time(d.begin(node)), arrow_kind(c.why)});
    }
  }
  return ties;
}

}  // namespace lanewise::server::device

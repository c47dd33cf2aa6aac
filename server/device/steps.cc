// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/device/steps.h"

#include <algorithm>

namespace lanewise::server::device {

using timeline::ArrowKind;
using timeline::Chain;
using timeline::ChainStep;
using trace::device::kNone;
using trace::device_analysis::Constraint;
using trace::device_analysis::Dependencies;
using trace::device_analysis::Why;
using trace::schema::EventId;

namespace {

constexpr std::string_view kMethod = "record";

// The wait that a constraint satisfies: "s12>=3".
std::string wait_text(const DeviceView& view, uint32_t waiter, const Constraint& c) {
  if (c.why == Why::result) return "result in the pipeline";
  if (c.why != Why::semaphore || c.update == kNone) return {};
  const int32_t number = view.profile().semaphores[c.update].semaphore;
  const std::string name = "s" + std::to_string(number);
  const auto* in = view.is_dma(waiter) ? nullptr : view.instruction(waiter);
  if (in == nullptr) return name;
  for (const auto& wait : in->waits) {
    if (wait.number == number) return name + wait.relation + std::to_string(wait.value);
  }
  return name;
}

void tie(const DeviceView& view, uint32_t from, uint32_t to, const Constraint& c, bool before, Chain* chain) {
  const Dependencies& d = view.dependencies();
  const ArrowKind kind = arrow_kind(c.why);
  const int64_t at = view.time(d.anchor(c)), begin = view.time(d.begin(to));
  ChainStep step;
  step.role = (before ? "before_" : "after_") + std::string(arrow_kind_name(kind));
  step.event = EventId{0, before ? from : to};
  step.method = kMethod;
  step.confidence = 1;
  step.text = wait_text(view, to, c);
  step.after = begin - at;
  chain->steps.push_back(std::move(step));
  chain->arrows.push_back({EventId{0, from}, EventId{0, to}, kind, kMethod, 1, at, begin});
}

}  // namespace

Chain find_steps(const DeviceView& view, uint32_t event) {
  const Dependencies& d = view.dependencies();
  Chain chain;
  std::vector<const Constraint*> before;
  const Constraint* binding = d.binding(event);
  for (const Constraint& c : d.before(event)) {
    // That it came after the one before it on its engine is no news, unless that was all that held it.
    if (c.from != kNone && (c.why != Why::order || &c == binding)) before.push_back(&c);
  }
  std::stable_sort(before.begin(), before.end(), [&](const Constraint* a, const Constraint* b) {
    if ((a == binding) != (b == binding)) return a == binding;
    return a->allowed > b->allowed;
  });
  const std::vector<uint32_t> after = view.after(event);
  chain.arrows_total = before.size() + after.size();
  for (size_t i = 0; i < std::min(before.size(), kMostNeighbours); ++i) tie(view, before[i]->from, event, *before[i], true, &chain);
  chain.steps.push_back({"this", EventId{0, event}, kMethod, 1, {}, {}});
  for (size_t i = 0; i < std::min(after.size(), kMostNeighbours); ++i) {
    for (const Constraint& c : d.before(after[i])) {
      if (c.from != event || c.why == Why::order) continue;
      tie(view, event, after[i], c, false, &chain);
      break;
    }
  }
  return chain;
}

}  // namespace lanewise::server::device

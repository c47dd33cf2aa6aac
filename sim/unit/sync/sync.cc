// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/sync/sync.h"

#include <algorithm>

namespace lanewise::sim::sync {

void SemaphoreClock::schedule(const isa::SemaphoreUpdate& update, Picos time) {
  if (update.semaphore < 0) return;
  pending_.push_back({time, order_++, update});
  std::push_heap(pending_.begin(), pending_.end(), later);
}

int SemaphoreClock::apply() {
  std::pop_heap(pending_.begin(), pending_.end(), later);
  const Pending p = pending_.back();
  pending_.pop_back();
  const int s = p.update.semaphore;
  value_[s] += p.update.increment;
  auto& h = history_[s];
  // Only changes within the wake time before an instruction became ready can delay it.
  constexpr size_t kKept = 64;
  if (h.size() >= 4 * kKept) h.erase(h.begin(), h.end() - kKept);
  h.push_back({p.time, value_[s]});
  return s;
}

Picos SemaphoreClock::start(const isa::SemaphoreWait& wait, Picos ready, Picos wake) const {
  if (wait.semaphore < 0) return ready;
  if (value_[wait.semaphore] < wait.at_least) return kNever;
  const auto& h = history_[wait.semaphore];
  // Back to the change that reached the wanted value.
  for (size_t i = h.size(); i > 0; --i) {
    if (h[i - 1].time + wake <= ready) return ready;
    if (i == 1 || h[i - 2].value < wait.at_least) {
      const bool reached_here = i > 1 || h[0].value >= wait.at_least;
      return reached_here && wait.at_least > 0 ? h[i - 1].time + wake : ready;
    }
  }
  return ready;
}

}  // namespace lanewise::sim::sync

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/happens_before.h"

#include <algorithm>

namespace lanewise::sim::core {
namespace {

void join(AgentClock& into, const AgentClock& from) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

HappensBefore::HappensBefore(const isa::Program& program) {
  for (auto& row : queue_agent_) row.fill(-1);
  int agents = isa::kEngineCount;
  for (int e = 0; e < isa::kEngineCount; ++e)
    for (const isa::Instruction& in : program.streams[e]) {
      if (in.op != isa::Opcode::dma_copy) continue;
      int16_t& agent = queue_agent_[e][in.queue % 16];
      if (agent < 0) agent = static_cast<int16_t>(agents++);
    }
  clocks_.assign(static_cast<size_t>(agents), AgentClock(static_cast<size_t>(agents), 0));
}

uint64_t HappensBefore::without(const std::vector<Updater>& updaters, size_t u, size_t k) const {
  const int agent = updaters[u].agent;
  const uint32_t event = updaters[u].updates[k].clock[agent];
  uint64_t sum = k == 0 ? 0 : updaters[u].updates[k - 1].total;
  for (size_t o = 0; o < updaters.size(); ++o) {
    if (o == u) continue;
    const auto& updates = updaters[o].updates;
    // What an agent knows only grows: the updates that came after ours are the last ones.
    const auto first = std::partition_point(updates.begin(), updates.end(),
                                            [&](const Update& x) { return x.clock[agent] < event; });
    if (first != updates.begin()) sum += std::prev(first)->total;
  }
  return sum;
}

void HappensBefore::acquire(int engine, const isa::SemaphoreWait& wait) {
  if (wait.semaphore < 0 || wait.at_least == 0) return;
  const auto& updaters = semaphores_[wait.semaphore];
  for (size_t u = 0; u < updaters.size(); ++u) {
    // Number of this agent's updates that the wait implies: `without` grows with k.
    size_t low = 0, high = updaters[u].updates.size();
    while (low < high) {
      const size_t k = (low + high) / 2;
      if (without(updaters, u, k) < wait.at_least) low = k + 1;
      else high = k;
    }
    if (low > 0) join(clocks_[engine], updaters[u].updates[low - 1].clock);
  }
}

uint32_t HappensBefore::event(int agent) { return ++clocks_[agent][agent]; }

uint32_t HappensBefore::dma_event(int queue, int trigger) {
  join(clocks_[queue], clocks_[trigger]);
  return event(queue);
}

void HappensBefore::release(int agent, const isa::SemaphoreUpdate& update) {
  if (update.semaphore < 0) return;
  auto& updaters = semaphores_[update.semaphore];
  auto u = std::find_if(updaters.begin(), updaters.end(), [&](const Updater& x) { return x.agent == agent; });
  if (u == updaters.end()) u = updaters.insert(updaters.end(), {agent, {}});
  const uint64_t before = u->updates.empty() ? 0 : u->updates.back().total;
  u->updates.push_back({before + update.increment, clocks_[agent]});
}

}  // namespace lanewise::sim::core

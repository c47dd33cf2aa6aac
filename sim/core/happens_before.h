// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which executed instruction is certainly over when another starts: vector clocks over agents.
//
// An agent is an engine or one DMA queue of an engine; what one agent does is in order. A DMA starts after its trigger
// and after the DMA before it in its queue. A semaphore orders by counting: when a wait for n passes, an update is
// certain to have happened only if the others that could have happened without it do not reach n. For a semaphore that
// one agent updates, that is the shortest prefix of its updates that reaches n; for one that several agents update,
// an update counts as able to happen without another unless it was itself ordered after it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/program.h"

namespace lanewise::sim::core {

using AgentClock = std::vector<uint32_t>;   // by agent: how many of its events have certainly happened

class HappensBefore {
 public:
  // Agents of a program: its engines, then the DMA queues that occur.
  explicit HappensBefore(const isa::Program& program);

  int agents() const { return static_cast<int>(clocks_.size()); }
  int engine_agent(isa::Engine engine) const { return static_cast<int>(engine); }
  int queue_agent(isa::Engine engine, int queue) const { return queue_agent_[static_cast<int>(engine)][queue]; }

  // The instruction's wait has passed: its engine now knows what that implies.
  void acquire(int engine, const isa::SemaphoreWait& wait);
  // The next event of an agent; returns its number (from 1). A DMA event starts from its trigger's knowledge.
  uint32_t event(int agent);
  uint32_t dma_event(int queue, int trigger);
  // The event just made by `agent` ends with this update.
  void release(int agent, const isa::SemaphoreUpdate& update);

  // Whether event number `event` of agent `before` is over when the present event of `agent` starts.
  bool ordered(int before, uint32_t event, int agent) const {
    return before == agent || clocks_[agent][before] >= event;
  }
  const AgentClock& clock(int agent) const { return clocks_[agent]; }

 private:
  struct Update {
    uint64_t total;      // of this agent's updates so far, this one included
    AgentClock clock;
  };
  struct Updater {
    int agent;
    std::vector<Update> updates;
  };

  // Sum of the executed updates that could have happened without update k of updater u.
  uint64_t without(const std::vector<Updater>& updaters, size_t u, size_t k) const;

  std::vector<AgentClock> clocks_;
  std::array<std::array<int16_t, 16>, isa::kEngineCount> queue_agent_;
  std::array<std::vector<Updater>, isa::kSemaphores> semaphores_;
};

}  // namespace lanewise::sim::core

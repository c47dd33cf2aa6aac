// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What every run of a profile had to wait for.
//
//   node        a run of an instruction, then (numbered on) a run of a DMA
//   constraint  another node that let this one begin no earlier than `allowed`
//
//     order      the instruction before it on the same engine let go of the queue; of a matmul whose weights were loaded by an
//                instruction of its own, also: the matmul before it let go of the array
//     result     an instruction before it on the same engine, whose result was still in the engine's own pipeline
//     semaphore  it waits for a value that the other node set; one constraint for each source (engine or DMA queue) that
//                counted up to that value, since any of them could have been the last one
//     trigger    a DMA: the instruction that ordered it
//     queue      a DMA: the one before it in its queue was still moving
//
// `allowed` is never later than the observed begin. What lies between the latest `allowed` and the begin is a hold that no
// record explains (a shared port, a bank, bandwidth): it is kept apart and not blamed on a neighbour. How long hops take
// comes from the machine file: sequencer_*.wake_ps, dma.start_ps, dma.drain_ps, dma.completion_ps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/machine.h"
#include "trace/device/profile.h"

namespace lanewise::trace::device_analysis {

enum class Why : uint8_t { order, result, semaphore, trigger, queue };

struct Constraint {
  uint32_t from = device::kNone;     // node; kNone: the capture does not say who set the semaphore
  uint32_t update = device::kNone;   // semaphore: index in DeviceProfile::semaphores
  Why why = Why::order;
  Picos allowed;
};

class Dependencies {
 public:
  // Both must outlive it.
  Dependencies(const device::DeviceProfile& profile, const machine::Machine& machine);

  size_t nodes() const { return begin_.size(); }
  bool is_dma(uint32_t node) const { return node >= instructions_; }
  uint32_t dma(uint32_t node) const { return node - instructions_; }               // index in DeviceProfile::dmas
  uint32_t node_of_dma(uint32_t run) const { return instructions_ + run; }
  Picos begin(uint32_t node) const { return begin_[node]; }
  Picos end(uint32_t node) const { return end_[node]; }
  Picos done(uint32_t node) const { return done_[node]; }                           // = end of an instruction
  std::span<const Constraint> before(uint32_t node) const {
    return {constraints_.data() + first_[node], constraints_.data() + first_[node + 1]};
  }
  // The constraint with the latest `allowed`; null: none. `known`: only those whose node is known.
  const Constraint* binding(uint32_t node, bool known = true) const;
  // Where in `from` the constraint holds on: begin (order, trigger), end (result, queue), done (semaphore).
  Picos anchor(const Constraint& c) const;
  // When the last byte of a DMA run was read and the next one of its queue may go on: as recorded, or dma.drain_ps before its end.
  Picos read(uint32_t dma) const;
  // A DMA that became visible only because the one before it in its queue did; kNone: by itself.
  uint32_t visible_after(uint32_t node) const { return visible_after_[node - instructions_]; }
  // Nodes so that each comes after all it has to wait for.
  const std::vector<uint32_t>& order() const { return order_; }
  // Of all nodes.
  Picos last_done() const { return last_done_; }
  const device::DeviceProfile& profile() const { return profile_; }
  const machine::Machine& machine() const { return machine_; }
  // The program's instruction of a node: of a DMA, its trigger. Null: not in the binary.
  const device::Instruction* instruction(uint32_t node) const;
  // Waits whose setter the capture does not show.
  int64_t unknown_setters() const { return unknown_setters_; }

 private:
  struct Builder;

  const device::DeviceProfile& profile_;
  const machine::Machine& machine_;
  uint32_t instructions_ = 0;
  std::vector<Picos> begin_, end_, done_;
  std::vector<uint32_t> first_, order_, visible_after_;
  std::vector<Constraint> constraints_;
  Picos last_done_;
  int64_t unknown_setters_ = 0;
};

}  // namespace lanewise::trace::device_analysis

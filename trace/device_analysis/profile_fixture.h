// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests only: a profile written by hand, run by run.
#pragma once

#include <algorithm>
#include <string>

#include "machine/machine.h"
#include "trace/device/profile.h"

namespace lanewise::trace::device_analysis {

class ProfileBuilder {
 public:
  ProfileBuilder() {
    profile.machine = "trn2";
    profile.program.target = "trn2";
  }

  static device::Operand sbuf(std::string role, int64_t address, int64_t elements, std::string dtype = "float32", int32_t partitions = 128) {
    device::Operand o;
    o.role = std::move(role);
    o.space = device::Space::sbuf;
    o.dtype = std::move(dtype);
    o.address = address;
    o.partitions = partitions;
    o.sizes = {elements};
    o.steps = {1};
    return o;
  }
  static device::Operand hbm(std::string role, std::string tensor, int64_t elements, std::string dtype = "float32") {
    device::Operand o;
    o.role = std::move(role);
    o.space = device::Space::hbm;
    o.tensor = std::move(tensor);
    o.dtype = std::move(dtype);
    o.sizes = {elements};
    o.steps = {1};
    return o;
  }

  // One instruction that runs once; its index in the program.
  uint32_t run(isa::Engine engine, const std::string& opcode, int64_t ready, int64_t begin, int64_t end, std::vector<device::Operand> operands = {},
               std::vector<device::Semaphore> waits = {}, std::vector<device::Semaphore> updates = {}) {
    device::Instruction in;
    in.engine = engine;
    in.opcode = opcode;
    in.operands = std::move(operands);
    in.waits = std::move(waits);
    in.updates = std::move(updates);
    for (const auto& other : profile.program.instructions) in.index += other.engine == engine;
    const auto row = static_cast<uint32_t>(profile.program.instructions.size());
    profile.program.instructions.push_back(in);
    device::InstructionRun r;
    r.instruction = row;
    r.engine = engine;
    r.ready = Picos(ready);
    r.begin = Picos(begin);
    r.end = Picos(end);
    profile.instructions.push_back(r);
    profile.duration = std::max(profile.duration, r.end);
    return row;
  }

  // The DMA that instruction `trigger` ordered.
  uint32_t dma(uint32_t trigger, int64_t begin, int64_t end, int64_t visible, int64_t bytes, device::Operand from, device::Operand to) {
    auto& in = profile.program.instructions[trigger];
    if (profile.program.queues.empty()) profile.program.queues.push_back({0, "q", in.engine});
    in.queue = 0;
    in.operands = {to, from};
    device::DmaDescriptor d;
    d.queue = 0;
    d.trigger = trigger;
    d.from = std::move(from);
    d.to = std::move(to);
    d.bytes = bytes;
    profile.program.descriptors.push_back(d);
    device::DmaRun r;
    r.queue = 0;
    r.trigger = trigger;
    r.descriptor = static_cast<uint32_t>(profile.program.descriptors.size() - 1);
    r.triggered = profile.instructions[trigger].begin;
    r.begin = Picos(begin);
    r.end = Picos(end);
    r.visible = Picos(visible);
    r.bytes = bytes;
    profile.dmas.push_back(r);
    profile.duration = std::max(profile.duration, r.visible);
    return static_cast<uint32_t>(profile.dmas.size() - 1);
  }

  void update(int64_t at, int32_t semaphore, uint32_t value, bool by_dma, uint32_t run, isa::Engine engine = isa::Engine::sync) {
    profile.semaphores.push_back({Picos(at), 0, semaphore, value, by_dma, engine, run});
  }

  device::DeviceProfile profile;
};

}  // namespace lanewise::trace::device_analysis

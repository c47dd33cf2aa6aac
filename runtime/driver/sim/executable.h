// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that is resident on one simulated device: verified, timed, its constants in device memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "runtime/driver/sim/device_memory.h"
#include "runtime/hal/device.h"
#include "sim/chip/chip.h"

namespace lanewise::runtime::sim_driver {

class SimExecutable final : public Executable {
 public:
  // Errors: what the verifier says, a program made for another preset, resource_exhausted (constants).
  // `time` gives the duration of the program (a cache stands before the simulator).
  static Result<std::shared_ptr<SimExecutable>> make(
      const isa::Program& program, std::string_view graph_ir, uint64_t hash, int device, const machine::Machine& machine,
      const std::function<Result<Nanos>()>& time,
      const std::function<Result<std::shared_ptr<MemoryBlock>>(int64_t bytes)>& allocate);

  const isa::Program& program() const override { return program_; }
  uint64_t hash() const override { return hash_; }
  int64_t duration_ns() const override { return duration_.value; }

  // Text of the IR that the program came from, or empty.
  const std::string& graph_ir() const { return graph_ir_; }
  int device() const { return device_; }
  uint32_t name() const { return name_; }                     // interned
  int64_t scratch_bytes() const { return scratch_bytes_; }
  // Bytes of the inputs and outputs, in the order in which a launch gives their addresses.
  const std::vector<int64_t>& bound_bytes() const { return bound_bytes_; }
  int64_t constant_bytes() const { return constants_ ? constants_->bytes() : 0; }

  // Fills `bindings` for one run: the launch's buffers, the resident constants, and pieces of `scratch`.
  void bind(const DeviceMemory& memory, const std::vector<DeviceAddress>& buffers, std::byte* scratch,
            std::vector<sim::Binding>& bindings) const;

 private:
  struct Slot {
    isa::Buffer::Kind kind;
    int64_t bytes;
    int64_t offset;   // constants and scratch: in their block
  };
  SimExecutable(const isa::Program& program, std::string_view graph_ir, uint64_t hash, int device);

  isa::Program program_;
  const std::string graph_ir_;
  const uint64_t hash_;
  const int device_;
  uint32_t name_ = 0;
  Nanos duration_;
  std::vector<Slot> slots_;
  std::vector<int64_t> bound_bytes_;
  int64_t scratch_bytes_ = 0;
  std::shared_ptr<MemoryBlock> constants_;
};

}  // namespace lanewise::runtime::sim_driver

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/executable.h"

#include <cstring>
#include <string>

#include "trace/record/event.h"

namespace lanewise::runtime::sim_driver {
namespace {

int64_t aligned(int64_t bytes) {
  constexpr int64_t kTo = DeviceMemory::kAlignment;
  return (bytes + kTo - 1) / kTo * kTo;
}

}  // namespace

SimExecutable::SimExecutable(const isa::Program& program, std::string_view graph_ir, uint64_t hash, int device)
    : program_(program), graph_ir_(graph_ir), hash_(hash), device_(device), name_(trace::record::intern(program.name)) {}

Result<std::shared_ptr<SimExecutable>> SimExecutable::make(
    const isa::Program& program, std::string_view graph_ir, uint64_t hash, int device, const machine::Machine& machine,
    const std::function<Result<Nanos>()>& time,
    const std::function<Result<std::shared_ptr<MemoryBlock>>(int64_t bytes)>& allocate) {
  if (!program.machine.empty() && program.machine != machine.name)
    return invalid_argument("program " + program.name + " was compiled for " + program.machine + ", this device is a " +
                            machine.name);
  const auto& memory = machine.memory;
  LW_RETURN_IF_ERROR(isa::verify(program, {memory.sbuf_partition_bytes, memory.psum_banks * memory.psum_bank_bytes})
                         .with_context("program " + program.name));

  std::shared_ptr<SimExecutable> self(new SimExecutable(program, graph_ir, hash, device));
  LW_ASSIGN_OR_RETURN(self->duration_, time());

  int64_t constant_bytes = 0;
  for (const isa::Buffer& buffer : program.buffers) {
    Slot slot{buffer.kind, buffer.bytes, 0};
    if (buffer.kind == isa::Buffer::Kind::constant) {
      slot.offset = constant_bytes;
      constant_bytes += aligned(buffer.bytes);
    } else if (buffer.kind == isa::Buffer::Kind::scratch) {
      slot.offset = self->scratch_bytes_;
      self->scratch_bytes_ += aligned(buffer.bytes);
    } else {
      self->bound_bytes_.push_back(buffer.bytes);
    }
    self->slots_.push_back(slot);
  }
  if (constant_bytes > 0) {
    LW_ASSIGN_OR_RETURN(self->constants_, allocate(constant_bytes));
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      const isa::Buffer& buffer = program.buffers[i];
      if (buffer.kind != isa::Buffer::Kind::constant) continue;
      std::memcpy(self->constants_->host() + self->slots_[i].offset, buffer.data.data(), buffer.data.size());
    }
  }
  return self;
}

void SimExecutable::bind(const DeviceMemory& memory, const std::vector<DeviceAddress>& buffers, std::byte* scratch,
                         std::vector<sim::Binding>& bindings) const {
  bindings.clear();
  size_t next = 0;
  for (const Slot& slot : slots_) {
    switch (slot.kind) {
      case isa::Buffer::Kind::constant: bindings.push_back({constants_->host() + slot.offset, slot.bytes}); break;
      case isa::Buffer::Kind::scratch: bindings.push_back({scratch + slot.offset, slot.bytes}); break;
      default: bindings.push_back({memory.host_pointer(buffers[next++]), slot.bytes}); break;
    }
  }
}

}  // namespace lanewise::runtime::sim_driver

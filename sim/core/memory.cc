// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <string>

namespace lanewise::sim::core {
namespace {

// Memory of one thread. Mapped, not allocated, so that untouched pages cost nothing and huge pages can serve it.
class Arena {
 public:
  ~Arena() {
    if (data_) munmap(data_, size_);
  }
  std::byte* at_least(size_t bytes) {
    constexpr size_t kHuge = size_t{2} << 20;
    if (bytes <= size_) return data_;
    if (data_) munmap(data_, size_);
    size_ = (bytes + kHuge - 1) / kHuge * kHuge;
    void* p = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    LW_CHECK(p != MAP_FAILED, "no memory for the scratchpads of a core");
    madvise(p, size_, MADV_HUGEPAGE);
    data_ = static_cast<std::byte*>(p);
    return data_;
  }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

thread_local Arena g_arena;

// An odd number of cache lines, so that the same column of many partitions does not fall into one cache set.
int64_t pitch_of(int64_t bytes) {
  const int64_t lines = std::max<int64_t>(1, (bytes + 63) / 64);
  return (lines | 1) * 64;
}

ByteRange pattern_range(int64_t offset, int64_t element, int rank, const auto& dims) {
  ByteRange r{offset, offset};
  for (int i = 0; i < rank; ++i) {
    const int64_t reach = (static_cast<int64_t>(dims[i].count) - 1) * dims[i].stride * element;
    (reach < 0 ? r.begin : r.end) += reach;
  }
  r.end += element;
  return r;
}

}  // namespace

ByteRange free_range(const isa::Tile& tile) {
  return pattern_range(tile.offset, isa::dtype_bytes(tile.dtype), tile.rank, tile.dims);
}

ByteRange buffer_range(const isa::Hbm& pattern) {
  return pattern_range(pattern.offset, isa::dtype_bytes(pattern.dtype), pattern.rank, pattern.dims);
}

Footprint footprint(const isa::Program& program, const machine::Machine& machine) {
  const int64_t sbuf_limit = machine.memory.sbuf_partition_bytes;
  const int64_t psum_limit = machine.memory.psum_banks * machine.memory.psum_bank_bytes;
  Footprint f;
  for (const auto& stream : program.streams) {
    // Largest value each address register takes in this stream.
    Registers highest{};
    for (const isa::Instruction& in : stream)
      if (in.op == isa::Opcode::loop_begin && in.loop_register >= 0)
        highest[in.loop_register] = std::max<int64_t>(highest[in.loop_register], in.loop_end);
    auto see = [&](const isa::Tile& t) {
      if (!t.present()) return;
      int64_t end = free_range(t).end;
      if (t.loop_register >= 0)
        end += std::max<int64_t>(0, highest[t.loop_register] * int64_t{t.register_stride});
      int64_t& bytes = t.space == isa::Space::sbuf ? f.sbuf_bytes : f.psum_bytes;
      bytes = std::max(bytes, end);
    };
    for (const isa::Instruction& in : stream) {
      see(in.dst), see(in.dst2), see(in.src0), see(in.src1), see(in.src2);
      see(in.scalar0.tile), see(in.scalar1.tile), see(in.hbm_dst.row_index), see(in.hbm_src.row_index);
    }
  }
  f.sbuf_bytes = std::clamp<int64_t>(f.sbuf_bytes, 0, sbuf_limit);
  f.psum_bytes = std::clamp<int64_t>(f.psum_bytes, 0, psum_limit);
  return f;
}

void attach_scratchpads(const Footprint& footprint, const machine::Machine& machine, Memory* memory) {
  const int64_t partitions = machine.memory.partitions;
  memory->sbuf = {nullptr, partitions, footprint.sbuf_bytes, pitch_of(footprint.sbuf_bytes)};
  memory->psum = {nullptr, partitions, footprint.psum_bytes, pitch_of(footprint.psum_bytes)};
  std::byte* data = g_arena.at_least(static_cast<size_t>(partitions * (memory->sbuf.pitch + memory->psum.pitch)));
  memory->sbuf.data = data;
  memory->psum.data = data + partitions * memory->sbuf.pitch;
}

Status resolve(const Memory& memory, const isa::Tile& tile, const Registers& registers, View* view) {
  if (!tile.present()) return invalid_argument("an operand is missing");
  const Scratchpad& pad = tile.space == isa::Space::sbuf ? memory.sbuf : memory.psum;
  ByteRange r = free_range(tile);
  const int64_t moved =
      tile.loop_register >= 0 ? registers[tile.loop_register] * int64_t{tile.register_stride} : 0;
  r.begin += moved;
  r.end += moved;
  const bool empty = tile.partitions == 0 || tile.elements_per_partition() == 0;
  if (empty || r.begin < 0 || r.end > pad.bytes || tile.partition + tile.partitions > pad.partitions)
    return out_of_range(std::string(tile.space == isa::Space::sbuf ? "SBUF" : "PSUM") + " tile at partitions " +
                        std::to_string(tile.partition) + "+" + std::to_string(tile.partitions) + ", bytes " +
                        std::to_string(r.begin) + ".." + std::to_string(r.end) + " leaves the scratchpad");
  const int64_t element = isa::dtype_bytes(tile.dtype);
  view->base = pad.data + tile.partition * pad.pitch + tile.offset + moved;
  view->dtype = tile.dtype;
  view->rank = 0;
  view->push(tile.partitions, pad.pitch);
  for (int i = 0; i < tile.rank; ++i) view->push(tile.dims[i].count, tile.dims[i].stride * element);
  return ok_status();
}

Status resolve(const Memory& memory, const isa::Hbm& pattern, const Registers& registers, View* view) {
  if (pattern.buffer < 0 || static_cast<size_t>(pattern.buffer) >= memory.buffers.size())
    return out_of_range("buffer " + std::to_string(pattern.buffer) + " is not in the program's table");
  const HostBuffer& buffer = memory.buffers[pattern.buffer];
  ByteRange r = buffer_range(pattern);
  const int64_t moved = pattern.loop_register >= 0 ? registers[pattern.loop_register] * pattern.register_stride : 0;
  r.begin += moved;
  r.end += moved;
  // With a row index the rows are checked one by one where they are known.
  if (pattern.elements() < 1) return invalid_argument("a pattern on device memory has no elements");
  if (!pattern.row_index.present() && (r.begin < 0 || r.end > buffer.bytes))
    return out_of_range("access to bytes " + std::to_string(r.begin) + ".." + std::to_string(r.end) + " of buffer " +
                        std::to_string(pattern.buffer) + ", which has " + std::to_string(buffer.bytes));
  const int64_t element = isa::dtype_bytes(pattern.dtype);
  view->base = buffer.data + pattern.offset + moved;
  view->dtype = pattern.dtype;
  view->rank = 0;
  for (int i = 0; i < pattern.rank; ++i) view->push(pattern.dims[i].count, pattern.dims[i].stride * element);
  return ok_status();
}

Status resolve(const Memory& memory, const isa::Scalar& scalar, const Registers& registers, ScalarInput* input) {
  *input = ScalarInput{};
  input->present = scalar.present();
  switch (scalar.kind) {
    case isa::Scalar::Kind::none: break;
    case isa::Scalar::Kind::f32: input->f = scalar.f; break;
    case isa::Scalar::Kind::i64:
      input->integer = true;
      input->i = scalar.i;
      input->f = static_cast<float>(scalar.i);
      break;
    case isa::Scalar::Kind::parameter: {
      if (scalar.i < 0 || static_cast<size_t>(scalar.i) >= memory.parameters.size())
        return out_of_range("parameter " + std::to_string(scalar.i) + " was not passed to the launch");
      const ParameterInput& p = memory.parameters[scalar.i];
      input->integer = p.integer;
      input->i = p.i;
      input->f = p.integer ? static_cast<float>(p.i) : p.f;
      break;
    }
    case isa::Scalar::Kind::tile:
      input->per_partition = true;
      input->integer = isa::is_integer(scalar.tile.dtype);
      if (scalar.tile.elements_per_partition() != 1)
        return invalid_argument("a scalar tile holds one element per partition");
      return resolve(memory, scalar.tile, registers, &input->tile);
  }
  return ok_status();
}

}  // namespace lanewise::sim::core

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/gpsimd/values.h"

#include <string>

#include "isa/table.h"
#include "sim/core/rows.h"

namespace lanewise::sim::gpsimd {
namespace {

using isa::Opcode;

// Counts in unsigned arithmetic, so that a pattern that leaves 64 bits wraps.
Status iota(const core::Work& work) {
  const isa::Instruction& in = work.in;
  core::View dst;
  core::ScalarInput start;
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.dst, work.registers, &dst));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.scalar0, work.registers, &start));
  if (!start.present || !start.integer) return invalid_argument("iota starts from an integer");
  if (start.per_partition && start.tile.count[0] != dst.count[0])
    return invalid_argument("the scalar tile of iota has another number of partitions than the destination");
  const int rank = dst.rank - 1;
  std::array<uint64_t, core::kMaxRank> step{};
  for (int d = 0; d < rank; ++d) step[d] = static_cast<uint64_t>(in.iota_step[d]);
  core::Sink<int64_t> out(dst);
  core::Source<int64_t> first(start, 1);
  const int64_t elements = dst.elements() / dst.count[0];
  for (int64_t p = 0; p < dst.count[0]; ++p) {
    uint64_t value = static_cast<uint64_t>(*first.read(1)) +
                     static_cast<uint64_t>(p) * static_cast<uint64_t>(in.iota_partition_step);
    std::array<int64_t, core::kMaxRank> index{};
    for (int64_t left = elements; left > 0;) {
      const int64_t n = std::min(left, core::kRow);
      int64_t* o = out.reserve(n);
      for (int64_t i = 0; i < n; ++i) {
        o[i] = static_cast<int64_t>(value);
        for (int d = rank - 1; d >= 0; --d) {
          value += step[d];
          if (++index[d] < dst.count[d + 1]) break;
          value -= step[d] * static_cast<uint64_t>(dst.count[d + 1]);
          index[d] = 0;
        }
      }
      out.commit(n);
      left -= n;
    }
  }
  return ok_status();
}

}  // namespace

Status run(const core::Work& base) {
  const core::Work work{base.memory, base.in, base.registers, true};
  switch (work.in.op) {
    case Opcode::tensor_copy: return core::tensor_copy(work);
    case Opcode::tensor_tensor: return core::tensor_tensor(work);
    case Opcode::tensor_scalar: return core::tensor_scalar(work);
    case Opcode::tensor_reduce: return core::tensor_reduce(work);
    case Opcode::select:
    case Opcode::tensor_copy_predicated: return core::select(work);
    case Opcode::memset: return core::memset(work);
    case Opcode::iota: return iota(work);
    default:
      return unimplemented("GpSimd has no " + std::string(isa::opcode_name(work.in.op)));
  }
}

}  // namespace lanewise::sim::gpsimd

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/pe/values.h"

#include <array>
#include <bit>
#include <memory>
#include <string>

#include "isa/table.h"
#include "sim/core/alu.h"
#include "sim/core/copy.h"
#include "sim/core/rows.h"
#include "sim/unit/pe/matmul.h"

namespace lanewise::sim::pe {
namespace {

using core::View;
using isa::Opcode;

// Operands of the array as adjacent f32: partitions lie far apart, and a kernel that walked them would miss the TLB on
// every step of k.
struct Workspace {
  alignas(64) float stationary[128 * 128];
  alignas(64) float moving[128 * 512];
  alignas(64) float product[128 * 512];
};

const float* pack(const View& view, int64_t elements, float* to) {
  core::RunCursor cursor(view);
  core::load(cursor, to, view.count[0] * elements);
  return to;
}

Workspace& workspace() {
  static thread_local const std::unique_ptr<Workspace> space(new Workspace);
  return *space;
}

// product[m][n] into dst, or onto it.
void deposit(const float* product, int64_t m, int64_t n, bool accumulate, const View& dst) {
  static const core::FloatRow add = core::float_row(isa::AluOp::add);
  core::Sink<float> out(dst);
  core::Source<float> old(dst);
  for (int64_t i = 0; i < m; ++i) {
    const float* row = product + i * n;
    if (accumulate) {
      const float* before = old.read(n);
      add(before, row, out.reserve(n), n);
    } else {
      __builtin_memcpy(out.reserve(n), row, static_cast<size_t>(n) * sizeof(float));
    }
    out.commit(n);
  }
}

Status matmul(const core::Work& work) {
  const isa::Instruction& in = work.in;
  View dst, a, b;
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.dst, work.registers, &dst));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.src0, work.registers, &a));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.src1, work.registers, &b));
  const int64_t k = a.count[0], m = in.src0.elements_per_partition(), n = in.src1.elements_per_partition();
  if (b.count[0] != k || dst.count[0] != m || in.dst.elements_per_partition() != n)
    return invalid_argument("nc_matmul of [" + std::to_string(k) + "," + std::to_string(m) + "] and [" +
                            std::to_string(b.count[0]) + "," + std::to_string(n) + "] into [" +
                            std::to_string(dst.count[0]) + "," + std::to_string(in.dst.elements_per_partition()) + "]");
  if (k > 128 || m > 128 || n > 512) return invalid_argument("nc_matmul takes at most 128 x 128 and 128 x 512 operands");
  Workspace& space = workspace();
  static const MatmulKernel kernel = best_matmul();
  kernel(pack(a, m, space.stationary), m, pack(b, n, space.moving), n, space.product, k, m, n);
  deposit(space.product, m, n, in.accumulate, dst);
  return ok_status();
}

Status transpose(const core::Work& work) {
  const isa::Instruction& in = work.in;
  View dst, src;
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.dst, work.registers, &dst));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.src0, work.registers, &src));
  const int64_t f = in.src0.elements_per_partition();
  if (dst.dtype != src.dtype || dst.count[0] != f || in.dst.elements_per_partition() != src.count[0])
    return invalid_argument("nc_transpose of [" + std::to_string(src.count[0]) + "," + std::to_string(f) + "] into [" +
                            std::to_string(dst.count[0]) + "," + std::to_string(in.dst.elements_per_partition()) +
                            "], or of another dtype");
  // The source read with its free dimensions outermost has the element order of the destination.
  View turned;
  turned.base = src.base;
  turned.dtype = src.dtype;
  for (int d = 1; d < src.rank; ++d) turned.push(src.count[d], src.stride[d]);
  turned.push(src.count[0], src.stride[0]);
  core::copy_bits(dst, turned);
  return ok_status();
}

Status load_stationary(const core::Work& work, Stationary* held) {
  const isa::Instruction& in = work.in;
  View src;
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.src0, work.registers, &src));
  held->dtype = src.dtype;
  held->rows = src.count[0];
  held->columns = in.src0.elements_per_partition();
  const int64_t elements = held->rows * held->columns, size = isa::dtype_bytes(src.dtype);
  held->weights.resize(static_cast<size_t>(elements));
  pack(src, held->columns, held->weights.data());
  if (in.upper_part || in.lower_part) {
    constexpr uint32_t kUpper = ~0u << (24 - isa::kUpperPartBits);
    for (float& weight : held->weights) {
      const float upper = std::bit_cast<float>(std::bit_cast<uint32_t>(weight) & kUpper);
      weight = in.upper_part ? upper : weight - upper;
    }
  }
  held->bits.resize(static_cast<size_t>(elements * size));
  View copy;
  copy.base = held->bits.data();
  copy.dtype = src.dtype;
  copy.push(elements, size);
  core::copy_bits(copy, src);
  return ok_status();
}

// For each moving column the row whose bits pass.
Status selected_rows(const float* moving, int64_t k, int64_t n, std::array<int64_t, 512>* rows) {
  for (int64_t j = 0; j < n; ++j) {
    int64_t row = -1;
    for (int64_t l = 0; l < k; ++l) {
      if (moving[l * n + j] == 0) continue;
      if (row >= 0 || moving[l * n + j] != 1)
        return invalid_argument("column " + std::to_string(j) + " of a pass_through operand is no column of an identity");
      row = l;
    }
    if (row < 0) return invalid_argument("column " + std::to_string(j) + " of a pass_through operand is all 0");
    (*rows)[static_cast<size_t>(j)] = row;
  }
  return ok_status();
}

Status pass_through(const Stationary& held, const float* moving, int64_t n, const View& dst) {
  if (dst.dtype != held.dtype) return invalid_argument("bits that pass through keep the dtype of what is held");
  std::array<int64_t, 512> rows;
  LW_RETURN_IF_ERROR(selected_rows(moving, held.rows, n, &rows));
  const int64_t size = isa::dtype_bytes(held.dtype);
  std::vector<std::byte> moved(static_cast<size_t>(held.columns * n * size));
  for (int64_t i = 0; i < held.columns; ++i)
    for (int64_t j = 0; j < n; ++j)
      __builtin_memcpy(moved.data() + (i * n + j) * size,
                       held.bits.data() + (rows[static_cast<size_t>(j)] * held.columns + i) * size,
                       static_cast<size_t>(size));
  View from;
  from.base = moved.data();
  from.dtype = held.dtype;
  from.push(held.columns * n, size);
  core::copy_bits(dst, from);
  return ok_status();
}

Status multiply_moving(const core::Work& work, const Stationary& held) {
  const isa::Instruction& in = work.in;
  if (held.rows == 0) return failed_precondition("columns move past an array that nothing was loaded into");
  View dst, b;
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.dst, work.registers, &dst));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.src0, work.registers, &b));
  const int64_t k = held.rows, m = held.columns, n = in.src0.elements_per_partition();
  if (b.count[0] != k || dst.count[0] != m || in.dst.elements_per_partition() != n)
    return invalid_argument("multiply_moving of [" + std::to_string(b.count[0]) + "," + std::to_string(n) +
                            "] past [" + std::to_string(k) + "," + std::to_string(m) + "] into [" +
                            std::to_string(dst.count[0]) + "," + std::to_string(in.dst.elements_per_partition()) + "]");
  if (k > 128 || m > 128 || n > 512) return invalid_argument("multiply_moving takes at most 128 x 128 and 128 x 512 operands");
  Workspace& space = workspace();
  pack(b, n, space.moving);
  if (in.pass_through) return pass_through(held, space.moving, n, dst);
  static const MatmulKernel kernel = best_matmul();
  kernel(held.weights.data(), m, space.moving, n, space.product, k, m, n);
  deposit(space.product, m, n, in.accumulate, dst);
  return ok_status();
}

}  // namespace

Status run(const core::Work& work, Stationary* held) {
  switch (work.in.op) {
    case Opcode::nc_matmul: return matmul(work);
    case Opcode::nc_transpose: return transpose(work);
    case Opcode::load_stationary: return load_stationary(work, held);
    case Opcode::multiply_moving: return multiply_moving(work, *held);
    default:
      return unimplemented("the tensor engine has no " + std::string(isa::opcode_name(work.in.op)));
  }
}

}  // namespace lanewise::sim::pe

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/pe/values.h"

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
  static thread_local const std::unique_ptr<Workspace> workspace(new Workspace);
  Workspace& space = *workspace;
  static const MatmulKernel kernel = best_matmul();
  kernel(pack(a, m, space.stationary), m, pack(b, n, space.moving), n, space.product, k, m, n);

  static const core::FloatRow add = core::float_row(isa::AluOp::add);
  core::Sink<float> out(dst);
  core::Source<float> old(dst);
  for (int64_t i = 0; i < m; ++i) {
    const float* row = space.product + i * n;
    if (in.accumulate) {
      const float* before = old.read(n);
      add(before, row, out.reserve(n), n);
    } else {
      __builtin_memcpy(out.reserve(n), row, static_cast<size_t>(n) * sizeof(float));
    }
    out.commit(n);
  }
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

}  // namespace

Status run(const core::Work& work) {
  switch (work.in.op) {
    case Opcode::nc_matmul: return matmul(work);
    case Opcode::nc_transpose: return transpose(work);
    default:
      return unimplemented("the tensor engine has no " + std::string(isa::opcode_name(work.in.op)));
  }
}

}  // namespace lanewise::sim::pe

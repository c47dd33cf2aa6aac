// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/datapath.h"

#include <string>

#include "isa/table.h"
#include "sim/core/alu.h"
#include "sim/core/reduce.h"
#include "sim/core/rows.h"

namespace lanewise::sim::core {
namespace {

template <typename T>
Status reduce(isa::AluOp op, const View& dst, const View& src, int64_t outputs, int64_t length) {
  if (!Reducer<T>::legal(op))
    return invalid_argument("operation " + std::string(isa::alu_op_name(op)) + " does not reduce these operands");
  static_assert(kRow % kReduceBlock == 0);
  Reducer<T> reducer(op);
  Source<T> in(src);
  Sink<T> out(dst);
  while (outputs > 0) {
    const int64_t n = std::min(outputs, kRow);
    T* o = out.reserve(n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t left = length; left > 0;) {
        const int64_t m = std::min(left, kRow);
        reducer.add(in.read(m), m);
        left -= m;
      }
      o[i] = reducer.finish();
    }
    out.commit(n);
    outputs -= n;
  }
  return ok_status();
}

}  // namespace

Status tensor_reduce(const Work& work) {
  const isa::Instruction& in = work.in;
  View dst, src;
  LW_RETURN_IF_ERROR(resolve(work.memory, in.dst, work.registers, &dst));
  LW_RETURN_IF_ERROR(resolve(work.memory, in.src0, work.registers, &src));
  if (in.reduce_dims < 1 || in.reduce_dims > in.src0.rank)
    return invalid_argument("tensor_reduce over " + std::to_string(in.reduce_dims) + " of " +
                            std::to_string(in.src0.rank) + " free dimensions");
  int64_t length = 1;
  for (int d = in.src0.rank - in.reduce_dims; d < in.src0.rank; ++d) length *= in.src0.dims[d].count;
  const int64_t outputs = src.elements() / length;
  if (dst.count[0] != src.count[0] || dst.elements() != outputs)
    return invalid_argument("tensor_reduce writes " + std::to_string(outputs) + " elements into " +
                            std::to_string(dst.elements()));
  if (isa::is_integer(src.dtype) && (work.exact_integers || exact_on_every_engine(in.op0)))
    return reduce<int64_t>(in.op0, dst, src, outputs, length);
  return reduce<float>(in.op0, dst, src, outputs, length);
}

}  // namespace lanewise::sim::core

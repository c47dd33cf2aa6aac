// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/clones.h"
#include "sim/core/copy.h"
#include "sim/core/datapath.h"
#include "sim/core/element.h"
#include "sim/core/rows.h"

namespace lanewise::sim::core {
namespace {

using isa::DType;

// A dtype of the same size whose values pass through f32 (up to 4 bytes) or i64 unchanged, so that equal dtypes move
// bit by bit.
DType as_bits(DType t) {
  switch (isa::dtype_bytes(t)) {
    case 1: return DType::u8;
    case 2: return DType::i16;
    case 4: return DType::f32;
    default: return DType::i64;
  }
}
View bits_of(View v) {
  v.dtype = as_bits(v.dtype);
  return v;
}

LW_CLONES void pick(const float* mask, const float* a, const float* b, float* out, int64_t n) {
  _Pragma("GCC ivdep") for (int64_t i = 0; i < n; ++i) out[i] = mask[i] != 0 ? a[i] : b[i];
}
LW_CLONES void pick(const float* mask, const int64_t* a, const int64_t* b, int64_t* out, int64_t n) {
  _Pragma("GCC ivdep") for (int64_t i = 0; i < n; ++i) out[i] = mask[i] != 0 ? a[i] : b[i];
}

// What select chooses when the predicate is zero.
struct Other {
  bool is_tile = false;
  View tile;
  ScalarInput scalar;
};

template <typename T>
void choose(const Shape& shape, const View& dst, const View& mask, const View& a, Source<T>&& b) {
  Source<float> m(mask);   // a 64-bit predicate too: only zero becomes 0
  Source<T> x(a);
  Sink<T> out(dst);
  RowPlan plan(shape.partitions, shape.elements);
  while (const int64_t n = plan.next()) {
    const float* p = m.read(n);
    const T* u = x.read(n);
    const T* v = b.read(n);
    pick(p, u, v, out.reserve(n), n);
    out.commit(n);
  }
}

// dst, a and the tile of `other` have one dtype.
template <typename T>
void choose_bits(const Shape& shape, const View& dst, const View& mask, const View& a, const Other& other) {
  View b = other.tile;
  std::byte element[8];
  if (!other.is_tile) {   // the scalar as dst would hold it
    if (other.scalar.integer) store_row(dst.dtype, &other.scalar.i, element, 0, 1);
    else store_row(dst.dtype, &other.scalar.f, element, 0, 1);
    b.base = element;
    b.dtype = dst.dtype;
    b.push(shape.partitions * shape.elements, 0);
  }
  choose<T>(shape, bits_of(dst), mask, bits_of(a), Source<T>(bits_of(b)));
}

template <typename T>
void choose_values(const Shape& shape, const View& dst, const View& mask, const View& a, const Other& other) {
  choose<T>(shape, dst, mask, a,
            other.is_tile ? Source<T>(other.tile) : Source<T>(other.scalar, shape.elements));
}

}  // namespace

Status select(const Work& work) {
  const isa::Instruction& in = work.in;
  const isa::Tile& tile = in.op == isa::Opcode::tensor_copy_predicated ? in.dst : in.src1;
  Shape shape;
  View dst, a, mask;
  Other other;
  LW_RETURN_IF_ERROR(same_shape(in.dst, {&in.src0, &in.src2}, &shape));
  LW_RETURN_IF_ERROR(resolve(work.memory, in.dst, work.registers, &dst));
  LW_RETURN_IF_ERROR(resolve(work.memory, in.src0, work.registers, &a));
  LW_RETURN_IF_ERROR(resolve(work.memory, in.src2, work.registers, &mask));
  other.is_tile = tile.present();
  if (other.is_tile) {
    LW_RETURN_IF_ERROR(same_shape(in.dst, {&tile}, &shape));
    LW_RETURN_IF_ERROR(resolve(work.memory, tile, work.registers, &other.tile));
  } else {
    LW_RETURN_IF_ERROR(resolve(work.memory, in.scalar0, work.registers, &other.scalar));
    if (!other.scalar.present) return invalid_argument("select needs src1 or a scalar");
    if (other.scalar.per_partition) {
      if (other.scalar.tile.count[0] != shape.partitions)
        return invalid_argument("the scalar tile of select has another number of partitions than the destination");
      other.is_tile = true;
      other.tile = other.scalar.tile;
      other.tile.push(shape.elements, 0);
    }
  }
  const bool same = dst.dtype == a.dtype && (!other.is_tile || other.tile.dtype == dst.dtype);
  const bool integers =
      isa::is_integer(a.dtype) && (other.is_tile ? isa::is_integer(other.tile.dtype) : other.scalar.integer);
  if (same && isa::dtype_bytes(dst.dtype) == 8) choose_bits<int64_t>(shape, dst, mask, a, other);
  else if (same) choose_bits<float>(shape, dst, mask, a, other);
  else if (integers) choose_values<int64_t>(shape, dst, mask, a, other);
  else choose_values<float>(shape, dst, mask, a, other);
  return ok_status();
}

Status memset(const Work& work) {
  View dst;
  ScalarInput scalar;
  LW_RETURN_IF_ERROR(resolve(work.memory, work.in.dst, work.registers, &dst));
  LW_RETURN_IF_ERROR(resolve(work.memory, work.in.scalar0, work.registers, &scalar));
  if (!scalar.present) return invalid_argument("memset needs a scalar");
  View from;
  std::byte element[8];
  if (scalar.per_partition) {
    if (scalar.tile.count[0] != dst.count[0])
      return invalid_argument("the scalar tile of memset has another number of partitions than the destination");
    from = scalar.tile;
    from.push(dst.elements() / dst.count[0], 0);
    copy_cast(dst, from);
    return ok_status();
  }
  if (scalar.integer) store_row(dst.dtype, &scalar.i, element, 0, 1);
  else store_row(dst.dtype, &scalar.f, element, 0, 1);
  from.base = element;
  from.dtype = dst.dtype;
  from.push(dst.elements(), 0);
  copy_bits(dst, from);
  return ok_status();
}

}  // namespace lanewise::sim::core

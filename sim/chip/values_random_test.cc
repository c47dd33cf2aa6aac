// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The fast units against the plain interpreter, bit for bit (any NaN equals any NaN), over random opcodes, dtypes,
// scalars, access patterns and values that include NaN, infinities, denormals and the ends of every integer type.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "isa/table.h"
#include "isa/convert.h"
#include "sim/chip/chip.h"
#include "sim/chip/reference_arithmetic.h"
#include "sim/core/test_program.h"

namespace lanewise::sim {
namespace {

using namespace test;

// SBUF of these tests: every operand has its own slice of each partition.
constexpr uint32_t kSlice = 12288;
enum Slice { kDst, kSrc0, kSrc1, kSrc2, kScalar0, kScalar1, kDst2, kSlices };

class Fuzz {
 public:
  explicit Fuzz(uint32_t seed) : random_(seed) {}

  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  template <typename T>
  T one_of(const std::vector<T>& list) { return list[static_cast<size_t>(pick(0, static_cast<int64_t>(list.size()) - 1))]; }

  DType any() { return static_cast<DType>(pick(0, isa::kDTypeCount - 1)); }
  DType floating() { return one_of<DType>({DType::f32, DType::f32, DType::bf16, DType::f16, DType::f8e4m3, DType::f8e5m2}); }
  DType integer() { return one_of<DType>({DType::i64, DType::i32, DType::i16, DType::i8, DType::u8, DType::b8}); }

  struct Shape {
    int partitions;
    int64_t elements;
  };
  Shape shape() {
    static const std::vector<int64_t> sizes = {1, 2, 3, 8, 12, 16, 30, 60, 64, 100, 128, 129, 192, 360, 512, 1000};
    return {static_cast<int>(one_of<int64_t>({1, 2, 7, 32, 64, 128})), one_of(sizes)};
  }

  // A pattern of n elements inside `slice`. Written patterns touch every byte at most once.
  Tile operand(const Shape& s, DType dtype, int slice, bool written) {
    std::vector<int64_t> counts;
    int64_t rest = s.elements;
    for (int d = 0; d < 3 && rest > 1 && chance(60); ++d) {
      std::vector<int64_t> divisors;
      for (int64_t v = 2; v <= rest && v <= 64; ++v)
        if (rest % v == 0) divisors.push_back(v);
      if (divisors.empty()) break;
      counts.push_back(one_of(divisors));
      rest /= counts.back();
    }
    if (rest > 1 || counts.empty()) counts.push_back(rest);
    const int64_t size = isa::dtype_bytes(dtype), room = kSlice / size;
    Tile t = tile(Space::sbuf, dtype, s.partitions, {});
    t.partition = static_cast<uint16_t>(s.partitions <= 32 ? 32 * pick(0, 3) : s.partitions <= 64 ? 64 * pick(0, 1) : 0);
    t.rank = static_cast<uint8_t>(counts.size());
    std::vector<size_t> order(counts.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (chance(50)) std::shuffle(order.begin(), order.end(), random_);
    else std::reverse(order.begin(), order.end());
    int64_t span = 1, lowest = 0;
    for (size_t d : order) {   // smallest stride first
      int64_t stride = span + (chance(30) ? pick(0, 3) : 0);
      if (stride * counts[d] > room) stride = span;
      if (!written && chance(10)) stride = 0;
      if (stride != 0) span = stride * counts[d];
      if (chance(15)) {
        lowest -= stride * (counts[d] - 1);
        stride = -stride;
      }
      t.dims[d] = {static_cast<int32_t>(stride), static_cast<uint32_t>(counts[d])};
    }
    if (span > room) return tile(Space::sbuf, dtype, s.partitions, {{1, static_cast<uint32_t>(s.elements)}}, static_cast<uint32_t>(slice) * kSlice, t.partition);
    t.offset = static_cast<uint32_t>(slice) * kSlice +
               static_cast<uint32_t>((-lowest + pick(0, std::max<int64_t>(0, room - span))) * size);
    if (t.rank == 1 && t.dims[0].count == 1) t.rank = 0, t.dims[0] = {};
    return t;
  }

  Scalar scalar(const Shape& s, bool integer_only, int slice) {
    if (chance(25)) {
      Tile t = operand({s.partitions, 1}, integer_only ? integer() : any(), slice, false);
      t.rank = 0;
      t.dims = {};
      return Scalar::of_tile(t);
    }
    if (integer_only || chance(30)) return Scalar::of_int(chance(80) ? pick(-5, 70) : static_cast<int64_t>(random64()));
    return Scalar::of(value());
  }

  float value() {
    static const std::vector<float> special = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 2.0f, 3.0f, -7.5f, 1e-45f, -1e-40f, 1e-38f, 3.4e38f,
                                               -3.4e38f, INFINITY, -INFINITY, std::nanf(""), 448.0f, 464.0f, 57344.0f, 65504.0f,
                                               65520.0f, 1.0f / 3, 127.5f, 255.9f, 2147483647.0f, -2147483648.0f, 9.3e18f};
    if (chance(30)) return one_of(special);
    if (chance(50)) return std::uniform_real_distribution<float>(-4, 4)(random_);
    return std::ldexp(std::uniform_real_distribution<float>(-1, 1)(random_), static_cast<int>(pick(-30, 40)));
  }
  uint64_t random64() { return static_cast<uint64_t>(random_()) << 32 | random_(); }

  // n elements of a dtype.
  std::vector<std::byte> values(DType dtype, int64_t n) {
    std::vector<std::byte> v(static_cast<size_t>(n * isa::dtype_bytes(dtype)));
    for (int64_t i = 0; i < n; ++i) {
      std::byte* p = v.data() + i * isa::dtype_bytes(dtype);
      if (isa::is_float(dtype)) reference::store(dtype, p, reference::Number::of(value()));
      else reference::store(dtype, p, reference::Number::of(chance(70) ? pick(-9, 9) : static_cast<int64_t>(random64())));
    }
    return v;
  }

 private:
  std::mt19937 random_;
};

// One instruction between loads of all it reads and a store of what it wrote, run by both interpreters.
class Trial {
 public:
  explicit Trial(Fuzz& fuzz) : fuzz_(fuzz) {}

  void run(Instruction in) {
    machine::Machine m = load_preset("trn2");
    p_ = program({});
    p_.parameters = {{"p", DType::f32}, {"q", DType::i64}};
    dst_ = in.dst;
    if (fuzz_.chance(10)) load_everything();
    for (const Tile* t : {&in.dst, &in.dst2, &in.src0, &in.src1, &in.src2, &in.scalar0.tile, &in.scalar1.tile}) load_tile(*t);
    const uint32_t loads = loads_;
    push(updates(waits(in, 0, loads), 1));
    save_tile(in.dst);
    save_tile(in.dst2);
    if (everything_) save_everything();
    const std::vector<ParameterValue> parameters = {{2.5, 0}, {0, 3}};
    std::vector<std::vector<std::byte>> fast = data_, slow = data_;
    const Status a = run_values(p_, m, bind(fast), parameters, {});
    const Status b = run_values_reference(p_, m, bind(slow), parameters);
    ASSERT_EQ(a.ok(), b.ok()) << a.to_string() << "\n" << b.to_string() << "\n" << isa::print_text(in);
    if (!a.ok()) return;
    for (size_t i = 0; i < data_.size(); ++i) {
      canonical_nan(i, fast[i]);
      canonical_nan(i, slow[i]);
      if (fast[i] == slow[i]) continue;
      const auto at = std::mismatch(fast[i].begin(), fast[i].end(), slow[i].begin()).first - fast[i].begin();
      const int64_t size = isa::dtype_bytes(types_[i]);
      const int64_t element = at / size * size;
      const auto f = reference::load(types_[i], &fast[i][static_cast<size_t>(element)]);
      const auto s = reference::load(types_[i], &slow[i][static_cast<size_t>(element)]);
      FAIL() << isa::print_text(in) << "\nbuffer " << i << " byte " << at << ": fast " << f.f << "/" << f.i << " plain " << s.f
             << "/" << s.i;
    }
  }

 private:
  static std::vector<Binding> bind(std::vector<std::vector<std::byte>>& data) {
    std::vector<Binding> b;
    for (auto& d : data) b.push_back({d.data(), static_cast<int64_t>(d.size())});
    return b;
  }
  void push(Instruction in) { p_.streams[static_cast<size_t>(in.engine)].push_back(in); }
  int buffer(DType dtype, std::vector<std::byte> bytes) {
    isa::Buffer b;
    b.kind = isa::Buffer::Kind::output;
    b.bytes = static_cast<int64_t>(bytes.size());
    p_.buffers.push_back(b);
    data_.push_back(std::move(bytes));
    types_.push_back(dtype);
    return static_cast<int>(data_.size()) - 1;
  }
  void load_tile(const Tile& t) {
    if (!t.present()) return;
    Tile once = t;   // a repeated element is loaded once
    for (auto& d : once.dims)
      if (d.stride == 0) d = {};
    if (once.rank == 0) once.rank = 1;
    const int64_t n = once.partitions * once.elements_per_partition();
    const int b = buffer(t.dtype, fuzz_.values(t.dtype, n));
    push(updates(load(Engine::sync, once, hbm(b, t.dtype, once.partitions, once.elements_per_partition())), 0));
    ++loads_;
  }
  void save_tile(const Tile& t) {
    if (!t.present()) return;
    const int64_t n = t.elements_per_partition();
    const int b = buffer(t.dtype, std::vector<std::byte>(static_cast<size_t>(t.partitions * n * isa::dtype_bytes(t.dtype))));
    push(waits(store(Engine::sync, hbm(b, t.dtype, t.partitions, n), t), 1, 1));
  }
  // The destination slices as a whole, to see writes beside the tile.
  static Tile slice(int number) { return sbuf(DType::i32, 128, kSlice / 4, static_cast<uint32_t>(number) * kSlice); }
  void load_everything() {
    everything_ = true;
    const int b = buffer(DType::i32, std::vector<std::byte>(128 * kSlice));
    push(updates(load(Engine::sync, slice(kDst), hbm(b, DType::i32, 128, kSlice / 4)), 0));
    ++loads_;
  }
  void save_everything() {
    const int b = buffer(DType::i32, std::vector<std::byte>(128 * kSlice));
    push(waits(store(Engine::sync, hbm(b, DType::i32, 128, kSlice / 4), slice(kDst)), 1, 1));
    whole_ = b;
  }
  void canonical_nan(size_t i, std::vector<std::byte>& bytes) const {
    const DType dtype = types_[i];
    if (static_cast<int>(i) == whole_ && isa::is_float(dst_.dtype)) {
      for (int64_t p = 0; p < dst_.partitions; ++p)
        for (int64_t k = 0; k < dst_.elements_per_partition(); ++k) {
          int64_t offset = (dst_.partition + p) * int64_t{kSlice} + dst_.offset, rest = k;
          for (int d = dst_.rank - 1; d >= 0; --d) {
            offset += rest % dst_.dims[d].count * dst_.dims[d].stride * isa::dtype_bytes(dst_.dtype);
            rest /= dst_.dims[d].count;
          }
          make_canonical(dst_.dtype, &bytes[static_cast<size_t>(offset)]);
        }
      return;
    }
    if (!isa::is_float(dtype)) return;
    const int64_t size = isa::dtype_bytes(dtype);
    for (size_t k = 0; k < bytes.size(); k += static_cast<size_t>(size))
      make_canonical(dtype, &bytes[k]);
  }
  static void make_canonical(DType dtype, std::byte* p) {
    if (std::isnan(reference::load(dtype, p).f)) reference::store(dtype, p, reference::Number::of(std::nanf("")));
  }

  Fuzz& fuzz_;
  isa::Program p_;
  std::vector<std::vector<std::byte>> data_;
  std::vector<DType> types_;
  uint32_t loads_ = 0;
  bool everything_ = false;
  Tile dst_;
  int whole_ = -1;
};

class RandomValues : public testing::TestWithParam<int> {
 protected:
  Fuzz fuzz_{static_cast<uint32_t>(GetParam())};
  Engine elementwise() { return fuzz_.chance(50) ? Engine::vector : Engine::gpsimd; }
  AluOp alu(bool integers, bool reduction) {
    for (;;) {
      const auto op = static_cast<AluOp>(fuzz_.pick(1, isa::kAluOpCount - 1));
      const isa::AluOpInfo& i = isa::info(op);
      if ((reduction && !i.reduces) || (!integers && i.bitvec)) continue;
      return op;
    }
  }
};

TEST_P(RandomValues, Copy) {
  const auto s = fuzz_.shape();
  const DType from = fuzz_.any(), to = fuzz_.chance(30) ? from : fuzz_.any();
  Trial(fuzz_).run(copy(fuzz_.one_of<Engine>({Engine::vector, Engine::scalar, Engine::gpsimd}),
                        fuzz_.operand(s, to, kDst, true), fuzz_.operand(s, from, kSrc0, false)));
}

TEST_P(RandomValues, TensorTensor) {
  const auto s = fuzz_.shape();
  const bool integers = fuzz_.chance(50);
  auto type = [&] { return integers ? fuzz_.integer() : fuzz_.chance(80) ? fuzz_.floating() : fuzz_.any(); };
  const AluOp op = alu(integers, false);
  const DType to = isa::info(op).bitvec ? fuzz_.integer() : fuzz_.chance(70) ? type() : fuzz_.any();
  Trial(fuzz_).run(binary(elementwise(), op, fuzz_.operand(s, to, kDst, true), fuzz_.operand(s, type(), kSrc0, false),
                          fuzz_.operand(s, type(), kSrc1, false)));
}

TEST_P(RandomValues, TensorScalar) {
  const auto s = fuzz_.shape();
  const bool integers = fuzz_.chance(50);
  Instruction in = op(elementwise(), Opcode::tensor_scalar);
  in.op0 = alu(integers, false);
  in.reverse0 = fuzz_.chance(30);
  in.scalar0 = fuzz_.scalar(s, integers, kScalar0);
  if (fuzz_.chance(10)) in.scalar0 = Scalar::of_parameter(integers ? 1 : fuzz_.pick(0, 1));
  if (fuzz_.chance(60)) {
    do in.op1 = alu(integers, false);
    while (isa::info(in.op1).bitvec != isa::info(in.op0).bitvec);
    in.reverse1 = fuzz_.chance(30);
    in.scalar1 = fuzz_.scalar(s, integers, kScalar1);
  }
  const bool bits = isa::info(in.op0).bitvec;
  in.dst = fuzz_.operand(s, bits ? fuzz_.integer() : fuzz_.any(), kDst, true);
  in.src0 = fuzz_.operand(s, integers ? fuzz_.integer() : fuzz_.any(), kSrc0, false);
  Trial(fuzz_).run(in);
}

TEST_P(RandomValues, Reduce) {
  auto s = fuzz_.shape();
  const bool integers = fuzz_.chance(40);
  Instruction in = op(elementwise(), Opcode::tensor_reduce);
  in.op0 = alu(integers, true);
  in.src0 = fuzz_.operand(s, integers ? fuzz_.integer() : fuzz_.floating(), kSrc0, false);
  if (in.src0.rank == 0) in.src0.rank = 1;
  in.reduce_dims = static_cast<uint8_t>(fuzz_.pick(1, in.src0.rank));
  for (int d = in.src0.rank - in.reduce_dims; d < in.src0.rank; ++d) s.elements /= in.src0.dims[d].count;
  in.dst = fuzz_.operand(s, integers ? fuzz_.integer() : fuzz_.any(), kDst, true);
  Trial(fuzz_).run(in);
}

TEST_P(RandomValues, Select) {
  const auto s = fuzz_.shape();
  const bool predicated = fuzz_.chance(40);
  Instruction in = op(elementwise(), predicated ? Opcode::tensor_copy_predicated : Opcode::select);
  const DType t = fuzz_.any();
  in.dst = fuzz_.operand(s, predicated || fuzz_.chance(50) ? t : fuzz_.any(), kDst, true);
  in.src0 = fuzz_.operand(s, t, kSrc0, false);
  in.src2 = fuzz_.operand(s, fuzz_.one_of<DType>({DType::b8, DType::u8, DType::i16, DType::i32}), kSrc2, false);
  if (!predicated && fuzz_.chance(60)) in.src1 = fuzz_.operand(s, fuzz_.chance(60) ? t : fuzz_.any(), kSrc1, false);
  else if (!predicated) in.scalar0 = fuzz_.scalar(s, false, kScalar0);
  Trial(fuzz_).run(in);
}

TEST_P(RandomValues, MemsetReciprocalIota) {
  const auto s = fuzz_.shape();
  Trial(fuzz_).run(memset(elementwise(), fuzz_.operand(s, fuzz_.any(), kDst, true), fuzz_.scalar(s, false, kScalar0)));
  Instruction r = op(Engine::vector, Opcode::reciprocal);
  r.dst = fuzz_.operand(s, fuzz_.any(), kDst, true);
  r.src0 = fuzz_.operand(s, fuzz_.any(), kSrc0, false);
  Trial(fuzz_).run(r);
  Instruction i = op(Engine::gpsimd, Opcode::iota);
  i.dst = fuzz_.operand(s, fuzz_.any(), kDst, true);
  i.scalar0 = fuzz_.scalar(s, true, kScalar0);
  i.iota_partition_step = fuzz_.pick(-1000, 1000);
  for (int d = 0; d < i.dst.rank; ++d) i.iota_step[static_cast<size_t>(d)] = fuzz_.pick(-100, 100);
  Trial(fuzz_).run(i);
}

TEST_P(RandomValues, Activation) {
  auto s = fuzz_.shape();
  Instruction in = op(Engine::scalar, fuzz_.chance(40) ? Opcode::activation_reduce : Opcode::activation);
  in.fn = static_cast<ActFn>(fuzz_.pick(1, isa::kActFnCount - 1));
  if (fuzz_.chance(10)) s.elements = 3000;   // more than one row of the pipeline
  const bool large = s.elements == 3000;
  in.dst = fuzz_.operand(s, large ? DType::f32 : fuzz_.any(), kDst, true);
  in.src0 = fuzz_.operand(s, large ? DType::bf16 : fuzz_.any(), kSrc0, false);
  if (fuzz_.chance(50)) in.scalar0 = fuzz_.scalar(s, false, kScalar0);
  if (fuzz_.chance(50)) in.scalar1 = fuzz_.scalar(s, false, kScalar1);
  if (in.op == Opcode::activation_reduce) {
    in.op0 = AluOp::add;
    in.dst2 = fuzz_.operand({s.partitions, 1}, fuzz_.any(), kDst2, true);
  }
  Trial(fuzz_).run(in);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomValues, testing::Range(0, 120));

}  // namespace
}  // namespace lanewise::sim

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/tile_ops.h"

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "isa/convert.h"
#include "isa/table.h"

namespace lanewise::compiler::emit {

using isa::ActFn;
using isa::AluOp;
using isa::DType;
using isa::Engine;
using isa::Opcode;
using stage::Node;
using stage::NodeKind;

namespace {

bool narrow_integer(DType t) { return isa::is_integer(t) && isa::dtype_bytes(t) <= 2; }

// f32 holds every value of these, so Vector may compare, select and copy them.
bool fits_f32(DType t) { return isa::is_float(t) || narrow_integer(t); }

AluOp swapped(AluOp op) {
  switch (op) {
    case AluOp::less: return AluOp::greater;
    case AluOp::less_equal: return AluOp::greater_equal;
    case AluOp::greater: return AluOp::less;
    case AluOp::greater_equal: return AluOp::less_equal;
    default: return op;
  }
}

bool commutes(AluOp op) {
  switch (op) {
    case AluOp::add:
    case AluOp::multiply:
    case AluOp::maximum:
    case AluOp::minimum:
    case AluOp::equal:
    case AluOp::not_equal:
    case AluOp::logical_and:
    case AluOp::logical_or:
    case AluOp::logical_xor:
    case AluOp::bitwise_and:
    case AluOp::bitwise_or:
    case AluOp::bitwise_xor: return true;
    default: return false;
  }
}

class Selector {
 public:
  explicit Selector(const stage::Stage& stage) : stage_(stage) {
    for (int32_t atom : stage.place.free) free_ |= stage::bit(atom);
  }

  TileCode run() {
    count_uses();
    operands_.resize(stage_.nodes.size());
    for (size_t n = 0; n < stage_.nodes.size(); ++n) operands_[n] = select(static_cast<int32_t>(n));
    for (const stage::Store& store : stage_.stores) select_store(store);
    drop_dead();
    return std::move(code_);
  }

 private:
  const Node& node(int32_t n) const { return stage_.nodes[n]; }
  const Value& value(const Operand& operand) const { return code_.values[operand.value]; }
  DType source_dtype(const Node& n) const { return node(n.operands[0]).dtype; }

  void count_uses() {
    uses_.assign(stage_.nodes.size(), 0);
    for (const Node& n : stage_.nodes)
      for (int32_t operand : n.operands) ++uses_[operand];
    for (const stage::Store& store : stage_.stores) ++uses_[store.node];
  }

  Operand new_value(Value::Kind kind, DType dtype, AtomMask atoms, int32_t n) {
    Value v;
    v.kind = kind;
    v.dtype = dtype;
    v.atoms = atoms;
    v.node = n;
    v.op = n >= 0 ? node(n).op : stage_.op;
    code_.values.push_back(v);
    return Operand::of_value(static_cast<int32_t>(code_.values.size()) - 1);
  }

  // One value a partition (or the same everywhere): may be a scalar operand.
  bool is_scalar(const Operand& operand) const { return !operand.is_value() || (value(operand).atoms & free_) == 0; }

  AtomMask atoms_of(const Operand& operand) const { return operand.is_value() ? value(operand).atoms : 0; }

  TileOp make(Opcode op, Engine engine, int32_t n) const {
    TileOp t;
    t.op = op;
    t.engine = engine;
    t.ir_op = n >= 0 ? node(n).op : stage_.op;
    return t;
  }

  // Adds the op; its result is a new value over everything that it reads.
  Operand put(TileOp op, DType dtype, int32_t n) {
    AtomMask atoms = 0;
    for (const Operand& o : op.src) atoms |= atoms_of(o);
    for (const Operand& o : op.scalar) atoms |= atoms_of(o);
    const Operand result = new_value(Value::Kind::computed, dtype, atoms, n);
    op.dst = result.value;
    code_.ops.push_back(op);
    return result;
  }

  // A number as a tensor: one element a partition, read with stride 0.
  Operand as_value(const Operand& operand, DType dtype, int32_t n) {
    if (operand.is_value()) return operand;
    TileOp t = make(Opcode::memset, isa::is_float(dtype) ? Engine::vector : Engine::gpsimd, n);
    t.scalar[0] = operand;
    return put(t, dtype, n);
  }

  Operand select(int32_t n) {
    const Node& x = node(n);
    switch (x.kind) {
      case NodeKind::load: return new_value(Value::Kind::load, x.dtype, x.atoms, n);
      case NodeKind::matmul: return select_matmul(n);
      case NodeKind::constant:
        return isa::is_float(x.dtype) ? Operand::of(round_to(x.dtype, static_cast<float>(x.fvalue))) : Operand::of_int(x.ivalue);
      case NodeKind::parameter: return Operand::of_parameter(x.parameter);
      case NodeKind::iota: return select_iota(n);
      case NodeKind::unary: return isa::is_float(x.dtype) ? select_function(n) : select_integer_function(n);
      case NodeKind::binary: return select_binary(n);
      case NodeKind::select: return select_select(n);
      case NodeKind::convert: return select_convert(n);
      case NodeKind::reduce: return select_reduce(n);
    }
    LW_CHECK(false, "a node of no kind");
  }

  Operand put_iota(int32_t n, IotaPart part, DType dtype, AtomMask atoms) {
    TileOp t = make(Opcode::iota, Engine::gpsimd, n);
    t.iota = part;
    t.iota_node = n;
    const Operand result = new_value(Value::Kind::computed, dtype, atoms, n);
    t.dst = result.value;
    code_.ops.push_back(t);
    return result;
  }

  Operand select_iota(int32_t n) {
    const Node& x = node(n);
    const std::vector<int32_t>& lanes = stage_.place.partition;
    bool one_step = true;
    for (size_t i = 0; i + 1 < lanes.size(); ++i)
      one_step &= x.value.coef[lanes[i]] == x.value.coef[lanes[i + 1]] * stage_.atoms[lanes[i + 1]].size;
    if (one_step) return put_iota(n, IotaPart::all, x.dtype, x.atoms);
    // lane = (outer * size of inner + inner): take the digits apart, weigh them, add them up.
    AtomMask across = 0;
    for (int32_t atom : lanes) across |= stage::bit(atom);
    Operand sum = put_iota(n, IotaPart::without_partitions, DType::i64, x.atoms & ~across);
    const Operand lane = put_iota(n, IotaPart::lane, DType::i64, across);
    int64_t inner = 1;
    for (size_t i = lanes.size(); i-- > 0;) {
      const int64_t size = stage_.atoms[lanes[i]].size, step = x.value.coef[lanes[i]];
      if (step != 0) {
        TileOp t = make(Opcode::tensor_scalar, Engine::gpsimd, n);
        t.src[0] = lane;
        t.op0 = AluOp::floor_divide;
        t.scalar[0] = Operand::of_int(inner);
        t.op1 = AluOp::remainder;
        t.scalar[1] = Operand::of_int(size);
        const Operand digit = put(t, DType::i64, n);
        const Operand part = scalar_step(n, digit, AluOp::multiply, false, Operand::of_int(step), DType::i64, Engine::gpsimd);
        sum = tensor_step(n, sum, AluOp::add, part, DType::i64, Engine::gpsimd);
      }
      inner *= size;
    }
    if (x.dtype == DType::i64) return sum;
    TileOp t = make(Opcode::tensor_copy, Engine::gpsimd, n);
    t.src[0] = sum;
    return put(t, x.dtype, n);
  }

  // PSUM holds f32, and only Vector and Scalar reach it.
  Operand select_matmul(int32_t n) {
    const Node& x = node(n);
    const Operand psum = new_value(Value::Kind::matmul, DType::f32, x.atoms, n);
    bool direct = x.dtype == DType::f32 && uses_[n] == 1;
    for (const Node& user : stage_.nodes) {
      if (std::find(user.operands.begin(), user.operands.end(), n) == user.operands.end()) continue;
      direct &= user.kind == NodeKind::unary || (user.kind == NodeKind::binary && alu_engine(user.alu, DType::f32) == Engine::vector);
    }
    for (const stage::Store& store : stage_.stores) direct &= store.node != n;
    if (direct) return psum;
    TileOp t = make(Opcode::tensor_copy, Engine::vector, n);
    t.src[0] = psum;
    return put(t, x.dtype, n);
  }

  // x in front of a function: scale * y + bias, when only the function uses it.
  void fold_scale_and_bias(TileOp& t, int32_t operand) {
    const auto foldable = [&](int32_t n, AluOp alu) {
      const Node& x = node(n);
      return x.kind == NodeKind::binary && x.alu == alu && x.dtype == DType::f32 && uses_[n] == 1 && last_op_makes(operands_[n]);
    };
    const TileOp* made = nullptr;
    if (foldable(operand, AluOp::subtract)) return fold_difference(t);
    if (foldable(operand, AluOp::add) || foldable(operand, AluOp::multiply)) made = &code_.ops.back();
    if (made == nullptr || made->op != Opcode::tensor_scalar || made->reverse0 || made->reverse1) return;
    const bool scale_first = made->op0 == AluOp::multiply && (made->op1 == AluOp::none || made->op1 == AluOp::add);
    const bool bias_only = made->op0 == AluOp::add && made->op1 == AluOp::none;
    if (!scale_first && !bias_only) return;
    t.src[0] = made->src[0];
    if (bias_only) {
      t.scalar[1] = made->scalar[0];
    } else {
      t.scalar[0] = made->scalar[0];
      t.scalar[1] = made->scalar[1];
    }
    code_.ops.pop_back();
  }

  // (y - s), also after a scale. The negative of s is exact, and one value a partition.
  void fold_difference(TileOp& t) {
    const TileOp made = code_.ops.back();
    if (made.op != Opcode::tensor_scalar || made.reverse0 || made.reverse1) return;
    const bool alone = made.op0 == AluOp::subtract && made.op1 == AluOp::none;
    const bool scaled = made.op0 == AluOp::multiply && made.op1 == AluOp::subtract;
    if (!alone && !scaled) return;
    const Operand& subtracted = made.scalar[alone ? 0 : 1];
    if (subtracted.kind == Operand::Kind::parameter || subtracted.kind == Operand::Kind::integer) return;
    code_.ops.pop_back();
    if (subtracted.is_value()) {
      TileOp negate = make(Opcode::tensor_scalar, Engine::vector, value(subtracted).node);
      negate.ir_op = made.ir_op;
      negate.op0 = AluOp::multiply;
      negate.src[0] = subtracted;
      negate.scalar[0] = Operand::of(-1.0);
      t.scalar[1] = put(negate, DType::f32, value(subtracted).node);
    } else {
      t.scalar[1] = Operand::of(-subtracted.number);
    }
    t.src[0] = made.src[0];
    if (scaled) t.scalar[0] = made.scalar[0];
  }

  bool last_op_makes(const Operand& operand) const {
    return operand.is_value() && !code_.ops.empty() && code_.ops.back().dst == operand.value;
  }

  Operand select_function(int32_t n) {
    const Node& x = node(n);
    const Operand operand = as_value(operands_[x.operands[0]], source_dtype(x), n);
    if (x.fn == ActFn::copy && value(operand).dtype == x.dtype) return operand;
    if (x.fn == ActFn::reciprocal) {
      // divide is correctly rounded, the table function is not.
      TileOp t = make(Opcode::tensor_scalar, Engine::vector, n);
      t.op0 = AluOp::divide;
      t.reverse0 = true;
      t.src[0] = operand;
      t.scalar[0] = Operand::of(1.0);
      return put(t, x.dtype, n);
    }
    TileOp t = make(Opcode::activation, Engine::scalar, n);
    t.fn = x.fn;
    t.src[0] = operand;
    if (x.fn != ActFn::copy) fold_scale_and_bias(t, x.operands[0]);
    return put(t, x.dtype, n);
  }

  Operand scalar_step(int32_t n, const Operand& x, AluOp op, bool reverse, const Operand& scalar, DType dtype, Engine engine) {
    TileOp t = make(Opcode::tensor_scalar, engine, n);
    t.op0 = op;
    t.reverse0 = reverse;
    t.src[0] = x;
    t.scalar[0] = scalar;
    return put(t, dtype, n);
  }

  Operand tensor_step(int32_t n, const Operand& a, AluOp op, const Operand& b, DType dtype, Engine engine) {
    TileOp t = make(Opcode::tensor_tensor, engine, n);
    t.op0 = op;
    t.src[0] = a;
    t.src[1] = b;
    return put(t, dtype, n);
  }

  Operand select_integer_function(int32_t n) {
    const Node& x = node(n);
    const Operand operand = as_value(operands_[x.operands[0]], x.dtype, n);
    const bool unsigned_integer = x.dtype == DType::u8 || x.dtype == DType::b8;
    if (x.fn == ActFn::copy || (x.fn == ActFn::abs && unsigned_integer)) return operand;
    if (x.fn == ActFn::abs) {
      const Operand negative = scalar_step(n, operand, AluOp::subtract, true, Operand::of_int(0), x.dtype, Engine::gpsimd);
      return tensor_step(n, operand, AluOp::maximum, negative, x.dtype, Engine::gpsimd);
    }
    const Operand above = scalar_step(n, operand, AluOp::greater, false, Operand::of_int(0), x.dtype, Engine::gpsimd);
    const Operand below = scalar_step(n, operand, AluOp::less, false, Operand::of_int(0), x.dtype, Engine::gpsimd);
    return tensor_step(n, above, AluOp::subtract, below, x.dtype, Engine::gpsimd);
  }

  Engine alu_engine(AluOp op, DType dtype) const {
    if (isa::is_float(dtype)) return op == AluOp::power ? Engine::gpsimd : Engine::vector;
    if (isa::dtype_bytes(dtype) > 2) return Engine::gpsimd;
    const isa::AluOpInfo& info = isa::info(op);
    return info.comparison || info.logical || info.bitvec ? Engine::vector : Engine::gpsimd;
  }

  Operand select_binary(int32_t n) {
    const Node& x = node(n);
    const DType dtype = source_dtype(x);
    const Engine engine = alu_engine(x.alu, dtype);
    int32_t from = x.operands[0];                 // the node that `a` stands for
    Operand a = operands_[from], b = operands_[x.operands[1]];
    if (!a.is_value() && !b.is_value()) a = as_value(a, dtype, n);
    if (engine == Engine::gpsimd && isa::is_float(dtype)) {
      // GpSimd would compute integers that stand for floats as integers.
      for (Operand* operand : {&a, &b})
        if (operand->is_value() && isa::is_integer(value(*operand).dtype)) *operand = copy_as(*operand, dtype, n);
    }
    if (!is_scalar(a) && !is_scalar(b)) return tensor_step(n, a, x.alu, b, x.dtype, engine);
    // One of them can be the scalar operand: b, or after a swap.
    AluOp alu = x.alu;
    bool reverse = false;
    if (!is_scalar(b) || !a.is_value()) {
      std::swap(a, b);
      from = x.operands[1];
      if (commutes(alu) || swapped(alu) != alu) {
        alu = swapped(alu);
      } else {
        reverse = true;
      }
    }
    // (y op s0) op s1 is one instruction when nobody else wants y op s0.
    if (uses_[from] == 1 && last_op_makes(a) && same_rounding(from) && b.value != a.value) {
      const TileOp& made = code_.ops.back();
      const bool mixed = isa::info(made.op0).bitvec != isa::info(alu).bitvec;
      if (made.op == Opcode::tensor_scalar && made.engine == engine && made.op1 == AluOp::none && !mixed && !is_boolean(made.op0)) {
        TileOp t = made;
        code_.ops.pop_back();
        t.op1 = alu;
        t.reverse1 = reverse;
        t.scalar[1] = b;
        t.ir_op = x.op;
        return put(t, x.dtype, n);
      }
    }
    return scalar_step(n, a, alu, reverse, b, x.dtype, engine);
  }

  static bool is_boolean(AluOp op) { return isa::info(op).comparison || isa::info(op).logical; }

  // Between two steps of one instruction nothing is rounded to a narrow dtype.
  bool same_rounding(int32_t n) const { return node(n).dtype == DType::f32 || node(n).dtype == DType::i64; }

  Operand copy_as(const Operand& operand, DType dtype, int32_t n) {
    TileOp t = make(Opcode::tensor_copy, Engine::vector, n);
    t.src[0] = operand;
    return put(t, dtype, n);
  }

  Operand select_select(int32_t n) {
    const Node& x = node(n);
    const Engine engine = fits_f32(x.dtype) ? Engine::vector : Engine::gpsimd;
    TileOp t = make(Opcode::select, engine, n);
    const Operand predicate = as_value(operands_[x.operands[0]], DType::b8, n);
    const Operand yes = as_value(operands_[x.operands[1]], x.dtype, n);
    const Operand no = operands_[x.operands[2]];
    t.src[2] = predicate;
    t.src[0] = yes;
    if (no.is_value()) {
      t.src[1] = no;
    } else {
      t.scalar[0] = no;
    }
    return put(t, x.dtype, n);
  }

  Operand convert_number(const Operand& operand, DType from, DType to) {
    if (operand.kind == Operand::Kind::number) {
      if (isa::is_float(to)) return Operand::of(round_to(to, static_cast<float>(operand.number)));
      if (to == DType::b8) return Operand::of_int(operand.number != 0);
      if (std::abs(operand.number) < 9e18 && isa::dtype_bytes(to) >= 4) return Operand::of_int(static_cast<int64_t>(operand.number));
    } else if (operand.kind == Operand::Kind::integer) {
      if (isa::is_float(to)) return Operand::of(round_to(to, static_cast<float>(operand.integer)));
      if (to == DType::b8) return Operand::of_int(operand.integer != 0);
      if (to == DType::i64 || (to == DType::i32 && operand.integer == static_cast<int32_t>(operand.integer))) return operand;
    }
    (void)from;
    return {};
  }

  static float round_to(DType to, float v) {
    switch (to) {
      case DType::bf16: return isa::bf16_to_f32(isa::f32_to_bf16(v));
      case DType::f16: return isa::f16_to_f32(isa::f32_to_f16(v));
      case DType::f8e4m3: return isa::f8e4m3_to_f32(isa::f32_to_f8e4m3(v));
      case DType::f8e5m2: return isa::f8e5m2_to_f32(isa::f32_to_f8e5m2(v));
      default: return v;
    }
  }

  Operand select_convert(int32_t n) {
    const Node& x = node(n);
    const DType from = source_dtype(x), to = x.dtype;
    Operand operand = operands_[x.operands[0]];
    if (from == to) return operand;
    if (!operand.is_value()) {
      if (const Operand folded = convert_number(operand, from, to); folded.present()) return folded;
      operand = as_value(operand, from, n);
    }
    // Engines read as f32. Integers that f32 cannot hold must be rounded once, here.
    if (to == DType::f32 && fits_f32(from)) return operand;
    if (to == DType::b8) {
      const Engine engine = fits_f32(from) ? Engine::vector : Engine::gpsimd;
      return scalar_step(n, operand, AluOp::not_equal, false, isa::is_float(from) ? Operand::of(0.0) : Operand::of_int(0), to, engine);
    }
    // The producer can round by itself.
    if (uses_[x.operands[0]] == 1 && last_op_makes(operand) && node(x.operands[0]).dtype == value(operand).dtype && to != DType::i64) {
      const TileOp& made = code_.ops.back();
      const bool f32_result = isa::is_float(from) && from == DType::f32;
      const bool exact_result = isa::is_integer(from) && isa::is_integer(to) && from == DType::i64 && made.engine == Engine::gpsimd;
      // A copy between integers would not pass through f32.
      const bool skips_f32 = made.op == Opcode::tensor_copy && isa::is_integer(to) && isa::is_integer(value(made.src[0]).dtype) && f32_result;
      if ((f32_result || exact_result) && !skips_f32 && made.op != Opcode::tensor_reduce && made.op != Opcode::activation_reduce) {
        code_.values[operand.value].dtype = to;
        return operand;
      }
    }
    const bool exact = isa::is_integer(from) && isa::is_integer(to);
    TileOp t = make(Opcode::tensor_copy, exact ? Engine::gpsimd : Engine::vector, n);
    t.src[0] = operand;
    return put(t, to, n);
  }

  Operand select_reduce(int32_t n) {
    const Node& x = node(n);
    const Operand operand = as_value(operands_[x.operands[0]], source_dtype(x), n);
    const AtomMask reduced = stage_.reduced();
    // Partial results stay f32; the dtype's rounding comes once.
    const DType sum = isa::is_float(x.dtype) ? DType::f32 : x.dtype;
    const Operand result = new_value(Value::Kind::computed, sum, atoms_of(operand) & ~reduced, n);
    if (x.alu == AluOp::add && sum_in_function(x.operands[0], operand, result.value)) {
      code_.ops.back().ir_op = x.op;
    } else {
      TileOp t = make(Opcode::tensor_reduce, isa::is_float(x.dtype) ? Engine::vector : Engine::gpsimd, n);
      t.op0 = x.alu;
      t.src[0] = operand;
      t.reduced = reduced;
      t.dst = result.value;
      code_.ops.push_back(t);
    }
    if (sum == x.dtype) return result;
    TileOp t = make(Opcode::tensor_copy, Engine::vector, n);
    t.src[0] = result;
    return put(t, x.dtype, n);
  }

  // The Scalar engine sums what a function gives, if a whole row is summed in the function's own f32.
  bool sum_in_function(int32_t from, const Operand& operand, int32_t result) {
    if (!last_op_makes(operand) || value(operand).dtype != DType::f32 || node(from).dtype != DType::f32) return false;
    const AtomMask reduced = stage_.reduced();
    if ((value(operand).atoms & free_ & ~reduced) != 0 || (value(operand).atoms & reduced) != reduced) return false;
    TileOp& made = code_.ops.back();
    if (made.op == Opcode::tensor_tensor && made.op0 == AluOp::multiply && made.src[0].value == made.src[1].value) {
      made.op = Opcode::activation;
      made.engine = Engine::scalar;
      made.fn = ActFn::square;
      made.src[1] = Operand{};
    } else if (made.op != Opcode::activation) {
      return false;
    }
    made.op = Opcode::activation_reduce;
    made.op0 = AluOp::add;
    made.reduced = reduced;
    made.dst2 = result;
    return true;
  }

  void select_store(const stage::Store& store) {
    const Node& x = node(store.node);
    Operand operand = operands_[store.node];
    const AtomMask wanted = store.access.at.atoms() & free_;
    if (!operand.is_value() || (wanted & ~atoms_of(operand)) != 0) {
      // The same value along free atoms: spread it, so that the DMA has runs to read.
      const bool number = !operand.is_value();
      const bool exact = isa::is_integer(x.dtype) && !fits_f32(x.dtype);
      TileOp t = make(number ? Opcode::memset : Opcode::tensor_copy, exact ? Engine::gpsimd : Engine::vector, store.node);
      (number ? t.scalar[0] : t.src[0]) = operand;
      const Operand spread = put(t, x.dtype, store.node);
      code_.values[spread.value].atoms |= wanted;
      operand = spread;
    }
    code_.values[operand.value].stored = true;
    code_.stores.push_back({operand.value, store.access});
  }

  void drop_dead() {
    std::vector<bool> live(code_.values.size(), false);
    for (const TileStore& store : code_.stores) live[store.value] = true;
    std::vector<TileOp> kept;
    for (size_t i = code_.ops.size(); i-- > 0;) {
      const TileOp& op = code_.ops[i];
      if (!live[op.dst] && (op.dst2 < 0 || !live[op.dst2])) continue;
      live[op.dst] = true;   // activation_reduce writes both
      for (const Operand& o : op.src)
        if (o.is_value()) live[o.value] = true;
      for (const Operand& o : op.scalar)
        if (o.is_value()) live[o.value] = true;
      kept.push_back(op);
    }
    std::reverse(kept.begin(), kept.end());
    code_.ops = std::move(kept);
    for (size_t v = 0; v < code_.values.size(); ++v) code_.values[v].live = live[v];
  }

  const stage::Stage& stage_;
  AtomMask free_ = 0;
  std::vector<int32_t> uses_;
  std::vector<Operand> operands_;    // by node
  TileCode code_;
};

}  // namespace

TileCode select_tile_ops(const stage::Stage& stage) { return Selector(stage).run(); }

}  // namespace lanewise::compiler::emit

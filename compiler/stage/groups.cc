// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/groups.h"

#include <algorithm>

#include "compiler/stage/shape.h"

namespace lanewise::compiler::stage {

using ir::OpKind;

bool is_view(OpKind kind) {
  return kind == OpKind::reshape || kind == OpKind::permute || kind == OpKind::broadcast || kind == OpKind::slice;
}

bool is_generator(OpKind kind) {
  return kind == OpKind::constant || kind == OpKind::parameter || kind == OpKind::iota;
}

bool is_transparent(const ir::Module& module, int32_t op) {
  const ir::Op& o = module.ops[op];
  if (is_view(o.kind)) return true;
  if (o.kind != OpKind::convert) return false;
  // Engines read every dtype as f32, so a widening conversion costs nothing wherever it is repeated.
  const isa::DType from = module.ops[o.operands[0]].dtype;
  return o.dtype == isa::DType::f32 && isa::is_float(from);
}

namespace {

constexpr int kFewSteps = 5;
// Ops of one group. Longer chains are cut: a stage must fit SBUF and the builder's recursion the stack.
constexpr int kMostOps = 200;

class Grouper {
 public:
  Grouper(const ir::Module& module, const Decisions& decisions, std::vector<Buffer>& buffers)
      : module_(module), decisions_(decisions), buffers_(buffers), users_(module.ops.size()), heavy_(module.ops.size(), Heavy::none) {
    g_.group_of.assign(module.ops.size(), -1);
    g_.destinations.resize(module.ops.size());
    g_.home.assign(module.ops.size(), -1);
    g_.decisions = decisions;
  }

  Grouping run() {
    for (const ir::Store& store : module_.stores) {
      const int32_t buffer = store.index + (store.to_input ? 0 : module_.inputs);
      add_destination(store.value, {buffer, 0, store.strides});
    }
    for (int32_t op = static_cast<int32_t>(module_.ops.size()); op-- > 0;) visit(op);
    std::reverse(g_.groups.begin(), g_.groups.end());
    const int32_t last = static_cast<int32_t>(g_.groups.size()) - 1;
    for (int32_t& group : g_.group_of)
      if (group >= 0) group = last - group;
    return std::move(g_);
  }

 private:
  // Who wants it in memory. A matmul takes a constant as a number.
  enum class Heavy : uint8_t { none, matmul, gather };

  const ir::Op& op(int32_t number) const { return module_.ops[number]; }

  // Moves a destination through views towards the value that is computed, as far as the memory order allows.
  void add_destination(int32_t value, Destination destination) {
    for (;;) {
      const ir::Op& o = op(value);
      if (decisions_.isolated.count(value)) break;
      if (o.kind == OpKind::permute) {
        Shape strides(o.shape.size());
        for (size_t d = 0; d < o.dims.size(); ++d) strides[o.dims[d]] = destination.strides[d];
        destination.strides = strides;
      } else if (o.kind == OpKind::reshape) {
        auto strides = reshape_strides(o.shape, destination.strides, op(o.operands[0]).shape);
        if (!strides) break;
        destination.strides = *strides;
      } else {
        break;
      }
      value = o.operands[0];
    }
    g_.destinations[value].push_back(std::move(destination));
  }

  void use(int32_t value, int32_t group) {
    std::vector<int32_t>& users = users_[value];
    if (std::find(users.begin(), users.end(), group) == users.end()) users.push_back(group);
  }

  int32_t new_group(int32_t root) {
    g_.groups.push_back({root, {root}, false});
    members_.push_back(1);
    return static_cast<int32_t>(g_.groups.size()) - 1;
  }

  // Others read the value: from a new output's buffer when there is one, else from scratch. Never from an input's
  // memory, which other stores may change, nor from a part of a concat, which its readers may be writers of.
  void give_home(int32_t number) {
    std::vector<Destination>& destinations = g_.destinations[number];
    const ir::Op& o = op(number);
    // What was isolated is read through a reshape: only row-major memory will do.
    const bool row_major = decisions_.isolated.count(number) != 0;
    for (size_t i = 0; i < destinations.size(); ++i) {
      if (buffers_[destinations[i].buffer].kind == Buffer::Kind::input || destinations[i].part) continue;
      if (row_major && destinations[i].strides != row_major_strides(o.shape)) continue;
      destinations[i].read = true;
      g_.home[number] = static_cast<int32_t>(i);
      return;
    }
    Buffer scratch;
    scratch.name = "scratch of %" + std::to_string(number);
    scratch.bytes = o.elements() * isa::dtype_bytes(o.dtype);
    scratch.alias_group = static_cast<int32_t>(buffers_.size());
    destinations.push_back({static_cast<int32_t>(buffers_.size()), 0, row_major_strides(o.shape), true, false});
    buffers_.push_back(scratch);
    g_.home[number] = static_cast<int32_t>(destinations.size()) - 1;
  }

  // A value that several groups want may be computed in each of them: when it follows in a few steps from memory that is
  // no larger than itself, reading that memory again costs less than writing and reading the value.
  struct Cone {
    int steps = 0;
    int64_t bytes = 0;
    bool cheap = true;
  };
  void add_to_cone(int32_t number, Cone& cone) const {
    const ir::Op& o = op(number);
    if (is_generator(o.kind)) return;
    if (is_transparent(module_, number)) return add_to_cone(o.operands[0], cone);
    const bool computed = o.kind == OpKind::unary || o.kind == OpKind::binary || o.kind == OpKind::select || o.kind == OpKind::convert;
    if (!computed) {
      cone.bytes += o.elements() * isa::dtype_bytes(o.dtype);
      return;
    }
    cone.steps += o.kind == OpKind::unary ? 2 : 1;
    if (cone.steps > kFewSteps || !g_.destinations[number].empty()) {
      cone.cheap = false;
      return;
    }
    for (int32_t operand : o.operands) add_to_cone(operand, cone);
  }
  bool cheaper_again(int32_t number) const {
    const ir::Op& o = op(number);
    Cone cone;
    add_to_cone(number, cone);
    return cone.cheap && cone.bytes <= o.elements() * isa::dtype_bytes(o.dtype) * 5 / 4;
  }

  void visit(int32_t number) {
    const ir::Op& o = op(number);
    const bool isolated = decisions_.isolated.count(number) != 0;
    const bool written = !g_.destinations[number].empty();
    std::vector<int32_t>& users = users_[number];
    const bool heavy = heavy_[number] != Heavy::none;
    if (!written && users.empty() && !heavy) return;   // dead
    if (o.kind == OpKind::concat || o.kind == OpKind::pad) return visit_parts(number);
    const bool pointwise = o.kind == OpKind::unary || o.kind == OpKind::binary || o.kind == OpKind::select || o.kind == OpKind::convert;
    const bool again = pointwise && !written && !heavy && !isolated && users.size() > 1 && cheaper_again(number);
    if (again || o.kind == OpKind::input || is_generator(o.kind) || is_transparent(module_, number)) {
      const bool by_number = o.kind == OpKind::constant && heavy_[number] == Heavy::matmul;
      const bool must_exist = isolated || (heavy && is_generator(o.kind) && !by_number);
      const int32_t group = written || must_exist ? new_group(number) : -1;
      if (must_exist) give_home(number);
      g_.group_of[number] = group;
      for (int32_t operand : o.operands) {
        if (group >= 0) use(operand, group);
        if (isolated) continue;
        for (int32_t user : users) use(operand, user);
        heavy_[operand] = std::max(heavy_[operand], heavy_[number]);
      }
      return;
    }
    const bool gathers = o.kind == OpKind::gather;
    const bool multiplies = o.kind == OpKind::matmul;
    const bool read = std::any_of(g_.destinations[number].begin(), g_.destinations[number].end(), [](const Destination& d) { return d.read; });
    const bool alone = isolated || read || heavy || users.size() != 1 || gathers ||
                       members_[users[0]] >= kMostOps || (multiplies && (written || decisions_.no_epilogue.count(number)));
    const int32_t group = alone ? new_group(number) : users[0];
    g_.group_of[number] = group;
    ++members_[group];
    if (written && !alone) g_.groups[group].values.push_back(number);
    if (alone && (isolated || heavy || !users.empty())) give_home(number);
    for (int32_t operand : o.operands) {
      if (gathers || multiplies) {
        heavy_[operand] = std::max(heavy_[operand], gathers ? Heavy::gather : Heavy::matmul);
      } else {
        use(operand, group);
      }
    }
  }

  // concat and pad compute nothing: their operands are written straight into the result's memory.
  void visit_parts(int32_t number) {
    const ir::Op& o = op(number);
    if (!users_[number].empty() || heavy_[number] != Heavy::none) give_home(number);
    const std::vector<Destination> destinations = g_.destinations[number];
    if (o.kind == OpKind::concat) {
      int64_t at = 0;
      for (int32_t operand : o.operands) {
        for (Destination d : destinations) {
          d.offset += at * d.strides[o.dims[0]];
          d.part = true;
          add_destination(operand, std::move(d));
        }
        at += op(operand).shape[o.dims[0]];
      }
      return;
    }
    // The fill is a group of its own whose space is the whole result; its root is the pad op itself.
    const int32_t group = new_group(number);
    g_.groups[group].fill = true;
    use(o.operands[1], group);
    for (Destination d : destinations) {
      for (size_t i = 0; i < o.shape.size(); ++i) {
        d.offset += o.starts[i] * d.strides[i];
        d.strides[i] *= o.steps[i];
      }
      d.part = true;
      add_destination(o.operands[0], std::move(d));
    }
  }

  const ir::Module& module_;
  const Decisions& decisions_;
  std::vector<Buffer>& buffers_;
  std::vector<std::vector<int32_t>> users_;   // groups that use the op, by op
  std::vector<Heavy> heavy_;                  // by op
  std::vector<int> members_;                  // ops, by group
  Grouping g_;
};

}  // namespace

Grouping make_groups(const ir::Module& module, const Decisions& decisions, std::vector<Buffer>& buffers) {
  return Grouper(module, decisions, buffers).run();
}

}  // namespace lanewise::compiler::stage

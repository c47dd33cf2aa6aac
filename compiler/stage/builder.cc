// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/builder.h"

#include <algorithm>
#include <map>

#include "compiler/stage/index_map.h"

namespace lanewise::compiler::stage {

using ir::OpKind;

namespace {

// Below this many rows, a long reduction and what uses its result are better two stages: the second one can spread over
// all partitions. (A round trip through device memory costs about what 4096 elements of one partition cost.)
constexpr int64_t kFewRows = 64;
constexpr int64_t kLongRow = 8192;

// Atoms come from the root's dimensions (origin d) or from reductions (origin kReducedOrigin + n). Splits are kept by
// origin, so that a build that starts again makes the atoms in parts from the beginning.
constexpr int kReducedOrigin = 16;
using Splits = std::map<int, Shape>;

struct AtomOrigin {
  int origin, part;
};

class Builder {
 public:
  Builder(const ir::Module& module, const Grouping& grouping, int32_t group, const std::vector<Buffer>& buffers,
          Decisions& decisions, Splits& splits)
      : module_(module), grouping_(grouping), group_(group), buffers_(buffers), decisions_(decisions), splits_(splits) {}

  enum class Outcome { done, again, regroup, empty };
  Outcome build(Stage& stage);

 private:
  const ir::Op& op(int32_t number) const { return module_.ops[number]; }
  const Group& group() const { return grouping_.groups[group_]; }

  Coords new_atoms(const Shape& sizes, int first_origin, Atom::Role role);
  int32_t demand(int32_t number, const Coords& coords);
  int32_t demand_uncached(int32_t number, const Coords& coords);
  int32_t load(int32_t number, const Coords& coords);
  int32_t reshape(int32_t number, const Coords& coords);
  int32_t reduce(int32_t number, const Coords& coords);
  int32_t matmul(int32_t number, const Coords& coords);
  bool gather();
  bool bind(const Shape& sizes, const std::vector<int>& atoms, Coords& out);
  std::optional<Access> leaf(int32_t number, Coords coords);
  std::optional<Access> direct(int32_t number, const Coords& coords) const;
  std::optional<Access> contiguous_reshape(int32_t number, const Coords& coords);
  bool is_leaf(int32_t number) const;
  int32_t add(Node node);
  int32_t give_up(int32_t number);
  int32_t ask_split(int32_t number, const SplitRequest& split);
  bool store_value(int32_t number);

  const ir::Module& module_;
  const Grouping& grouping_;
  const int32_t group_;
  const std::vector<Buffer>& buffers_;
  Decisions& decisions_;
  Splits& splits_;
  Stage stage_;
  std::vector<AtomOrigin> origins_;
  std::map<int32_t, std::vector<std::pair<Coords, int32_t>>> nodes_of_;   // by op
  std::vector<int> reduced_;          // atoms, outermost first
  int32_t matmul_op_ = -1;
  double number_ = 0;                 // of the constant that leaf() came to
  int reductions_ = 0;                // origins given out
  bool again_ = false, regroup_ = false;
};

Coords Builder::new_atoms(const Shape& sizes, int first_origin, Atom::Role role) {
  Coords coords;
  for (size_t d = 0; d < sizes.size(); ++d) {
    Affine at;
    if (sizes[d] > 1) {
      const int origin = first_origin + static_cast<int>(d);
      Shape& parts = splits_[origin];
      if (parts.empty()) parts = {sizes[d]};
      int64_t stride = sizes[d];
      for (size_t k = 0; k < parts.size(); ++k) {
        stride /= parts[k];
        at.coef[stage_.atoms.size()] = stride;
        if (role == Atom::Role::reduced) reduced_.push_back(static_cast<int>(stage_.atoms.size()));
        stage_.atoms.push_back({parts[k], role});
        origins_.push_back({origin, static_cast<int>(k)});
      }
    }
    coords.push_back(at);
  }
  return coords;
}

int32_t Builder::give_up(int32_t number) {
  // Isolating twice would not help: that would be a loop of ours.
  LW_CHECK(!grouping_.decisions.isolated.count(number), "op %" + std::to_string(number) + " is isolated already");
  decisions_.isolated.insert(number);
  regroup_ = true;
  return -1;
}

// A split when one helps, else op `number` becomes contiguous memory.
int32_t Builder::ask_split(int32_t number, const SplitRequest& split) {
  const int atom = split.atom;
  if (atom < 0 || stage_.atoms[atom].role == Atom::Role::contracted || stage_.atoms.size() + 1 >= kMaxBuiltAtoms) return give_up(number);
  Shape& parts = splits_[origins_[atom].origin];
  const int part = origins_[atom].part;
  parts[part] /= split.inner;
  parts.insert(parts.begin() + part + 1, split.inner);
  again_ = true;
  return -1;
}

int32_t Builder::add(Node node) {
  AtomMask mask = 0;
  if (node.kind == NodeKind::load) {
    for (size_t i = 0; i < stage_.nodes.size(); ++i)
      if (stage_.nodes[i].kind == NodeKind::load && stage_.nodes[i].access == node.access) return static_cast<int32_t>(i);
    mask = node.access.at.atoms();
  } else if (node.kind == NodeKind::iota) {
    mask = node.value.atoms();
  }
  for (int32_t operand : node.operands) mask |= stage_.nodes[operand].atoms;
  if (node.kind == NodeKind::reduce)
    for (int atom : reduced_) mask &= ~bit(atom);
  node.atoms = mask;
  stage_.nodes.push_back(std::move(node));
  return static_cast<int32_t>(stage_.nodes.size()) - 1;
}

bool Builder::is_leaf(int32_t number) const {
  if (grouping_.group_of[number] == group_ && group().root == number) return op(number).kind == OpKind::input;
  return grouping_.home[number] >= 0 || op(number).kind == OpKind::input;
}

std::optional<Access> Builder::direct(int32_t number, const Coords& coords) const {
  const bool own_root = grouping_.group_of[number] == group_ && group().root == number;
  if (grouping_.home[number] >= 0 && !own_root) {
    const Destination& home = grouping_.destinations[number][grouping_.home[number]];
    return Access{home.buffer, op(number).dtype, dot(coords, home.strides, home.offset)};
  }
  if (op(number).kind == OpKind::input) return Access{op(number).index, op(number).dtype, dot(coords, op(number).strides, op(number).offset)};
  return std::nullopt;
}

int32_t Builder::load(int32_t number, const Coords& coords) {
  Node node;
  node.kind = NodeKind::load;
  node.op = number;
  node.dtype = op(number).dtype;
  node.access = *direct(number, coords);
  return add(std::move(node));
}

// A reshape of evenly spaced memory needs no digits: the flat index is enough.
std::optional<Access> Builder::contiguous_reshape(int32_t number, const Coords& coords) {
  int32_t base = op(number).operands[0];
  while (op(base).kind == OpKind::reshape && !is_leaf(base)) base = op(base).operands[0];
  if (!is_leaf(base)) return std::nullopt;
  Shape strides;
  if (grouping_.home[base] >= 0) {
    strides = grouping_.destinations[base][grouping_.home[base]].strides;
  } else {
    strides = op(base).strides;
  }
  const auto seen = reshape_strides(op(base).shape, strides, op(number).shape);
  if (!seen) return std::nullopt;
  const auto first = direct(base, Coords(op(base).shape.size()));
  return Access{first->buffer, first->dtype, dot(coords, *seen, first->at.offset)};
}

int32_t Builder::reshape(int32_t number, const Coords& coords) {
  if (const auto access = contiguous_reshape(number, coords)) {
    Node node;
    node.kind = NodeKind::load;
    node.op = number;
    node.dtype = op(number).dtype;
    node.access = *access;
    return add(std::move(node));
  }
  const int32_t operand = op(number).operands[0];
  SplitRequest split;
  const auto inner = reshape_coords(op(number).shape, coords, op(operand).shape, stage_.atoms, split);
  if (inner) return demand(operand, *inner);
  return ask_split(operand, split);
}

int32_t Builder::demand(int32_t number, const Coords& coords) {
  if (again_ || regroup_) return -1;
  auto& known = nodes_of_[number];
  for (const auto& [at, node] : known)
    if (at == coords) return node;
  const int32_t node = demand_uncached(number, coords);
  if (node >= 0) nodes_of_[number].emplace_back(coords, node);
  return node;
}

int32_t Builder::demand_uncached(int32_t number, const Coords& coords) {
  const ir::Op& o = op(number);
  if (is_leaf(number)) return load(number, coords);
  switch (o.kind) {
    case OpKind::permute: {
      Coords inner(coords.size());
      for (size_t d = 0; d < coords.size(); ++d) inner[o.dims[d]] = coords[d];
      return demand(o.operands[0], inner);
    }
    case OpKind::slice: {
      Coords inner(coords.size());
      for (size_t d = 0; d < coords.size(); ++d) {
        inner[d].add(coords[d], o.steps[d]);
        inner[d].offset += o.starts[d];
      }
      return demand(o.operands[0], inner);
    }
    case OpKind::reshape: return reshape(number, coords);
    case OpKind::reduce: return reduce(number, coords);
    case OpKind::matmul: return matmul(number, coords);
    default: break;
  }
  Node node;
  node.op = number;
  node.dtype = o.dtype;
  switch (o.kind) {
    case OpKind::constant:
      node.kind = NodeKind::constant;
      node.fvalue = o.fvalue;
      node.ivalue = o.ivalue;
      return add(node);
    case OpKind::parameter:
      node.kind = NodeKind::parameter;
      node.parameter = o.index;
      return add(node);
    case OpKind::iota: {
      node.kind = NodeKind::iota;
      node.value = Affine::constant(o.ivalue);
      node.value.add(coords[o.dims[0]], o.step);
      return add(node);
    }
    case OpKind::broadcast:
    case OpKind::unary:
    case OpKind::binary:
    case OpKind::select:
    case OpKind::convert: break;
    default: LW_CHECK(false, "an op that is never demanded");
  }
  for (int32_t operand : o.operands) {
    Coords inner = coords;
    for (size_t d = 0; d < coords.size(); ++d)
      if (op(operand).shape[d] == 1) inner[d] = Affine{};
    const int32_t value = demand(operand, inner);
    if (value < 0) return -1;
    if (o.kind == OpKind::broadcast) return value;
    node.operands.push_back(value);
  }
  node.kind = o.kind == OpKind::unary ? NodeKind::unary : o.kind == OpKind::binary ? NodeKind::binary
              : o.kind == OpKind::select ? NodeKind::select : NodeKind::convert;
  node.fn = o.fn;
  node.alu = o.alu;
  return add(std::move(node));
}

// Writes the indices of dimensions of `sizes` with the given atoms, used up in order.
bool Builder::bind(const Shape& sizes, const std::vector<int>& atoms, Coords& out) {
  size_t next = 0;
  out.assign(sizes.size(), Affine{});
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    int64_t rest = sizes[d];
    while (rest > 1) {
      if (next == atoms.size()) return false;
      const int atom = atoms[next++];
      const int64_t size = stage_.atoms[atom].size;
      if (rest % size == 0) {
        rest /= size;
        out[d].coef[atom] = rest;
      } else if (size % rest == 0 && stage_.atoms.size() + 1 < kMaxBuiltAtoms) {
        ask_split(-1, {atom, size / rest});
        return false;
      } else {
        return false;
      }
    }
  }
  return next == atoms.size();
}

int32_t Builder::reduce(int32_t number, const Coords& coords) {
  const ir::Op& o = op(number);
  const Shape& from = op(o.operands[0]).shape;
  Shape sizes;
  for (int64_t d : o.dims) sizes.push_back(from[d]);
  int64_t total = 1;
  for (int64_t size : sizes) total *= size;
  if (total == 0) {
    Node node;
    node.op = number;
    node.dtype = o.dtype;
    node.fvalue = static_cast<double>(node.ivalue = o.alu == isa::AluOp::multiply ? 1 : 0);
    return add(node);
  }
  AtomMask used = 0;
  for (const Affine& c : coords) used |= c.atoms();
  Coords bound(sizes.size());
  if (total > 1) {
    if (matmul_op_ >= 0) {
      // A matmul's tiles hold only part of its rows. It goes to memory of its own.
      decisions_.no_epilogue.insert(matmul_op_);
      regroup_ = true;
      return -1;
    }
    if (reduced_.empty()) {
      std::vector<int> unused;
      for (size_t a = 0; a < stage_.atoms.size(); ++a)
        if (!contains(used, static_cast<int>(a))) unused.push_back(static_cast<int>(a));
      if (unused.empty()) {
        if (stage_.atoms.size() + sizes.size() + 2 > kMaxBuiltAtoms) return give_up(number);
        bound = new_atoms(sizes, kReducedOrigin + 8 * reductions_++, Atom::Role::reduced);
      } else {
        if (!bind(sizes, unused, bound)) return again_ ? -1 : give_up(number);
        reduced_ = unused;
      }
      for (int atom : reduced_) stage_.atoms[atom].role = Atom::Role::reduced;
    } else {
      for (int atom : reduced_)
        if (contains(used, atom)) return give_up(number);
      // Every kept atom must be in its index, or the same sums would be made many times.
      for (size_t a = 0; a < stage_.atoms.size(); ++a)
        if (stage_.atoms[a].role == Atom::Role::kept && !contains(used, static_cast<int>(a))) return give_up(number);
      if (!bind(sizes, reduced_, bound)) return again_ ? -1 : give_up(number);
    }
  }
  Coords inner = coords;
  for (size_t k = 0; k < sizes.size(); ++k) inner[o.dims[k]] = bound[k];
  const int32_t value = demand(o.operands[0], inner);
  if (value < 0) return -1;
  if (total == 1) return value;
  Node node;
  node.kind = NodeKind::reduce;
  node.op = number;
  node.dtype = o.dtype;
  node.alu = o.alu;
  node.operands = {value};
  return add(std::move(node));
}

// An operand of a matmul or gather: memory seen through views.
std::optional<Access> Builder::leaf(int32_t number, Coords coords) {
  for (;;) {
    const ir::Op& o = op(number);
    if (is_leaf(number)) return direct(number, coords);
    if (o.kind == OpKind::constant) {
      number_ = o.fvalue;
      return Access{-1, o.dtype, {}};
    }
    switch (o.kind) {
      case OpKind::permute: {
        Coords inner(coords.size());
        for (size_t d = 0; d < coords.size(); ++d) inner[o.dims[d]] = coords[d];
        coords = inner;
        break;
      }
      case OpKind::slice:
        for (size_t d = 0; d < coords.size(); ++d) {
          Affine at;
          at.add(coords[d], o.steps[d]);
          at.offset += o.starts[d];
          coords[d] = at;
        }
        break;
      case OpKind::broadcast:
        for (size_t d = 0; d < coords.size(); ++d)
          if (op(o.operands[0]).shape[d] == 1) coords[d] = Affine{};
        break;
      case OpKind::reshape: {
        if (auto access = contiguous_reshape(number, coords)) return access;
        SplitRequest split;
        auto inner = reshape_coords(o.shape, coords, op(o.operands[0]).shape, stage_.atoms, split);
        if (!inner) {
          ask_split(o.operands[0], split);
          return std::nullopt;
        }
        coords = *inner;
        break;
      }
      default: break;   // a widening conversion: the engines do it
    }
    number = o.operands[0];
  }
}

int32_t Builder::matmul(int32_t number, const Coords& coords) {
  const ir::Op& o = op(number);
  const size_t rank = o.shape.size();
  const int64_t k = op(o.operands[0]).shape[rank - 1];
  const bool root = group().root == number;
  if (k == 0) {
    Node node;
    node.op = number;
    node.dtype = o.dtype;
    return add(node);
  }
  if (matmul_op_ >= 0 || !reduced_.empty() || !covers(o.shape, coords, stage_.atoms)) {
    LW_CHECK(!root, "a matmul alone has its own space");
    decisions_.no_epilogue.insert(number);
    regroup_ = true;
    return -1;
  }
  matmul_op_ = number;
  const int contracted = static_cast<int>(stage_.atoms.size());
  stage_.atoms.push_back({k, Atom::Role::contracted});
  origins_.push_back({-1, 0});
  stage_.matmul.contracted = contracted;
  Coords at_a = coords, at_b = coords;
  at_a[rank - 1] = Affine::of_atom(contracted);
  at_b[rank - 2] = Affine::of_atom(contracted);
  for (size_t d = 0; d + 2 < rank; ++d) {
    if (op(o.operands[0]).shape[d] == 1) at_a[d] = Affine{};
    if (op(o.operands[1]).shape[d] == 1) at_b[d] = Affine{};
  }
  const auto a = leaf(o.operands[0], at_a);
  if (!a) return -1;
  stage_.matmul.a_number = number_;
  const auto b = leaf(o.operands[1], at_b);
  if (!b) return -1;
  stage_.matmul.b_number = number_;
  stage_.matmul.a = *a;
  stage_.matmul.b = *b;
  Node node;
  node.kind = NodeKind::matmul;
  node.op = number;
  node.dtype = o.dtype;
  const int32_t result = add(std::move(node));
  Matmul& mm = stage_.matmul;
  for (const Affine& c : coords) mm.result |= c.atoms();
  mm.rows = coords[rank - 2].atoms();
  mm.columns = coords[rank - 1].atoms();
  stage_.nodes[result].atoms = mm.result;
  return result;
}

bool Builder::gather() {
  const int32_t number = group().root;
  const ir::Op& o = op(number);
  stage_.kind = Stage::Kind::gather;
  // Row and column of the table stand for the two atoms at first; contracted, because neither may be split.
  stage_.atoms = {{op(o.operands[0]).shape[0], Atom::Role::contracted}, {o.shape[1], Atom::Role::contracted}};
  origins_ = {{0, 0}, {1, 0}};
  const auto table = leaf(o.operands[0], {Affine::of_atom(0), Affine::of_atom(1)});
  if (!table) return false;
  stage_.atoms[0].size = o.shape[0];
  const auto indices = leaf(o.operands[1], {Affine::of_atom(0)});
  if (!indices) return false;
  for (Atom& atom : stage_.atoms) atom.role = Atom::Role::kept;
  Gather& g = stage_.gather;
  g.table = table->buffer;
  g.dtype = table->dtype;
  g.table_offset = table->at.offset;
  g.table_row_stride = table->at.coef[0];
  g.column_stride = table->at.coef[1];
  g.indices = *indices;
  return true;
}

bool Builder::store_value(int32_t number) {
  for (const auto& [coords, node] : nodes_of_[number]) {
    AtomMask used = 0;
    for (const Affine& c : coords) used |= c.atoms();
    bool once = covers(op(number).shape, coords, stage_.atoms);
    for (size_t a = 0; a < stage_.atoms.size(); ++a)
      once &= stage_.atoms[a].role != Atom::Role::kept || contains(used, static_cast<int>(a));
    if (!once) continue;
    for (const Destination& d : grouping_.destinations[number]) {
      stage_.stores.push_back({node, {d.buffer, op(number).dtype, dot(coords, d.strides, d.offset)}});
    }
    return true;
  }
  return false;
}

Builder::Outcome Builder::build(Stage& stage) {
  const int32_t root = group().root;
  const ir::Op& o = op(root);
  if (o.elements() == 0) return Outcome::empty;
  stage_.op = root;
  stage_.name = "%" + std::to_string(root);
  if (o.kind == OpKind::gather) {
    if (!gather()) return again_ ? Outcome::again : Outcome::regroup;
    for (const Destination& d : grouping_.destinations[root]) {
      stage_.stores.push_back({-1, {d.buffer, o.dtype, dot({Affine::of_atom(0), Affine::of_atom(1)}, d.strides, d.offset)}});
    }
    stage = std::move(stage_);
    return Outcome::done;
  }
  const Coords coords = new_atoms(o.shape, 0, Atom::Role::kept);
  int32_t node = -1;
  if (group().fill) {
    node = demand(o.operands[1], Coords(coords.size()));
    if (node >= 0) nodes_of_[root].emplace_back(coords, node);
  } else {
    node = demand(root, coords);
  }
  if (again_) return Outcome::again;
  if (regroup_) return Outcome::regroup;
  for (int32_t value : group().values) {
    if (store_value(value)) continue;
    // Computed here, but not at every element exactly once: it needs a space of its own.
    give_up(value);
    return Outcome::regroup;
  }
  int64_t rows = 1, row = 1;
  for (const Atom& atom : stage_.atoms) (atom.role == Atom::Role::kept ? rows : row) *= atom.size;
  const bool wide_result = std::any_of(stage_.stores.begin(), stage_.stores.end(),
                                       [&](const Store& s) { return (s.access.at.atoms() & stage_.reduced()) != 0; });
  if (matmul_op_ < 0 && !reduced_.empty() && rows < kFewRows && row >= kLongRow && wide_result) {
    for (const Node& n : stage_.nodes)
      if (n.kind == NodeKind::reduce && !decisions_.isolated.count(n.op)) give_up(n.op);
    if (regroup_) return Outcome::regroup;
  }
  stage = std::move(stage_);
  return Outcome::done;
}

}  // namespace

BuildResult build_stage(const ir::Module& module, const Grouping& grouping, int32_t group, const std::vector<Buffer>& buffers,
                        Decisions& decisions) {
  Splits splits;
  BuildResult result;
  for (;;) {
    Builder builder(module, grouping, group, buffers, decisions, splits);
    switch (builder.build(result.stage)) {
      case Builder::Outcome::done: return result;
      case Builder::Outcome::empty: result.empty = true; return result;
      case Builder::Outcome::regroup: result.retry = true; return result;
      case Builder::Outcome::again: break;
    }
  }
}

}  // namespace lanewise::compiler::stage

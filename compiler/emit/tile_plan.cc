// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/tile_plan.h"

#include <algorithm>

#include "base/status.h"

namespace lanewise::compiler::emit {
namespace {

constexpr int64_t kTargetBytes = 8192;      // of a loaded tile in a partition: two descriptors of full length
constexpr int64_t kShortTile = 512;         // elements below which a tile is not cut to gain overlap
constexpr int64_t kWideColumns = 256;      // elements; see cut_rows
constexpr int64_t kManyFrames = 8;          // a stage that long gains nothing from overlap with the next one
constexpr int64_t kAlign = 32;

int64_t align(int64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }
int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct Depth {
  int rest, loads, stored;
};
// From the most overlap to the least memory. Down to kMinimum a smaller tile is preferred to less overlap.
constexpr Depth kDepths[] = {{4, 8, 6}, {4, 6, 5}, {3, 5, 4}, {2, 4, 3}, {2, 3, 2}, {1, 2, 2}, {1, 2, 1}, {1, 1, 1}};
constexpr size_t kMinimum = 2, kRowsFirst = 5;

// Live ranges in op positions -> offsets, first fit.
class Packer {
 public:
  int64_t add(int64_t bytes, int64_t begin, int64_t end) {
    std::vector<Block> taken;
    for (const Block& b : blocks_)
      if (b.begin <= end && begin <= b.end) taken.push_back(b);
    std::sort(taken.begin(), taken.end(), [](const Block& a, const Block& b) { return a.at < b.at; });
    int64_t at = 0;
    for (const Block& b : taken) {
      if (b.at >= at + bytes) break;
      at = std::max(at, b.at + b.bytes);
    }
    blocks_.push_back({at, bytes, begin, end});
    size_ = std::max(size_, at + bytes);
    return at;
  }
  int64_t size() const { return size_; }

 private:
  struct Block {
    int64_t at, bytes, begin, end;
  };
  std::vector<Block> blocks_;
  int64_t size_ = 0;
};

class Planner {
 public:
  Planner(const stage::Stage& stage, const TileCode& code, const machine::Machine& machine, int64_t budget, int64_t most)
      : stage_(stage), code_(code), tiles_(stage), partitions_(machine.memory.partitions), budget_(budget), most_(most) {}

  TilePlan run(const Frame* fixed) {
    if (fixed != nullptr) {
      plan_.chunk = *fixed;
    } else {
      first_chunk();
    }
    for (size_t depth = 0;; ++depth) {
      if (depth == std::size(kDepths)) {
        LW_CHECK(fixed != nullptr, "the smallest tile of a stage does not fit SBUF");
        return std::move(plan_);
      }
      lay_out(kDepths[depth]);
      if (plan_.bytes <= (frames_ >= kManyFrames ? most_ : budget_)) return std::move(plan_);
      if (fixed != nullptr) continue;
      const bool smaller = depth == kMinimum ? shrink_kept(kShortTile) : depth == kRowsFirst ? shrink_kept(1) || shrink_reduced() : false;
      if (smaller) depth = static_cast<size_t>(-1);
    }
  }

 private:
  int64_t size(int atom) const { return stage_.atoms[atom].size; }
  bool is_reduced(int atom) const { return stage_.atoms[atom].role == stage::Atom::Role::reduced; }
  int64_t free_elements() const {
    int64_t n = 1;
    for (int32_t a : stage_.place.free) n *= plan_.chunk.extent[a];
    return n;
  }

  void first_chunk() {
    for (size_t a = 0; a < stage_.atoms.size(); ++a) plan_.chunk.extent[a] = 1;
    int64_t inner = 1;
    const auto& partition = stage_.place.partition;
    for (size_t i = 1; i < partition.size(); ++i) {
      plan_.chunk.extent[partition[i]] = size(partition[i]);
      inner *= size(partition[i]);
    }
    if (!partition.empty()) plan_.chunk.extent[partition[0]] = std::min(size(partition[0]), partitions_ / inner);
    for (int32_t a : stage_.place.free) plan_.chunk.extent[a] = size(a);
    int64_t widest = 1;
    for (const Value& v : code_.values)
      if (v.live && (v.kind == Value::Kind::load || v.stored)) widest = std::max(widest, isa::dtype_bytes(v.dtype));
    const int64_t target = kTargetBytes / widest;
    if (sums_columns()) cut_rows(target);
    for (int32_t a : stage_.place.free) {
      if (is_reduced(a)) continue;
      const int64_t tiles = std::min(size(a), ceil_div(free_elements(), target));
      plan_.chunk.extent[a] = ceil_div(size(a), tiles);
    }
  }

  // Memory runs along a kept atom, reduced ones lie outside of it.
  bool sums_columns() const {
    bool reduced = false;
    for (int32_t a : stage_.place.free) reduced |= is_reduced(a);
    return reduced && !stage_.place.free.empty() && !is_reduced(stage_.place.free.back());
  }

  // Wide columns are added up row by row, which costs Vector one element a cycle; narrow ones are reduced a few rows at
  // a time (at half rate, since it then reads across).
  void cut_rows(int64_t target) {
    int64_t columns = 1;
    for (int32_t a : stage_.place.free)
      if (!is_reduced(a)) columns *= size(a);
    int64_t rows = columns >= kWideColumns ? 1 : std::max<int64_t>(1, target / columns);
    for (size_t i = stage_.place.free.size(); i-- > 0;) {
      const int32_t a = stage_.place.free[i];
      if (!is_reduced(a)) continue;
      const int64_t tiles = ceil_div(size(a), std::min(size(a), rows));
      plan_.chunk.extent[a] = ceil_div(size(a), tiles);
      rows = std::max<int64_t>(1, rows / plan_.chunk.extent[a]);
    }
  }

  // Halves the outermost kept free atom that is not 1 yet; false when a tile is down to `least` elements.
  bool shrink_kept(int64_t least) {
    if (free_elements() <= least) return false;
    for (int32_t a : stage_.place.free) {
      if (is_reduced(a) || plan_.chunk.extent[a] == 1) continue;
      plan_.chunk.extent[a] = ceil_div(plan_.chunk.extent[a], 2);
      return true;
    }
    return false;
  }
  bool shrink_reduced() {
    for (int32_t a : stage_.place.free) {
      if (!is_reduced(a) || plan_.chunk.extent[a] == 1) continue;
      plan_.chunk.extent[a] = ceil_div(plan_.chunk.extent[a], 2);
      return true;
    }
    return false;
  }

  void lay_out(const Depth& depth) {
    looped_ = 0;
    plan_.row_tiled = 0;
    frames_ = 1;
    for (size_t a = 0; a < stage_.atoms.size(); ++a)
      if (stage_.atoms[a].role == stage::Atom::Role::kept) frames_ *= ceil_div(size(static_cast<int>(a)), plan_.chunk.extent[a]);
    // More copies than frames would be memory for nothing.
    row_copies_ = static_cast<int>(std::min<int64_t>(depth.rest, frames_));
    plan_.tile_copies = depth.rest;
    for (size_t a = 0; a < stage_.atoms.size(); ++a) {
      if (stage_.atoms[a].role == stage::Atom::Role::contracted || plan_.chunk.extent[a] >= size(static_cast<int>(a))) continue;
      looped_ |= stage::bit(static_cast<int>(a));
      if (is_reduced(static_cast<int>(a))) plan_.row_tiled |= stage::bit(static_cast<int>(a));
    }
    plan_.values.assign(code_.values.size(), {});
    plan_.before = {};
    plan_.sections.clear();
    for (size_t v = 0; v < code_.values.size(); ++v) assign_home(static_cast<int32_t>(v));
    make_sections();
    place_values(depth);
  }

  bool full(int32_t value) const { return (code_.values[value].atoms & plan_.row_tiled) != 0; }
  bool invariant(int32_t value) const { return plan_.values[value].home == ValuePlan::Home::invariant; }
  bool reduces(const TileOp& op) const { return op.reduced != 0; }
  int32_t result_of(const TileOp& op) const { return op.dst2 >= 0 ? op.dst2 : op.dst; }

  void assign_home(int32_t value) {
    const Value& v = code_.values[value];
    ValuePlan& p = plan_.values[value];
    using Home = ValuePlan::Home;
    if (!v.live || v.kind == Value::Kind::matmul) return;
    if (v.kind == Value::Kind::load) p.path = load_path(stage_, plan_.chunk, stage_.nodes[v.node].access);
    if (looped_ != 0 && (v.atoms & looped_) == 0 && !(v.kind == Value::Kind::computed && depends_on_loop(value))) {
      p.home = Home::invariant;
    } else if (v.kind == Value::Kind::load) {
      p.home = Home::load;
    } else if (v.stored) {
      p.home = Home::stored;
    } else {
      p.home = full(value) ? Home::tile : Home::row;
    }
  }

  // A matmul's result changes with every frame, though a value computed from it may name no looped atom; so do
  // reductions that run over row tiles.
  bool depends_on_loop(int32_t value) const {
    for (const TileOp& op : code_.ops) {
      if (op.dst != value && op.dst2 != value) continue;
      if (reduces(op) && plan_.row_tiled != 0) return true;
      const auto moves = [&](const Operand& o) {
        return o.is_value() && (code_.values[o.value].kind == Value::Kind::matmul || !invariant(o.value));
      };
      for (const Operand& o : op.src)
        if (moves(o)) return true;
      for (const Operand& o : op.scalar)
        if (moves(o)) return true;
      return false;
    }
    return false;
  }

  void add_load(Section& section, const Operand& operand) {
    if (!operand.is_value()) return;
    add_load(section, operand.value);
  }
  void add_load(Section& section, int32_t value) {
    if (code_.values[value].kind != Value::Kind::load || invariant(value)) return;
    if (std::find(section.loads.begin(), section.loads.end(), value) == section.loads.end()) section.loads.push_back(value);
  }

  void make_sections() {
    for (size_t v = 0; v < code_.values.size(); ++v)
      if (invariant(static_cast<int32_t>(v)) && code_.values[v].kind == Value::Kind::load) plan_.before.loads.push_back(static_cast<int32_t>(v));
    for (size_t i = 0; i < code_.ops.size(); ++i)
      if (invariant(code_.ops[i].dst)) plan_.before.ops.push_back(static_cast<int32_t>(i));
    if (plan_.row_tiled == 0) {
      Section all;
      for (size_t i = 0; i < code_.ops.size(); ++i)
        if (!invariant(code_.ops[i].dst)) add_op(all, static_cast<int32_t>(i));
      for (const TileStore& store : code_.stores) {
        add_load(all, store.value);
        all.stores.push_back(store);
      }
      plan_.sections.push_back(std::move(all));
      return;
    }
    make_passes();
  }

  void add_op(Section& section, int32_t number) {
    for (const Operand& o : code_.ops[number].src) add_load(section, o);
    for (const Operand& o : code_.ops[number].scalar) add_load(section, o);
    section.ops.push_back(number);
  }

  // time of a whole-row value: the first pass that can compute it; of a row value: the pass after which it is known
  // (-1: before all).
  void make_passes() {
    std::vector<int> time(code_.values.size(), 0), op_time(code_.ops.size(), 0);
    for (size_t v = 0; v < code_.values.size(); ++v) time[v] = full(static_cast<int32_t>(v)) ? 0 : -1;
    int last = 0;
    for (size_t i = 0; i < code_.ops.size(); ++i) {
      const TileOp& op = code_.ops[i];
      const bool in_pass = reduces(op) || full(op.dst);
      int t = in_pass ? 0 : -1;
      const auto look = [&](const Operand& o) {
        if (!o.is_value()) return;
        t = std::max(t, time[o.value] + (in_pass && !full(o.value) ? 1 : 0));
      };
      for (const Operand& o : op.src) look(o);
      for (const Operand& o : op.scalar) look(o);
      op_time[i] = time[op.dst] = t;
      if (op.dst2 >= 0) time[op.dst2] = t;
      if (in_pass) last = std::max(last, t);
    }
    for (int t = -1; t <= last; ++t) {
      if (t >= 0) plan_.sections.push_back(make_pass(t, time, op_time));
      Section rows;
      for (size_t i = 0; i < code_.ops.size(); ++i) {
        const TileOp& op = code_.ops[i];
        if (op_time[i] == t && !reduces(op) && !full(op.dst) && !invariant(op.dst)) rows.ops.push_back(static_cast<int32_t>(i));
      }
      for (const TileStore& store : code_.stores)
        if (!full(store.value) && time[store.value] == t) rows.stores.push_back(store);
      if (t == -1) {
        // What rows read is loaded before everything, also for use in passes.
        for (size_t v = 0; v < code_.values.size(); ++v)
          if (code_.values[v].live && !full(static_cast<int32_t>(v))) add_load(rows, static_cast<int32_t>(v));
      }
      plan_.sections.push_back(std::move(rows));
    }
  }

  Section make_pass(int t, const std::vector<int>& time, const std::vector<int>& op_time) {
    Section pass;
    pass.over_row_tiles = true;
    std::vector<bool> wanted(code_.values.size(), false);
    for (const TileStore& store : code_.stores) {
      if (!full(store.value) || time[store.value] != t) continue;
      wanted[store.value] = true;
      pass.stores.push_back(store);
    }
    std::vector<int32_t> ops;
    for (size_t i = code_.ops.size(); i-- > 0;) {
      const TileOp& op = code_.ops[i];
      const bool mine = (reduces(op) && op_time[i] == t) || (full(op.dst) && wanted[op.dst]);
      if (!mine) continue;
      ops.push_back(static_cast<int32_t>(i));
      for (const Operand& o : op.src)
        if (o.is_value()) wanted[o.value] = true;
      for (const Operand& o : op.scalar)
        if (o.is_value()) wanted[o.value] = true;
    }
    std::reverse(ops.begin(), ops.end());
    for (int32_t i : ops) {
      for (const Operand& o : code_.ops[i].src)
        if (o.is_value() && full(o.value)) add_load(pass, o);
      for (const Operand& o : code_.ops[i].scalar)
        if (o.is_value() && full(o.value)) add_load(pass, o);
      pass.ops.push_back(i);
    }
    for (const TileStore& store : pass.stores) add_load(pass, store.value);
    return pass;
  }

  int64_t bytes_of(int32_t value) const {
    const Value& v = code_.values[value];
    return align(tiles_.elements(plan_.chunk, v.atoms) * isa::dtype_bytes(v.dtype));
  }

  void place_values(const Depth& depth) {
    using Home = ValuePlan::Home;
    int64_t at = 0;
    const auto ring = [&](int32_t v, int copies) {
      ValuePlan& p = plan_.values[v];
      p.offset = at;
      p.stride = bytes_of(v);
      p.copies = copies;
      at += p.stride * copies;
    };
    plan_.transpose_bytes = 0;
    for (size_t v = 0; v < code_.values.size(); ++v) {
      const ValuePlan& p = plan_.values[v];
      if (p.home == Home::invariant) ring(static_cast<int32_t>(v), 1);
      if (p.home == Home::load) ring(static_cast<int32_t>(v), depth.loads);
      if (p.home == Home::stored) ring(static_cast<int32_t>(v), depth.stored);
      if (p.home != Home::none && p.path == LoadPath::transposed) {
        const int64_t run = plan_.chunk.extent[stage_.place.partition[0]] * isa::dtype_bytes(code_.values[v].dtype);
        plan_.transpose_bytes = std::max(plan_.transpose_bytes, align(run));
      }
    }
    plan_.transpose_offset = at;
    at += kNaturalTiles * plan_.transpose_bytes;
    Packer rows, tiles;
    pack(rows, tiles);
    for (size_t v = 0; v < code_.values.size(); ++v) {
      ValuePlan& p = plan_.values[v];
      if (p.home != Home::row && p.home != Home::tile) continue;
      const bool row = p.home == Home::row;
      p.offset += row ? at : at + rows.size() * row_copies_;
      p.stride = row ? rows.size() : tiles.size();
      p.copies = row ? row_copies_ : plan_.tile_copies;
    }
    for (ValuePlan& p : plan_.values)
      if (p.partial >= 0) p.partial += at + rows.size() * row_copies_;
    plan_.tile_stride = tiles.size();
    plan_.bytes = at + rows.size() * row_copies_ + tiles.size() * plan_.tile_copies;
  }

  void pack(Packer& rows, Packer& tiles) {
    using Home = ValuePlan::Home;
    struct Range {
      int64_t begin = INT64_MAX, end = -1;
    };
    std::vector<Range> range(code_.values.size());
    const auto touch = [&](int32_t v, int64_t begin, int64_t end) {
      range[v].begin = std::min(range[v].begin, begin);
      range[v].end = std::max(range[v].end, end);
    };
    for (ValuePlan& p : plan_.values) p.partial = -1;
    int64_t now = 0;
    for (const Section& section : plan_.sections) {
      const int64_t begin = now, end = now + static_cast<int64_t>(section.ops.size()) + 1;
      for (int32_t i : section.ops) {
        ++now;
        const TileOp& op = code_.ops[i];
        // A row value is needed, and a sum grows, through all tiles of a pass.
        const auto use = [&](int32_t v) {
          if (section.over_row_tiles && !full(v)) {
            touch(v, begin, end);
          } else {
            touch(v, now, now);
          }
        };
        for (const Operand& o : op.src)
          if (o.is_value()) use(o.value);
        for (const Operand& o : op.scalar)
          if (o.is_value()) use(o.value);
        use(op.dst);
        if (op.dst2 >= 0) use(op.dst2);
        if (reduces(op) && section.over_row_tiles) {
          const int32_t result = result_of(op);
          plan_.values[result].partial = tiles.add(bytes_of(result), begin, end);
        }
      }
      now = end;
    }
    for (size_t v = 0; v < code_.values.size(); ++v) {
      ValuePlan& p = plan_.values[v];
      if (p.home == Home::row) p.offset = rows.add(bytes_of(static_cast<int32_t>(v)), range[v].begin, range[v].end);
      if (p.home == Home::tile) p.offset = tiles.add(bytes_of(static_cast<int32_t>(v)), range[v].begin, range[v].end);
    }
  }

  const stage::Stage& stage_;
  const TileCode& code_;
  FrameTiles tiles_;
  const int64_t partitions_, budget_, most_;
  int64_t frames_ = 1;
  AtomMask looped_ = 0;
  int row_copies_ = 1;
  TilePlan plan_;
};

}  // namespace

TilePlan make_tile_plan(const stage::Stage& stage, const TileCode& code, const machine::Machine& machine, int64_t budget,
                        int64_t most, const Frame* fixed) {
  return Planner(stage, code, machine, budget, most).run(fixed);
}

}  // namespace lanewise::compiler::emit

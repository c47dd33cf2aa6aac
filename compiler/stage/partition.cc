// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/partition.h"

#include <algorithm>

#include "compiler/stage/builder.h"
#include "compiler/stage/groups.h"

namespace lanewise::compiler::stage {
namespace {

int64_t span_bytes(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, int64_t offset, isa::DType dtype) {
  int64_t last = offset;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return 0;
    if (strides[d] > 0) last += (shape[d] - 1) * strides[d];
  }
  return (last + 1) * isa::dtype_bytes(dtype);
}

std::vector<Buffer> module_buffers(const ir::Module& module) {
  std::vector<Buffer> buffers(module.inputs + module.outputs);
  for (int32_t i = 0; i < module.inputs; ++i) {
    buffers[i].kind = Buffer::Kind::input;
    buffers[i].name = "input " + std::to_string(i);
    const int32_t alias = i < static_cast<int32_t>(module.input_alias.size()) ? module.input_alias[i] : -1;
    buffers[i].alias_group = alias >= 0 ? buffers[alias].alias_group : i;
  }
  for (int32_t i = 0; i < module.outputs; ++i) {
    Buffer& buffer = buffers[module.inputs + i];
    buffer.kind = Buffer::Kind::output;
    buffer.name = "output " + std::to_string(i);
    buffer.alias_group = module.inputs + i;
  }
  for (const ir::Op& op : module.ops) {
    if (op.kind != ir::OpKind::input) continue;
    buffers[op.index].bytes = std::max(buffers[op.index].bytes, span_bytes(op.shape, op.strides, op.offset, op.dtype));
  }
  for (const ir::Store& store : module.stores) {
    Buffer& buffer = buffers[store.index + (store.to_input ? 0 : module.inputs)];
    const ir::Op& op = module.ops[store.value];
    buffer.bytes = std::max(buffer.bytes, span_bytes(op.shape, store.strides, 0, op.dtype));
  }
  return buffers;
}

// Calls visit(access, node) for everything a stage reads; node -1 for operands of a matmul or gather.
template <typename Visit>
void visit_reads(const Stage& stage, Visit&& visit) {
  if (stage.kind == Stage::Kind::gather) {
    Access table{stage.gather.table, stage.gather.dtype, Affine::constant(stage.gather.table_offset)};
    visit(table, -1);
    visit(stage.gather.indices, -1);
    return;
  }
  for (size_t n = 0; n < stage.nodes.size(); ++n)
    if (stage.nodes[n].kind == NodeKind::load) visit(stage.nodes[n].access, static_cast<int32_t>(n));
  if (stage.has_matmul()) {
    if (stage.matmul.a.buffer >= 0) visit(stage.matmul.a, -1);
    if (stage.matmul.b.buffer >= 0) visit(stage.matmul.b, -1);
  }
}

bool depends_on(const Stage& stage, int32_t node, int32_t on) {
  std::vector<bool> depends(stage.nodes.size(), false);
  depends[on] = true;
  for (int32_t n = on + 1; n <= node; ++n)
    for (int32_t operand : stage.nodes[n].operands)
      if (depends[operand]) depends[n] = true;
  return depends[node];
}

class Partitioner {
 public:
  explicit Partitioner(const ir::Module& module) : module_(module) {}

  Schedule run() {
    build();
    sort();
    keep_store_promise();
    for (size_t i = 0; i < schedule_.stages.size(); ++i) {
      schedule_.stages[i].order = static_cast<int32_t>(i);
      for (const Store& store : schedule_.stages[i].stores) schedule_.buffers[store.access.buffer].written = true;
    }
    return std::move(schedule_);
  }

 private:
  void build() {
    Decisions decisions;
    for (;;) {
      schedule_.buffers = module_buffers(module_);
      const Grouping grouping = make_groups(module_, decisions, schedule_.buffers);
      schedule_.stages.clear();
      fill_.clear();
      bool retry = false;
      for (size_t g = 0; g < grouping.groups.size(); ++g) {
        BuildResult built = build_stage(module_, grouping, static_cast<int32_t>(g), schedule_.buffers, decisions);
        retry |= built.retry;
        if (built.retry || built.empty) continue;
        if (grouping.groups[g].fill) {
          // A fill writes all of the pad's memory.
          LW_CHECK(!built.stage.stores.empty(), "a fill stores");
        }
        schedule_.stages.push_back(std::move(built.stage));
        fill_.push_back(grouping.groups[g].fill);
      }
      if (!retry) return;
    }
  }

  // Kahn's algorithm; among stages that are ready the one whose root comes first in the module.
  void sort() {
    const size_t n = schedule_.stages.size();
    std::vector<std::vector<size_t>> writers(schedule_.buffers.size()), after(n);
    std::vector<int> waits(n, 0);
    const auto edge = [&](size_t from, size_t to) {
      if (from == to) return;
      after[from].push_back(to);
      ++waits[to];
    };
    for (size_t s = 0; s < n; ++s)
      for (const Store& store : schedule_.stages[s].stores) writers[store.access.buffer].push_back(s);
    for (size_t s = 0; s < n; ++s) {
      visit_reads(schedule_.stages[s], [&](const Access& access, int32_t) {
        // Reads of an input's memory mean what was there before the program: no edge.
        if (schedule_.buffers[access.buffer].kind == Buffer::Kind::input) return;
        for (size_t w : writers[access.buffer]) {
          LW_CHECK(w != s, "a stage reads what it writes");
          edge(w, s);
        }
      });
    }
    for (const auto& of_buffer : writers) {
      for (size_t a : of_buffer) {
        if (!fill_[a]) continue;
        for (size_t b : of_buffer) {
          // Of two fills the outer one, whose pad comes later in the module, is first.
          if (!fill_[b] || schedule_.stages[a].op > schedule_.stages[b].op) edge(a, b);
        }
      }
    }
    std::vector<bool> done(n, false);
    std::vector<Stage> sorted;
    std::vector<size_t> ready;
    for (size_t s = 0; s < n; ++s)
      if (waits[s] == 0) ready.push_back(s);
    const auto later = [&](size_t a, size_t b) { return schedule_.stages[a].op > schedule_.stages[b].op; };
    std::make_heap(ready.begin(), ready.end(), later);
    std::vector<size_t> order;
    while (!ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), later);
      const size_t s = ready.back();
      ready.pop_back();
      order.push_back(s);
      for (size_t t : after[s]) {
        if (--waits[t] > 0) continue;
        ready.push_back(t);
        std::push_heap(ready.begin(), ready.end(), later);
      }
    }
    LW_CHECK(order.size() == n, "stages depend on each other in a circle");
    for (size_t s : order) sorted.push_back(std::move(schedule_.stages[s]));
    schedule_.stages = std::move(sorted);
  }

  bool safe(size_t s, const Store& store) const {
    const int32_t group = schedule_.buffers[store.access.buffer].alias_group;
    int stores = 0;
    bool ok = true;
    for (size_t t = 0; t < schedule_.stages.size(); ++t) {
      for (const Store& other : schedule_.stages[t].stores) stores += schedule_.buffers[other.access.buffer].alias_group == group;
      if (t < s) continue;
      visit_reads(schedule_.stages[t], [&](const Access& access, int32_t node) {
        if (schedule_.buffers[access.buffer].alias_group != group) return;
        // A row that is read in several passes may be read again after its elements are stored.
        const bool once = node >= 0 && (access.at.atoms() & schedule_.stages[t].reduced()) == 0;
        ok = ok && t == s && once && access == store.access && store.node >= 0 && depends_on(schedule_.stages[t], store.node, node);
      });
    }
    return ok && stores == 1;
  }

  void keep_store_promise() {
    std::vector<std::pair<size_t, size_t>> unsafe;
    for (size_t s = 0; s < schedule_.stages.size(); ++s) {
      for (size_t i = 0; i < schedule_.stages[s].stores.size(); ++i) {
        const Store& store = schedule_.stages[s].stores[i];
        if (schedule_.buffers[store.access.buffer].kind == Buffer::Kind::input && !safe(s, store)) unsafe.emplace_back(s, i);
      }
    }
    std::vector<Stage> copies;
    for (const auto& [s, i] : unsafe) copies.push_back(divert(schedule_.stages[s], schedule_.stages[s].stores[i]));
    // Where several stores write one input the last of the module wins.
    std::stable_sort(copies.begin(), copies.end(), [](const Stage& a, const Stage& b) { return a.order < b.order; });
    for (Stage& copy : copies) schedule_.stages.push_back(std::move(copy));
  }

  // Sends the store to scratch of the same layout; the result brings it into place.
  Stage divert(const Stage& stage, Store& store) {
    Stage copy;
    copy.name = stage.name + " into place";
    copy.op = stage.op;
    copy.order = store_number(store.access.buffer);
    copy.atoms = stage.atoms;
    const AtomMask used = store.access.at.atoms();
    for (size_t a = 0; a < copy.atoms.size(); ++a) {
      copy.atoms[a].role = Atom::Role::kept;
      if (!contains(used, static_cast<int>(a))) copy.atoms[a].size = 1;
    }
    const Access target = store.access;
    Buffer scratch;
    scratch.name = "scratch of " + schedule_.buffers[target.buffer].name;
    scratch.bytes = schedule_.buffers[target.buffer].bytes;
    scratch.alias_group = static_cast<int32_t>(schedule_.buffers.size());
    store.access.buffer = static_cast<int32_t>(schedule_.buffers.size());
    schedule_.buffers.push_back(scratch);
    Node load;
    load.kind = NodeKind::load;
    load.dtype = target.dtype;
    load.op = stage.nodes.empty() || store.node < 0 ? stage.op : stage.nodes[store.node].op;
    load.access = store.access;
    load.atoms = used;
    copy.nodes.push_back(load);
    copy.stores.push_back({0, target});
    return copy;
  }

  int32_t store_number(int32_t buffer) const {
    for (size_t i = module_.stores.size(); i-- > 0;)
      if (module_.stores[i].to_input && module_.stores[i].index == buffer) return static_cast<int32_t>(i);
    return -1;
  }

  const ir::Module& module_;
  Schedule schedule_;
  std::vector<bool> fill_;
};

}  // namespace

Schedule partition(const ir::Module& module) { return Partitioner(module).run(); }

}  // namespace lanewise::compiler::stage

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/place.h"

#include <algorithm>
#include <cstdlib>

namespace lanewise::compiler::stage {
namespace {

constexpr size_t kMaxPartitionAtoms = 3;   // with three free ones these are the six dimensions of a DMA pattern
constexpr size_t kMaxFreeAtoms = 3;
constexpr int64_t kShortRow = 256;         // elements of a free axis that is worth an instruction
constexpr int64_t kWideRow = 1024;         // what a filled-up free axis aims at

int64_t largest_divisor(int64_t n, int64_t limit) {
  for (int64_t d = std::min(n, limit); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

class Placer {
 public:
  Placer(Stage& stage, int64_t partitions) : stage_(stage), partitions_(partitions) {}

  // A clone for what did not divide, or nothing.
  bool run(Stage& rest) {
    for (size_t a = 0; a < stage_.atoms.size(); ++a) {
      if (stage_.atoms[a].role == Atom::Role::kept) kept_.push_back(static_cast<int>(a));
      if (stage_.atoms[a].role == Atom::Role::reduced) reduced_.push_back(static_cast<int>(a));
    }
    if (stage_.has_matmul()) {
      place_matmul();
      return false;
    }
    return place_tile(rest);
  }

 private:
  int64_t size(int atom) const { return stage_.atoms[atom].size; }

  std::vector<int64_t> run_bytes() {
    std::vector<int64_t> weight(kMaxAtoms, 0);
    const auto count = [&](const Access& access, int64_t factor) {
      int64_t bytes = isa::dtype_bytes(access.dtype) * factor;
      int unit = -1;
      for (size_t a = 0; a < stage_.atoms.size(); ++a) {
        if (access.at.coef[a] == 0) continue;
        bytes *= size(static_cast<int>(a));
        if (std::abs(access.at.coef[a]) == 1) unit = static_cast<int>(a);
      }
      if (unit >= 0) weight[unit] += bytes;
    };
    for (const Node& node : stage_.nodes)
      if (node.kind == NodeKind::load) count(node.access, 1);
    for (const Store& store : stage_.stores) count(store.access, 2);
    return weight;
  }

  // Splits off elements [main, size) of an atom as a stage of its own.
  void cut(int atom, int64_t main, Stage& rest) {
    rest = stage_;
    rest.atoms[atom].size -= main;
    visit_affines(rest, [&](Affine& at) { at.offset += at.coef[atom] * main; });
    stage_.atoms[atom].size = main;
  }

  // Moves the largest atoms of `from` to the partitions until they are full.
  void fill_partitions(std::vector<int>& from) {
    int64_t used = 1;
    std::stable_sort(from.begin(), from.end(), [&](int a, int b) { return size(a) > size(b); });
    std::vector<int32_t>& partition = stage_.place.partition;
    if (!from.empty() && size(from[0]) >= partitions_) {
      partition.push_back(from[0]);
      from.erase(from.begin());
      return;
    }
    for (size_t i = 0; i < from.size() && partition.size() < kMaxPartitionAtoms;) {
      if (used * size(from[i]) <= partitions_) {
        used *= size(from[i]);
        partition.push_back(from[i]);
        from.erase(from.begin() + static_cast<long>(i));
      } else {
        ++i;
      }
    }
  }

  int64_t used_partitions() const {
    int64_t used = 1;
    for (int32_t a : stage_.place.partition) used *= size(a);
    return used;
  }

  int64_t free_elements() const {
    int64_t n = 1;
    for (int32_t a : stage_.place.free) n *= size(a);
    return n;
  }

  // Outermost first by the stride in the largest access, so that tiles lie in memory order.
  void order_free() {
    const Access* largest = nullptr;
    int64_t most = -1;
    const auto look = [&](const Access& access) {
      int64_t n = isa::dtype_bytes(access.dtype);
      for (int32_t a : stage_.place.free)
        if (access.at.coef[a] != 0) n *= size(a);
      if (n > most) {
        most = n;
        largest = &access;
      }
    };
    for (const Store& store : stage_.stores) look(store.access);
    for (const Node& node : stage_.nodes)
      if (node.kind == NodeKind::load) look(node.access);
    if (largest == nullptr) return;
    std::stable_sort(stage_.place.free.begin(), stage_.place.free.end(),
                     [&](int32_t a, int32_t b) { return std::abs(largest->at.coef[a]) > std::abs(largest->at.coef[b]); });
  }

  bool place_tile(Stage& rest) {
    const std::vector<int64_t> weight = run_bytes();
    std::vector<int32_t>& free = stage_.place.free;
    std::vector<int> others = kept_;
    bool cloned = false;
    // The run: the kept atom that lies on the free axis. With a reduction only if enough others fill the partitions.
    int run = -1;
    for (int a : kept_)
      if (run < 0 || weight[a] > weight[run] || (weight[a] == weight[run] && size(a) > size(run))) run = a;
    int64_t reduced_weight = 0, rows = 1;
    for (int a : reduced_) reduced_weight = std::max(reduced_weight, weight[a]);
    for (int a : kept_) rows *= size(a);
    if (run >= 0 && !reduced_.empty() && (weight[run] <= reduced_weight || rows / size(run) < partitions_ / 4)) run = -1;
    if (run >= 0) others.erase(std::find(others.begin(), others.end(), run));
    for (size_t i = reduced_.size(); i-- > 0 && free.size() < kMaxFreeAtoms - (run >= 0);) free.insert(free.begin(), reduced_[i]);
    fill_partitions(others);
    if (run >= 0) {
      // Spread the run over partitions that would be idle.
      const int64_t idle = partitions_ / used_partitions();
      if (idle >= 2 && size(run) > 64) {
        int64_t outer = largest_divisor(size(run), idle);
        if (outer < idle / 2 && size(run) >= idle) {
          cut(run, size(run) - size(run) % idle, rest);
          cloned = true;
          outer = idle;
        }
        if (outer > 1) {
          const int inner = split_atom(stage_, run, size(run) / outer);
          stage_.place.partition.push_back(run);
          run = inner;
        }
      }
      free.push_back(run);
    }
    // Fill up a short free axis.
    if (free.size() < kMaxFreeAtoms && !stage_.place.partition.empty() && free_elements() < kShortRow) {
      const int first = stage_.place.partition[0];
      const int64_t whole = used_partitions() / size(first);   // partitions of the atoms after it
      const int64_t lanes = partitions_ / whole;
      if (size(first) > lanes) {
        const int64_t most = size(first) / lanes;
        const int64_t inner = std::min(most, std::max<int64_t>(1, kWideRow / free_elements()));
        if (inner > 1) {
          int64_t divisor = largest_divisor(size(first), inner);
          if (divisor * 2 < inner && !cloned) {
            cut(first, size(first) - size(first) % inner, rest);
            cloned = true;
            divisor = inner;
          }
          if (divisor > 1) free.insert(free.begin(), split_atom(stage_, first, divisor));
        }
      } else if (!others.empty()) {
        free.insert(free.begin(), others[0]);
        others.erase(others.begin());
      }
    }
    order_free();
    return cloned;
  }

  void place_matmul() {
    const Matmul& mm = stage_.matmul;
    std::vector<int> rows, columns;
    for (int a : kept_) {
      if (contains(mm.rows, a)) rows.push_back(a);
      if (contains(mm.columns, a)) columns.push_back(a);
    }
    fill_partitions(rows);
    std::stable_sort(columns.begin(), columns.end(), [&](int a, int b) { return size(a) > size(b); });
    for (int a : columns)
      if (stage_.place.free.size() < kMaxFreeAtoms) stage_.place.free.push_back(a);
    order_free();
  }

  Stage& stage_;
  const int64_t partitions_;
  std::vector<int> kept_, reduced_;
};

}  // namespace

std::vector<Stage> place_atoms(Stage stage, const machine::Machine& machine) {
  std::vector<Stage> placed;
  if (stage.kind != Stage::Kind::tile) {
    placed.push_back(std::move(stage));
    return placed;
  }
  for (;;) {
    Stage rest;
    const bool cloned = Placer(stage, machine.memory.partitions).run(rest);
    placed.push_back(std::move(stage));
    if (!cloned) return placed;
    stage = std::move(rest);
    stage.place = Placement{};
  }
}

}  // namespace lanewise::compiler::stage

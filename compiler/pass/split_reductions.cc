// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// sum of x[4096, 4096] over both:   x as [128, 131072] -> [128, 1] (a stage on all partitions) -> [1, 1]
//
// The dimension that is split is the largest run of neighbouring reduced ones, outermost part first, so that every
// partition reads memory in one piece. Where no part divides it well, the rest is reduced apart and combined.
//
// Reductions of what is computed over many rows to many columns are split as well: partial results per partition are
// taken in the layout in which the rows are computed, and only 128 rows of them need to be turned.
#include <algorithm>

#include "compiler/ir/verify.h"
#include "compiler/pass/column_reduction.h"
#include "compiler/pass/prepare.h"
#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {
namespace {

constexpr int64_t kPartitions = 128;
// With this many results the partitions are busy; below this many elements a second stage costs more than it saves.
constexpr int64_t kEnoughResults = 64;
constexpr int64_t kWorthwhile = 16384;
constexpr int64_t kManyRows = 512;

// Joins neighbouring reduced dimensions; `dims` then names the reduced ones of the joined shape.
Shape join_reduced(const Shape& shape, const std::vector<bool>& reduced, std::vector<int64_t>& dims) {
  Shape joined;
  bool previous = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (reduced[d] && previous) {
      joined.back() *= shape[d];
    } else {
      if (reduced[d]) dims.push_back(static_cast<int64_t>(joined.size()));
      joined.push_back(shape[d]);
    }
    previous = reduced[d];
  }
  return joined;
}

int64_t largest_divisor(int64_t n, int64_t limit) {
  for (int64_t d = std::min(n, limit); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

// Reduces dimension `at` of x in `parts` partial results and then those; other reduced dimensions with the first step.
ValueId reduce_in_parts(ir::Builder& build, isa::AluOp alu, ValueId x, const std::vector<int64_t>& dims, int64_t at, int64_t parts) {
  Shape split = build.shape(x);
  const int64_t whole = split[at];
  split[at] = parts;
  split.insert(split.begin() + at + 1, whole / parts);
  std::vector<int64_t> first{at + 1};
  for (int64_t d : dims)
    if (d != at) first.push_back(d > at ? d + 1 : d);
  std::sort(first.begin(), first.end());
  const ValueId partial = build.reduce(alu, build.reshape(x, split), first);
  Shape without = build.shape(partial);
  without.erase(without.begin() + at + 1);
  return build.reduce(alu, build.reshape(partial, without), {at});
}

}  // namespace

Status split_reductions(ir::Module& module) {
  const std::vector<bool> stays = in_memory(module);
  rewrite(module, [&](ir::Builder& build, const Op& op, ValueId old) -> std::optional<ValueId> {
    if (op.kind != OpKind::reduce) return std::nullopt;
    const ValueId x = op.operands[0];
    const Shape from = build.shape(x);
    int64_t results = 1, elements = 1;
    for (int64_t s : op.shape) results *= s;
    for (int64_t s : from) elements *= s;
    if (results == 0 || elements == 0) return std::nullopt;
    const auto columns = column_reduction(from, op.dims);
    const bool few = results < kEnoughResults && elements / results >= kWorthwhile / std::min<int64_t>(results, 8);
    const bool computed_columns = columns && columns->rows >= kManyRows && columns->columns >= kEnoughResults &&
                                  !lies_in_rows(module, module.ops[old].operands[0], stays);
    if (!few && !computed_columns) return std::nullopt;
    std::vector<bool> reduced(from.size(), false);
    for (int64_t d : op.dims) reduced[d] = true;
    std::vector<int64_t> dims;
    const Shape joined = join_reduced(from, reduced, dims);
    if (joined.size() + 1 > ir::kMaxRank) return std::nullopt;
    const int64_t at = *std::max_element(dims.begin(), dims.end(), [&](int64_t a, int64_t b) { return joined[a] < joined[b]; });
    // Results outside of the run share the partitions with its parts; those inside lie on the free axis.
    int64_t outside = 1;
    for (int64_t d = 0; d < at; ++d)
      if (std::find(dims.begin(), dims.end(), d) == dims.end()) outside *= joined[d];
    const int64_t most = std::max<int64_t>(1, kPartitions / outside);
    const int64_t whole = joined[at];
    if (most < 2 || whole < 2 * most) return std::nullopt;
    const ValueId seen = build.reshape(x, joined);
    const int64_t parts = largest_divisor(whole, most);
    if (parts * 2 > most) {
      return build.reshape(reduce_in_parts(build, op.alu, seen, dims, at, parts), op.shape);
    }
    const int64_t main = whole - whole % most;
    const ValueId head = reduce_in_parts(build, op.alu, build.slice_dim(seen, at, 0, main), dims, at, most);
    const ValueId tail = build.reduce(op.alu, build.slice_dim(seen, at, main, whole - main), dims);
    return build.reshape(build.binary(op.alu, head, tail), op.shape);
  });
  return ok_status();
}

}  // namespace lanewise::compiler::pass

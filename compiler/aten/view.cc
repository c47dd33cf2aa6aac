// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The same elements seen through other indices, and pieces of them.
#include <algorithm>

#include "compiler/aten/host_run.h"
#include "compiler/aten/reduce.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

// Row-major reinterpretation, in the sizes that PyTorch already worked out.
Status lower_reshape(Lowering& l) { return l.result(l.build.reshape(l.tensor(0), l.meta().sizes)); }

Status lower_expand(Lowering& l) { return l.result(l.build.broadcast(l.tensor(0), l.meta().sizes)); }

Status lower_permute(Lowering& l) {
  const int64_t rank = l.build.rank(l.tensor(0));
  LW_ASSIGN_OR_RETURN(auto dims, l.dims(l.integers(1), rank));
  if (static_cast<int64_t>(dims.size()) != rank) return l.wrong("dims must name every dimension");
  return l.result(l.build.permute(l.tensor(0), std::move(dims)));
}

Status lower_transpose(Lowering& l) {
  const int64_t rank = l.build.rank(l.tensor(0));
  LW_ASSIGN_OR_RETURN(const int64_t a, l.dim(l.integer(1), rank));
  LW_ASSIGN_OR_RETURN(const int64_t b, l.dim(l.integer(2), rank));
  std::vector<int64_t> dims = all_dims(rank);
  if (rank > 0) std::swap(dims[a], dims[b]);
  return l.result(l.build.permute(l.tensor(0), std::move(dims)));
}

Status lower_t(Lowering& l) {
  if (l.build.rank(l.tensor(0)) > 2) return l.wrong("is for at most two dimensions");
  return l.result(l.build.transpose(l.tensor(0)));
}

// Python's slice: counted from the end when negative, then cut to the size.
struct Range {
  int64_t start, count;
};

Result<Range> python_range(const Lowering& l, size_t start, size_t end, int64_t step, int64_t size) {
  if (step <= 0) return l.wrong("step must be positive");
  const auto cut = [size](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
  const int64_t first = l.given(start) ? cut(l.integer(start)) : 0;
  const int64_t last = l.given(end) ? cut(l.integer(end)) : size;
  return Range{first, last <= first ? 0 : (last - first - 1) / step + 1};
}

// slice.Tensor(self, dim, start?, end?, step)
Status lower_slice(Lowering& l) {
  const ValueId x = l.tensor(0);
  if (l.build.rank(x) == 0) return l.wrong("a tensor without dimensions has no slice");
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1), l.build.rank(x)));
  const int64_t step = l.integer(4, 1);
  LW_ASSIGN_OR_RETURN(const Range range, python_range(l, 2, 3, step, l.build.size(x, dim)));
  return l.result(l.build.slice_dim(x, dim, range.start, range.count, step));
}

Result<int64_t> index_in(const Lowering& l, int64_t index, int64_t size) {
  const int64_t counted = index < 0 ? index + size : index;
  if (counted < 0 || counted >= size) return l.wrong("index " + std::to_string(index) + " of a dimension of size " + std::to_string(size));
  return counted;
}

Status lower_select(Lowering& l) {
  const ValueId x = l.tensor(0);
  if (l.build.rank(x) == 0) return l.wrong("a tensor without dimensions has no element to select");
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1), l.build.rank(x)));
  LW_ASSIGN_OR_RETURN(const int64_t index, index_in(l, l.integer(2), l.build.size(x, dim)));
  return l.result(l.build.reshape(l.build.slice_dim(x, dim, index, 1), l.meta().sizes));
}

// The results one after the other along `dim`, each with its own size there; `drop` takes the dimension away.
Status pieces(Lowering& l, int64_t given_dim, bool drop) {
  const ValueId x = l.tensor(0);
  if (l.build.rank(x) == 0) return l.wrong("a tensor without dimensions cannot be split");
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(given_dim, l.build.rank(x)));
  const std::vector<int64_t> sizes = l.integers(1);
  int64_t start = 0;
  for (size_t k = 0; k < l.results(); ++k) {
    const int64_t each = drop ? 1 : sizes.size() == 1 ? sizes[0] : k < sizes.size() ? sizes[k] : 0;
    const int64_t size = std::min(each, l.build.size(x, dim) - start);
    if (size < 0) return l.wrong("more results than pieces");
    if (l.wanted(k)) {
      const ValueId piece = l.build.slice_dim(x, dim, start, size);
      LW_RETURN_IF_ERROR(l.result(k, drop ? l.build.reshape(piece, l.meta(k).sizes) : piece));
    }
    start += size;
  }
  return ok_status();
}

Status lower_split(Lowering& l) { return pieces(l, l.integer(2, 0), false); }
Status lower_unbind(Lowering& l) { return pieces(l, l.integer(1, 0), true); }

// As many pieces of ceil(size / chunks) as are needed.
Status lower_chunk(Lowering& l) {
  const ValueId x = l.tensor(0);
  const int64_t chunks = l.integer(1);
  if (l.build.rank(x) == 0 || chunks <= 0) return l.wrong("needs a dimension and at least one chunk");
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(2, 0), l.build.rank(x)));
  const int64_t size = l.build.size(x, dim), each = (size + chunks - 1) / chunks;
  for (size_t k = 0; k < l.results(); ++k) {
    const int64_t start = std::min<int64_t>(each * static_cast<int64_t>(k), size);
    if (l.wanted(k)) LW_RETURN_IF_ERROR(l.result(k, l.build.slice_dim(x, dim, start, std::min(each, size - start))));
  }
  return ok_status();
}

Status lower_narrow(Lowering& l) {
  const ValueId x = l.tensor(0);
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1), l.build.rank(x)));
  const int64_t start = l.integer(2), size = l.build.size(x, dim);
  return l.result(l.build.slice_dim(x, dim, start < 0 ? start + size : start, l.integer(3)));
}

// Other strides on the memory of a graph input, from where that input begins.
Status lower_as_strided(Lowering& l) {
  const ir::Op& op = l.build.op(l.tensor(0));
  if (op.kind != ir::OpKind::input) return l.unsupported("only inputs of the graph can be seen through other strides");
  if (l.given(3)) return l.unsupported("a storage offset counts from the storage's beginning, which the program does not know");
  TensorMeta before{op.dtype, op.shape, op.strides}, after{op.dtype, l.integers(1), l.integers(2)};
  if (after.sizes != l.meta().sizes || after.strides.size() != after.sizes.size()) return l.wrong("sizes and strides do not fit");
  if (span_of(after) > span_of(before)) return l.unsupported("the strides reach beyond the input");
  return l.result(l.build.input(op.index, op.dtype, after.sizes, after.strides));
}

constexpr Row kRows[] = {
    {"aten::_reshape_alias", "tensor ints ints", lower_reshape},
    {"aten::_unsafe_view", "tensor ints", lower_reshape},
    {"aten::as_strided", "tensor ints ints | int?", lower_as_strided},
    {"aten::chunk", "tensor int | int", lower_chunk},
    {"aten::expand", "tensor ints | bool", lower_expand},
    {"aten::narrow", "tensor int int int", lower_narrow},
    {"aten::permute", "tensor ints", lower_permute},
    {"aten::reshape", "tensor ints", lower_reshape},
    {"aten::select.int", "tensor int int", lower_select},
    {"aten::slice.Tensor", "tensor | int int? int? int", lower_slice},
    {"aten::split.Tensor", "tensor int | int", lower_split},
    {"aten::split_with_sizes", "tensor ints | int", lower_split},
    {"aten::squeeze", "tensor", lower_reshape},
    {"aten::squeeze.dim", "tensor int", lower_reshape},
    {"aten::squeeze.dims", "tensor ints", lower_reshape},
    {"aten::t", "tensor", lower_t},
    {"aten::transpose.int", "tensor int int", lower_transpose},
    {"aten::unbind.int", "tensor | int", lower_unbind},
    {"aten::unsqueeze", "tensor int", lower_reshape},
    {"aten::view", "tensor ints", lower_reshape},
};

}  // namespace

std::span<const Row> view_rows() { return kRows; }

}  // namespace lanewise::compiler::aten

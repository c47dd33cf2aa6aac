// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/view.h"

namespace lanewise::sim::core {

View merged(const View& view) {
  View out;
  out.base = view.base;
  out.dtype = view.dtype;
  for (int i = 0; i < view.rank; ++i) {
    if (view.count[i] == 1) continue;
    if (out.rank > 0 && out.stride[out.rank - 1] == view.stride[i] * view.count[i]) {
      out.count[out.rank - 1] *= view.count[i];
      out.stride[out.rank - 1] = view.stride[i];
    } else {
      out.push(view.count[i], view.stride[i]);
    }
  }
  if (out.rank == 0) out.push(1, isa::dtype_bytes(view.dtype));
  return out;
}

RunCursor::RunCursor(const View& view) : view_(merged(view)) {
  at_ = row_ = view_.base;
  run_ = view_.count[view_.rank - 1];
  stride_ = view_.stride[view_.rank - 1];
}

void RunCursor::next_run() {
  int d = view_.rank - 2;
  for (; d >= 0; --d) {
    row_ += view_.stride[d];
    if (++index_[d] < view_.count[d]) break;
    row_ -= view_.stride[d] * view_.count[d];
    index_[d] = 0;
  }
  at_ = row_;
  run_ = view_.count[view_.rank - 1];
}

}  // namespace lanewise::sim::core

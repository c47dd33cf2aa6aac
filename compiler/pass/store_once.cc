// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A store with stride 0 (an expanded result) writes one element several times and keeps the last one. Only that one is
// stored.
#include "compiler/pass/prepare.h"
#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {

Status store_once(ir::Module& module) {
  ir::Builder build(module);
  for (ir::Store& store : module.stores) {
    const Shape from = build.shape(store.value);
    Shape starts(from.size(), 0), shape = from;
    for (size_t d = 0; d < from.size(); ++d) {
      if (store.strides[d] != 0 || from[d] < 2) continue;
      starts[d] = from[d] - 1;
      shape[d] = 1;
    }
    if (shape == from) continue;
    build.set_origin(build.op(store.value).aten, build.op(store.value).aten_node);
    store.value = build.slice(store.value, starts, shape, Shape(from.size(), 1));
  }
  return ok_status();
}

}  // namespace lanewise::compiler::pass

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// IR passes that prepare a module for scheduling: they put it into the form that stages can run fast. They stand after
// the pipeline (which makes modules canonical) and know the chip's shape: 128 partitions, a PE that adds up over them.
//
// They keep the meaning; sums are only taken in another order, which IR leaves open.
#pragma once

#include "base/status.h"
#include "compiler/ir/module.h"

namespace lanewise::compiler::pass {

// Where a store has stride 0, only the element that stays is stored.
Status store_once(ir::Module& module);

// A reduction to few results over many elements becomes two: first to about 128 partial results, so that every
// partition has work, then over those.
Status split_reductions(ir::Module& module);

// A sum over leading dimensions of what lies in memory becomes ones[1, R] x value[R, C]: the PE adds over partitions,
// and memory is read as it lies.
Status sum_columns_on_pe(ir::Module& module);

}  // namespace lanewise::compiler::pass

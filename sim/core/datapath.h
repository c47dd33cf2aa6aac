// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The elementwise instructions that Vector, Scalar and GpSimd share: values only.
//
// The float datapath computes in f32 and rounds once on the way out. An instruction whose data and scalars are all
// integers computes exactly in 64 bits when its unit says so (GpSimd), and on every engine when its operations are
// exact there anyway (comparisons, bitwise and logical operations, maximum, minimum, copies, selects).
// An instruction whose output overlaps an input other than element by element has no defined result.
#pragma once

#include "base/status.h"
#include "isa/instruction.h"
#include "sim/core/memory.h"
#include "sim/core/stream.h"

namespace lanewise::sim::core {

struct Work {
  const Memory& memory;
  const isa::Instruction& in;
  const Registers& registers;
  bool exact_integers = false;   // this unit computes on integers in 64 bits
};

// Errors of all: out_of_range operands; invalid_argument where element counts or operations do not fit.
Status tensor_copy(const Work& work);
Status tensor_tensor(const Work& work);
Status tensor_scalar(const Work& work);
Status tensor_reduce(const Work& work);
Status select(const Work& work);   // also tensor_copy_predicated
Status memset(const Work& work);

// Partitions of dst, and elements in each; every given source must have the same.
struct Shape {
  int64_t partitions = 0, elements = 0;
};
Status same_shape(const isa::Tile& dst, std::initializer_list<const isa::Tile*> sources, Shape* shape);

}  // namespace lanewise::sim::core

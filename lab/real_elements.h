// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What Vector, Scalar and GpSimd of a real binary do, as instructions of ours.
//
//   TENSOR_TENSOR                         tensor_tensor
//   TENSOR_SCALAR                         tensor_scalar
//   TENSOR_REDUCE, POOL                   tensor_reduce; its results negated or scaled by a tensor_scalar of their own
//   SCALAR_TENSOR_TENSOR                  tensor_scalar into the target, tensor_tensor on it; only into f32, where the
//                                         step between is not rounded
//   COPY, CAST, RECIPROCAL, MEMSET, IOTA  their namesakes
//   COPY_PREDICATED                       tensor_copy_predicated
//   ACTIVATE                              activation
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "isa/trn2/instruction.h"

namespace lanewise::lab {

// Sentences on what is read from descriptions or by analogy and was proved on no file; each once.
class Notes {
 public:
  void add(std::string sentence);
  std::vector<std::string> take() { return std::move(sentences_); }

 private:
  std::vector<std::string> sentences_;
};

// unimplemented: `why` and the instruction's 64 bytes.
Status refuse(const isa::trn2::Instruction& in, std::string why);

// Errors: unimplemented where the operand is missing, of a type we do not compute, or past partition 127.
Result<isa::Tile> tile_of(const isa::trn2::Instruction& in, isa::trn2::Role role, Notes* notes);

// In order, without engine, wait and update. Empty for an opcode of another kind. Errors: unimplemented, with the
// instruction's bytes, for what has no counterpart.
Result<std::vector<isa::Instruction>> elements_of(const isa::trn2::Instruction& in, Notes* notes);

}  // namespace lanewise::lab

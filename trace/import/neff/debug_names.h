// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The compiler's names of instructions. Two protobuf files an engine: the `asm` one has an entry for each instruction of
// the binary, in order, that refers to an entry of the `backend` one, which has the name ("I-8-0") and refers to an entry
// of the file of the compiler's tensor level, one for the program: "float32<128 x 420> $26[tile_out_ch]", what the kernel
// makes there and in which of its loops.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lanewise::trace::neff {

struct InstructionName {
  std::string name;      // empty: none
  std::string made_of;   // entry of the tensor level; empty: none
  bool operator==(const InstructionName&) const = default;
};

// By instruction. `tensors` may be empty. Errors: data_loss with the byte offset.
Result<std::vector<InstructionName>> instruction_names(std::string_view assembly, std::string_view backend, std::string_view tensors);

}  // namespace lanewise::trace::neff

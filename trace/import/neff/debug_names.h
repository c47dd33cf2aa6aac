// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The compiler's names of instructions. Two protobuf files an engine: the `asm` one has an entry for each instruction of
// the binary, in order, that refers to an entry of the `backend` one, which has the name ("I-8-0").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lanewise::trace::neff {

// By instruction; empty where an instruction has none. Errors: data_loss with the byte offset.
Result<std::vector<std::string>> instruction_names(std::string_view assembly, std::string_view backend);

}  // namespace lanewise::trace::neff

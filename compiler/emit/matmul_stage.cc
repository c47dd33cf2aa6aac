// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/matmul_stage.h"

namespace lanewise::compiler::emit {

Status emit_matmul_stage(const stage::Stage& stage, Writer& writer) {
  return unimplemented("matmul is not emitted yet");
}

}  // namespace lanewise::compiler::emit

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "compiler/emit/writer.h"
#include "compiler/stage/stage.h"

namespace lanewise::compiler::emit {

// Errors: unimplemented for integer matmuls.
Status emit_matmul_stage(const stage::Stage& stage, Writer& writer);

}  // namespace lanewise::compiler::emit

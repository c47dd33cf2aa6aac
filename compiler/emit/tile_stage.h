// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Emits a tile stage without a matmul: all frames of its kept atoms, one after the other.
#pragma once

#include "compiler/emit/writer.h"
#include "compiler/stage/stage.h"

namespace lanewise::compiler::emit {

void emit_tile_stage(const stage::Stage& stage, Writer& writer);

}  // namespace lanewise::compiler::emit

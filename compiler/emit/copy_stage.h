// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A copy stage: DMAs from device memory to device memory, large ones in pieces so that what reads the first piece need
// not wait for the last.
#pragma once

#include "compiler/emit/writer.h"
#include "compiler/stage/stage.h"

namespace lanewise::compiler::emit {

void emit_copy_stage(const stage::Stage& stage, Writer& writer);

}  // namespace lanewise::compiler::emit

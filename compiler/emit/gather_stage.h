// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of a table by index: indices on the partitions, one indirect DMA (software descriptors, triggered by GpSimd) for
// up to 128 rows, wide rows in parts that fit SBUF.
#pragma once

#include "base/status.h"
#include "compiler/emit/writer.h"
#include "compiler/stage/stage.h"

namespace lanewise::compiler::emit {

Status emit_gather_stage(const stage::Stage& stage, Writer& writer);

}  // namespace lanewise::compiler::emit

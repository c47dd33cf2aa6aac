// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise bench generate: writes a synthetic trace and prints its shape beside that of the real one.
#pragma once

#include "tools/trace_shape.h"

namespace lanewise::tools {

int run_bench_generate(const GenerateOptions& options);

}  // namespace lanewise::tools

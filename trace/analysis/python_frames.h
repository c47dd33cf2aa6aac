// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Python functions around a slice, by containment.
#pragma once

#include <string>
#include <string_view>

#include "trace/analysis/model.h"

namespace lanewise::trace::analysis {

// Names of modules in Python rows begin with this; "nn.Module: Linear_0".
inline constexpr std::string_view kModulePrefix = "nn.Module: ";

// The innermost Python function around the row (or the row itself) that is no module; kNoRow.
schema::Row python_frame(const Model& model, uint32_t part, schema::Row row);
// The innermost `frames` Python functions, innermost first, "; " between.
std::string python_stack(const Model& model, uint32_t part, schema::Row row, int frames);
// The modules around the row, outermost first, "/" between: "Net_0/Linear_0".
std::string module_path(const Model& model, uint32_t part, schema::Row row);

}  // namespace lanewise::trace::analysis

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/validate.h"

namespace lanewise::tools {

// A table a capture for people.
std::string validate_text(const std::vector<lab::Validation>& all);
// docs/fidelity.md: the same tables, and in words where the model is off.
std::string validate_markdown(const std::vector<lab::Validation>& all, const machine::Machine& machine);

}  // namespace lanewise::tools

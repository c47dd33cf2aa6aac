// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The ordered list of passes on the IR, up to scheduling.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/ir/module.h"

namespace lanewise::compiler::pass {

struct Pass {
  std::string_view name;
  Status (*run)(ir::Module&);
};

std::span<const Pass> pipeline();

// Runs all passes and verifies the module at the end (after each pass when `dump` is set). `dump` gets the name and the
// text after each pass.
Status run_pipeline(ir::Module& module, const std::function<void(std::string_view, const std::string&)>& dump = nullptr);

}  // namespace lanewise::compiler::pass

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise view: the flags, keys and layout of the public tool's `view`, so that scripts and greps go on working
// (docs/device_level.md). It exits by itself when it is done.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace lanewise::tools {

class ViewCommand {
 public:
  explicit ViewCommand(CLI::App& app);
  ~ViewCommand();

  bool parsed() const;
  // Arguments for `python -m lanewise.trace.command`, which writes Parquet; empty: run() answers.
  std::vector<std::string> python_words() const;
  // 0 done; 2 wrong input, a form that is not built, or something that could not be read: it is said on stderr, the rest is written.
  int run() const;

 private:
  Result<int> answer() const;
  struct Arguments;
  std::unique_ptr<Arguments> arguments_;
};

}  // namespace lanewise::tools

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise device run FILE.neff --inputs X.npz --outputs Y.npz: executes a compiled program, ours or one for real trn2, for
// values.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lanewise::tools {

class DeviceRun {
 public:
  explicit DeviceRun(CLI::App& device);
  bool parsed() const { return command_->parsed(); }
  int run() const;   // exit code

 private:
  CLI::App* command_;
  std::string path_, inputs_, outputs_, machine_;
};

}  // namespace lanewise::tools

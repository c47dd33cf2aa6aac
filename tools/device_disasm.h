// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise device disasm FILE.neff: the instructions of a compiled program, ours or one for real trn2, one a line, and a
// ledger of every byte and every member of the archive.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lanewise::tools {

class DeviceDisasm {
 public:
  explicit DeviceDisasm(CLI::App& device);
  bool parsed() const { return command_->parsed(); }
  int run() const;   // exit code

 private:
  CLI::App* command_;
  std::string path_, engine_;
  bool json_ = false;
};

}  // namespace lanewise::tools

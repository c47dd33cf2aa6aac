// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lanewise::tools {

struct ValidateArguments {
  std::vector<std::string> paths;   // NEFF NTFF, or a folder of pairs
  std::string machine = "trn2";
  bool json = false, markdown = false;
};

// `lanewise validate`: the timing model against captures of a real chip.
class ValidateCommand {
 public:
  explicit ValidateCommand(CLI::App& app);
  bool parsed() const;
  // 0; 2 when a pair cannot be read or replayed (the others are still shown).
  int run() const;

 private:
  CLI::App* command_;
  std::unique_ptr<ValidateArguments> arguments_;
};
ValidateCommand add_validate(CLI::App& app);

}  // namespace lanewise::tools

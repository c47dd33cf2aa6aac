// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise device whatif PATH --set key=value: the captured program on changed machine numbers (lab/whatif.h).
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace lanewise::tools {

class DeviceWhatIf {
 public:
  explicit DeviceWhatIf(CLI::App& device);
  ~DeviceWhatIf();

  bool parsed() const;
  int run() const;

 private:
  struct Arguments;
  std::unique_ptr<Arguments> arguments_;
};

}  // namespace lanewise::tools

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise device QUESTION PATH [NTFF]: what one execution looked like inside the core. One subcommand for each row of
// trace/device_analysis/questions.h; reading, choosing an execution and the output forms are the same for all.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "tools/answer.h"
#include "trace/session/device_files.h"

namespace lanewise::tools {

struct DeviceArguments : OutputArguments {
  trace::session::DeviceRequest request;
  std::string machine;      // "": the one of the capture
  std::string between;      // FROM,TO; "": all
  bool strict = false;
  bool whole = false;       // a real capture with the runtime's prologue and epilogue
};

// The group `device` with its questions. Others add their own subcommands to it.
class DeviceCommand {
 public:
  explicit DeviceCommand(CLI::App& app);
  ~DeviceCommand();

  CLI::App& group();
  // Whether one of the questions was given, and its answer. Exit code as for the commands on traces.
  bool parsed() const;
  int run() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lanewise::tools

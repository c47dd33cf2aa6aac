// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lanewise::tools {

struct InfoArguments {
  std::string path;
  std::string producers;  // a file that adds accelerators, or ""
  bool json = false;
  bool strict = false;
};

// `lanewise info`: what is in a trace and what happened to its bytes. The exit code: 0; 2 for an empty or unreadable input,
// or a damaged one with `strict`; 130 after Ctrl-C.
int run_info(const InfoArguments& arguments);

}  // namespace lanewise::tools

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A child process whose output is wanted. It dies with this process, when it takes too long, and when nobody wants it any more.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace lanewise::server::http {

struct ChildLimits {
  size_t most_output = 256 << 20;  // bytes of stdout
  int seconds = 300;
  std::function<bool()> wanted;    // asked a few times a second; empty: always
};

struct ChildResult {
  int exit_code = 0;
  std::string output, errors;  // stdout, the first 64 KiB of stderr
};

// argv[0] is looked up in PATH. not_found: it cannot be started. resource_exhausted: too much output. deadline_exceeded, cancelled.
Result<ChildResult> run_child(const std::vector<std::string>& argv, const ChildLimits& limits);

}  // namespace lanewise::server::http

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::tools {

inline constexpr int kDefaultPort = 7424;

struct OpenArguments {
  std::vector<std::string> paths;
  int port = -1;            // -1: kDefaultPort, else the next free one
  bool no_open = false;     // do not start a browser
  bool json = false;        // one line {"schema","url","port","pid"} on stdout
  std::vector<std::string> allowed_hosts, source_roots;
  uint64_t upload_limit = uint64_t{8} << 30;
  int64_t stop_when_idle_s = 0;  // stop after so long without a request; 0: never
  std::string version, python;
};

// `lanewise open`: serves the page until Ctrl-C (exit 130), SIGTERM or idleness (exit 0). 2: a path that cannot be read, or a port that is taken.
int run_open(const OpenArguments& arguments);

}  // namespace lanewise::tools

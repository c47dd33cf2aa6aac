// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise compare A B [C ...]. Its limits may be ratios: --fail-if 'step>1.03x' is about table metrics, every side against A.
#pragma once

#include <string>
#include <vector>

namespace lanewise::tools {

struct CompareArguments {
  std::vector<std::string> paths, fail_if, steps;
  std::string producers, table;
  bool json = false, csv = false, strict = false;
  int64_t top = -1;
};

// Exit code: 0; 1 a limit was exceeded; 2 usage or input; 130 interrupted.
int run_compare(const CompareArguments& arguments);

}  // namespace lanewise::tools

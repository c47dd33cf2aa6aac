// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A conformance test that a driver cannot pass, and why. The suite skips it and prints the reason.
#pragma once

#include <string_view>

namespace lanewise::runtime {

struct KnownGap {
  std::string_view test;     // name of the test in runtime/conformance, "execute_computes_values"
  std::string_view reason;   // a sentence
};

}  // namespace lanewise::runtime

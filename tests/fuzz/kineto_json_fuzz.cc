// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer target of the Kineto JSON importer: any bytes, read in one piece, in several, and by both instruction sets.
// tests/fuzz/run.sh builds and runs it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "trace/import/kineto_json/import_invariants.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string broken = lanewise::trace::kineto_json::broken_invariant(bytes);
  if (!broken.empty()) {
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort();
  }
  return 0;
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target of the reader of real device captures: any bytes, alone and with a program that may or may not fit.
// tests/fuzz/run.sh builds and runs it.
#define LANEWISE_SOURCE_DIR "."
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "trace/import/ntff/import_invariants.h"
#include "trace/import/ntff/ntff_fixture.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace ntff = lanewise::trace::ntff;
  static const lanewise::trace::device::Program fits = ntff::test::Small().program();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto& program : {lanewise::trace::device::Program(), fits}) {
    const std::string broken = ntff::broken_invariant(bytes, program);
    if (broken.empty()) continue;
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort();
  }
  return 0;
}

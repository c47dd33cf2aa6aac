// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The only file that is compiled for AVX2. Everything that other files use as well is included before the switch, so that no
// function of theirs is replaced by one that needs AVX2.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/import/kineto_json/arg_keys.h"
#include "trace/import/kineto_json/chunk.h"
#include "trace/import/kineto_json/decimal.h"
#include "trace/import/kineto_json/event_start.h"
#include "trace/import/kineto_json/parser.h"

#if defined(__x86_64__)
#include <immintrin.h>
#pragma GCC push_options
#pragma GCC target("avx2,bmi,lzcnt,popcnt")
#include "trace/import/kineto_json/scan_avx2.h"
//
#include "trace/import/kineto_json/document_parser.h"
#pragma GCC pop_options

namespace lanewise::trace::kineto_json {

std::unique_ptr<Parser> make_avx2_parser() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi")) return nullptr;
  return std::make_unique<DocumentParser<Avx2Scan>>();
}

}  // namespace lanewise::trace::kineto_json
#else
namespace lanewise::trace::kineto_json {
std::unique_ptr<Parser> make_avx2_parser() { return nullptr; }
}  // namespace lanewise::trace::kineto_json
#endif

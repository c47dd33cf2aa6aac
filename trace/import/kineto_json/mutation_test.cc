// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Thousands of damaged files, the same ones in every run. Under `./test --sanitize` every read is checked as well. The fuzz
// target (tests/fuzz) looks further, with the same invariants.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "trace/import/kineto_json/import_invariants.h"

namespace lanewise::trace::kineto_json {
namespace {

const char* const kSeeds[] = {
    R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1.5, "dur": 2,
 "args": {"External id": 3, "correlation": 4, "Input Dims": [[1, 2], [3]], "dtype": "float"}}, {"ph": "M", "name": "process_name",
 "args": {"name": "x"}}], "displayTimeUnit": "ms", "baseTimeNanoseconds": 12})",
    R"([{"name":"a\u00e9\n","ph":"B","ts":"1e3","pid":1,"tid":"t"},{"ph":"E","ts":1e4,"pid":1,"tid":"t"},{"ph":"s","id":"0x1f","bp":"e"}])",
    R"({"ph":"X","name":"line 1","args":{"Collective name":"x","bytes":12345678901234567890}}
{"ph":"X","name":"line 2","ts":-0.0001})",
};
const char* const kPieces[] = {"{", "}", "[", "]", "\"", "\\", ",", ":", "\"ph\"", "{\"ph\": \"X\"", "\"traceEvents\": [", "}, {", "][",
                               "NaN", "null", "1e999", "-", ".", "\n", " ", "\x01", "\xff", "\xf0\x9f", "\\u12", "\\ud800", "\"args\": {",
                               "99999999999999999999", "\xef\xbb\xbf", "\"ts\": ", ", \"traceName\": \"x\""};

std::string mutate(std::string text, std::mt19937& random) {
  const auto pick = [&](size_t n) { return static_cast<size_t>(random()) % n; };
  for (size_t n = 1 + pick(6); n > 0 && !text.empty(); --n) {
    const size_t at = pick(text.size());
    switch (pick(6)) {
      case 0: text.erase(at, 1 + pick(12)); break;
      case 1: text.insert(at, kPieces[pick(std::size(kPieces))]); break;
      case 2: text[at] = static_cast<char>(random()); break;
      case 3: text.insert(at, text.substr(pick(text.size()), pick(80))); break;
      case 4: text.resize(at); break;
      default: text.replace(at, 1, kPieces[pick(std::size(kPieces))]); break;
    }
  }
  return text;
}

TEST(Mutation, NoDamageBreaksAnInvariant) {
  std::mt19937 random(20260829);
  for (int round = 0; round < 6000; ++round) {
    const std::string text = mutate(kSeeds[static_cast<size_t>(round) % std::size(kSeeds)], random);
    const std::string broken = broken_invariant(text);
    ASSERT_EQ(broken, "") << "round " << round << "\n" << text;
  }
}

}  // namespace
}  // namespace lanewise::trace::kineto_json

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Results must not depend on threads, on where chunks end, or on the instruction set. A small file that holds every kind of
// oddity is cut at every byte; others are read by one, two and seven parsers with chunks of all sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "trace/import/kineto_json/import_fixture.h"
#include "trace/import/kineto_json/parser.h"

namespace lanewise::trace::kineto_json {
namespace {

// Good events of every phase and form.
std::string good_file() {
  return R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "d{\"ph\": \"X\"}"}],
  "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::mul", "pid": 1, "tid": 2, "ts": 10.125, "dur": 5,
   "args": {"External id": 3, "Input Dims": [[4, 512], []], "Call stack": "a;b, {\"ph\": 1}"}},
  {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}},
  {"name":"k","ph":"X","cat":"kernel","pid":0,"tid":"stream 7","ts":"12.5","dur":1e1,"args":{"correlation":18446744073709551617,"device":0}},
  {"ph": "s", "id": 9, "pid": 1, "tid": 2, "ts": 11, "cat": "ac2g", "name": "ac2g"},
  {"ph": "B", "name": "b\u00e9\ud83d\ude00", "pid": 1, "tid": 5, "ts": 1},
  {"ph": "E", "pid": 1, "tid": 5, "ts": -3.0004},
  {"ph": "C", "pid": "GPU", "tid": null, "ts": 4, "name": "util", "args": {"": 93.1}}
  ],
  "traceName": "x[{\"ph\": \"X\"}].json", "displayTimeUnit": "ms"}
)";
}

// The same with damage in many places.
std::string damaged_file() {
  return R"(log {line}
{"deviceProperties": [], "traceEvents": [
  {"ph": "X", "name": "ok", "ts": 1, "dur": 1},,
  {"ph": "X", "name": "bad", "ts": : 1, "args": {"name": "x"}},
  {"ph": "X", "name": "quo"te", "ts": 2},
  {"ph": "X", "name": "C:\dir\", "ts": 3}
  {"ph": "X", pid": 4, "name": "key", "args": {"x": NaN}},
  null,
  {"ph": "X", "name": "cut", "args": {"a": [1, {"ph": "X", "name": "after", "ts": 5}, )"
         "{\"ph\": \"X\", \"name\": \"ctl\x01\xff\", \"ts\": 6}][{\"ph\": \"X\", \"name\": \"seam\"}], \"a\": oops, \"displayTimeUnit\": \"ns\"}\n"
         "{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"second\", \"ts\": 7}";
}

TEST(Boundary, ACutAtAnyByteChangesNothing) {
  for (const std::string& text : {good_file(), damaged_file()}) {
    const std::string want = dump(import_text(text));
    for (uint64_t cut = 1; cut < text.size(); ++cut) {
      ASSERT_EQ(dump(import_text(text, {.threads = 1}, {.cuts = {cut}})), want) << "cut at " << cut;
    }
  }
}

TEST(Boundary, ThreeCutsAnywhereChangeNothing) {
  std::mt19937 random(5);
  for (const std::string& text : {good_file(), damaged_file()}) {
    const std::string want = dump(import_text(text));
    for (int i = 0; i < 1500; ++i) {
      std::vector<uint64_t> cuts;
      for (int k = 0; k < 3; ++k) cuts.push_back(1 + random() % (text.size() - 1));
      std::sort(cuts.begin(), cuts.end());
      ASSERT_EQ(dump(import_text(text, {.threads = 1}, {.cuts = cuts})), want)
          << cuts[0] << " " << cuts[1] << " " << cuts[2];
    }
  }
}

TEST(Boundary, ACutAtEveryByteAtOnceChangesNothing) {
  for (const std::string& text : {good_file(), damaged_file()}) {
    std::vector<uint64_t> cuts;
    for (uint64_t cut = 1; cut < text.size(); ++cut) cuts.push_back(cut);
    EXPECT_EQ(dump(import_text(text, {.threads = 1}, {.cuts = cuts})), dump(import_text(text)));
  }
}

// Many events, every tenth of them damaged when asked for.
std::string long_file(int events, bool damaged, uint32_t seed) {
  std::mt19937 random(seed);
  std::string text = "{\"schemaVersion\": 1,\n\"traceEvents\": [\n";
  for (int i = 0; i < events; ++i) {
    std::string event = R"({"ph": "X", "cat": "cpu_op", "name": "op)" + std::to_string(random() % 50) + R"(", "pid": 1, "tid": )" +
                        std::to_string(random() % 5) + ", \"ts\": " + std::to_string(i) + "." + std::to_string(random() % 1000) +
                        ", \"dur\": 1, \"args\": {\"External id\": " + std::to_string(i) + ", \"Input Dims\": [[" +
                        std::to_string(random() % 9) + ", 2]]}}";
    if (damaged && random() % 10 == 0) {
      const size_t at = random() % event.size();
      switch (random() % 5) {
        case 0: event.erase(at); break;
        case 1: event[at] = '"'; break;
        case 2: event[at] = '\\'; break;
        case 3: event.insert(at, "{"); break;
        default: event[at] = '\x02'; break;
      }
    }
    text += event + (i + 1 < events ? ",\n" : "\n");
  }
  return text + "], \"traceName\": \"t\"}\n";
}

TEST(Boundary, OneTwoAndSevenParsersAgree) {
  for (const bool damaged : {false, true}) {
    const std::string text = long_file(3000, damaged, 11);
    const std::string want = dump(import_text(text));
    for (const int threads : {2, 7}) {
      for (const size_t chunk : {size_t{200}, size_t{1000}, size_t{4096}, size_t{100'000}}) {
        ASSERT_EQ(dump(import_text(text, {.threads = threads, .chunk_bytes = chunk})), want)
            << threads << " threads, chunks of " << chunk << (damaged ? ", damaged" : "");
      }
    }
  }
}

TEST(Boundary, DamagedFilesOfManyKindsAgree) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    const std::string text = long_file(120, true, seed);
    const std::string want = dump(import_text(text));
    ASSERT_EQ(dump(import_text(text, {.threads = 2, .chunk_bytes = 300 + seed * 37})), want) << seed;
    ASSERT_EQ(dump(import_text(text, {.threads = 1}, {.scalar = true})), want) << seed;
  }
}

TEST(Boundary, GuessesAreRightOnOrdinaryFiles) {
  uint64_t wrong = 99;
  const Imported in = import_text(long_file(3000, false, 3), {.threads = 2, .chunk_bytes = 2000}, {.wrong_guesses = &wrong});
  EXPECT_TRUE(in.status.ok());
  // The last chunk ends behind the array: nobody guesses there.
  EXPECT_EQ(wrong, 0u);
}

TEST(Boundary, BothInstructionSetsAgree) {
  if (make_avx2_parser() == nullptr) GTEST_SKIP() << "no AVX2 on this machine or in this build";
  for (const std::string& text : {good_file(), damaged_file(), long_file(2000, true, 7)}) {
    EXPECT_EQ(dump(import_text(text, {.threads = 1}, {.scalar = true})), dump(import_text(text)));
  }
  // Blanks and strings of all lengths around the width of a vector.
  for (size_t n = 0; n < 140; ++n) {
    std::string text = "[" + std::string(n, n % 3 ? ' ' : '\n') + "{\"ph\":" + std::string(n, '\t') + "\"X\",\"name\":\"" + std::string(n, 'n') +
                       (n % 2 ? "\\n" : "") + "\",\"args\":{\"" + std::string(n, 'k') + "\":\"" + std::string(n, n % 5 ? 'v' : '\x03') + "\"}}]";
    ASSERT_EQ(dump(import_text(text, {.threads = 1}, {.scalar = true})), dump(import_text(text))) << n;
  }
}

}  // namespace
}  // namespace lanewise::trace::kineto_json

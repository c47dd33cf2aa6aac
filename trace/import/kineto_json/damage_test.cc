// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged files: what is still read, what is dropped, and what the ledger says about it, with byte offsets. Most cases are
// faults that users of PyTorch and of trace viewers have reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "trace/import/kineto_json/chunk.h"
#include "trace/import/kineto_json/import_fixture.h"

namespace lanewise::trace::kineto_json {
namespace {

std::string event(const std::string& name, int ts) {
  return R"({"ph": "X", "cat": "cpu_op", "name": ")" + name + R"(", "pid": 1, "tid": 2, "ts": )" + std::to_string(ts) +
         R"(, "dur": 1, "args": {"External id": )" + std::to_string(ts) + "}}";
}
std::string file(const std::vector<std::string>& events) {
  std::string text = "{\"traceEvents\": [\n";
  for (size_t i = 0; i < events.size(); ++i) text += events[i] + (i + 1 < events.size() ? ",\n" : "\n");
  return text + "], \"traceName\": \"t.json\"}";
}

std::vector<std::string> names(const Imported& in) {
  std::vector<std::string> out;
  for (schema::Row row = 0; row < in.file.events.rows(); ++row) out.emplace_back(in.text(in.file.events.name[row]));
  return out;
}
using Names = std::vector<std::string>;

// Imports, and checks what must hold for every input.
Imported read(const std::string& text) {
  Imported in = import_text(text);
  EXPECT_TRUE(in.status.ok()) << in.status.to_string();
  const schema::Ledger& l = in.file.ledger;
  EXPECT_TRUE(l.balanced()) << dump(in);
  EXPECT_EQ(l.input_bytes, text.size());
  EXPECT_EQ(l.kept, in.file.events.rows());
  uint64_t reason_bytes = 0;
  for (const auto& reason : l.reasons) {
    reason_bytes += reason.bytes;
    EXPECT_FALSE(reason.text.empty()) << reason.kind;
  }
  EXPECT_EQ(reason_bytes, l.skipped_bytes) << dump(in);
  return in;
}

const schema::LedgerReason* reason(const Imported& in, std::string_view kind) {
  for (const auto& r : in.file.ledger.reasons) {
    if (r.kind == kind) return &r;
  }
  return nullptr;
}

// kept, repaired, dropped, truncated
void expect_counts(const Imported& in, uint64_t kept, uint64_t repaired, uint64_t dropped, uint64_t truncated) {
  const schema::Ledger& l = in.file.ledger;
  EXPECT_EQ(l.kept, kept) << dump(in);
  EXPECT_EQ(l.repaired, repaired) << dump(in);
  EXPECT_EQ(l.dropped, dropped) << dump(in);
  EXPECT_EQ(l.truncated, truncated) << dump(in);
}

// Reported: pytorch/pytorch#98432.
TEST(Damage, ALoneBackslashInANameIsKept) {
  const Imported in = read(file({event("a", 1), event(R"(torch\cuda\__init__.py(219): f)", 2), event("b", 3)}));
  EXPECT_EQ(names(in), (Names{"a", R"(torch\cuda\__init__.py(219): f)", "b"}));
  expect_counts(in, 3, 1, 0, 0);
  ASSERT_NE(reason(in, "bad_escape"), nullptr);
}

TEST(Damage, ABackslashBeforeTheClosingQuoteHidesIt) {
  const Imported in = read(file({event("a", 1), event(R"(C:\dir\)", 2), event("b", 3)}));
  EXPECT_EQ(names(in), (Names{"a", R"(C:\dir\)", "b"}));
  expect_counts(in, 3, 1, 0, 0);
}

// Reported: kineto#105.
TEST(Damage, NumbersThatJsonDoesNotHave) {
  for (const char* word : {"NaN", "nan", "inf", "-inf", "Infinity", "-Infinity"}) {
    const Imported in = read(file({event("a", 1), std::string(R"-({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy", "ts": 2, "dur": 0, "args": {"bytes": 7, "memory bandwidth (GB/s)": )-") +
                                       word + R"(, "stream": 3}})"}));
    expect_counts(in, 2, 1, 0, 0);
    EXPECT_EQ(in.file.events.stream[1], 3);
    ASSERT_NE(reason(in, "non_finite_number"), nullptr) << word;
  }
}

// Reported: pytorch/pytorch#33961.
TEST(Damage, AKeyWithoutItsOpeningQuote) {
  const Imported in = read(file({event("a", 1), R"({"ph": "s", "id": 5, "pid": 1, tid": 0, "ts": 2, "name": "flow"})", event("b", 3)}));
  EXPECT_EQ(names(in), (Names{"a", "flow", "b"}));
  expect_counts(in, 3, 1, 0, 0);
  EXPECT_EQ(in.text(in.file.events.track_of(1).tid), "0");
  ASSERT_NE(reason(in, "missing_quote"), nullptr);
}

// Reported: google/perfetto#598, pytorch/pytorch#130622.
TEST(Damage, ARawControlCharacterIsKeptAndItsPlaceIsTold) {
  const std::string text = file({event("a", 1), event("|||S(1)\x01: <module>", 2)});
  const Imported in = read(text);
  expect_counts(in, 2, 1, 0, 0);
  EXPECT_EQ(names(in)[1], "|||S(1)\x01: <module>");
  ASSERT_NE(reason(in, "control_character"), nullptr);
  EXPECT_EQ(reason(in, "control_character")->offsets, (std::vector<uint64_t>{text.find('\x01')}));
}

// Reported: kineto#80, #76, #1027, pytorch/pytorch#121219.
TEST(Damage, BytesThatAreNoUtf8AreReplaced) {
  const Imported in = read(file({event("gr\xfc\xdf", 1), event("half \\ud83d pair \\ud83d\\ude00 \xf0\x9f\x98\x80", 2), event("b", 3)}));
  EXPECT_EQ(names(in)[0], "gr\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(names(in)[1], "half \xef\xbf\xbd pair \xf0\x9f\x98\x80 \xf0\x9f\x98\x80");
  expect_counts(in, 3, 2, 0, 0);
  EXPECT_EQ(reason(in, "invalid_utf8")->count, 2u);
}

// Reported: pytorch/pytorch#113001, #146900, kineto#1459.
TEST(Damage, RawQuotesAndALineBreakInAName) {
  const Imported in = read(file({event("a", 1), event("print(\"hi\", \"x\")\n", 2), event("he said \"hi\" there", 3), event("b", 4)}));
  EXPECT_EQ(names(in), (Names{"a", "print(\"hi\", \"x\")\n", "he said \"hi\" there", "b"}));
  expect_counts(in, 4, 2, 0, 0);
  EXPECT_EQ(reason(in, "unescaped_quote")->count, 2u);
}

TEST(Damage, RawQuotesInAnArg) {
  const Imported in = read(file({R"({"ph": "X", "name": "a", "ts": 1, "args": {"Collective name": "all "fast" reduce", "correlation": 9, "cmd": "say "yes""}})",
                                 event("b", 2)}));
  expect_counts(in, 2, 1, 0, 0);
  EXPECT_EQ(in.file.events.correlation[0], 9);
  EXPECT_EQ(in.text(static_cast<uint32_t>(in.file.events.arg(schema::ArgKey::collective).find(0))), "all \"fast\" reduce");
}

TEST(Damage, AnEventThatIsBeyondRepairIsDroppedAndTheNextOneIsRead) {
  const std::string bad = R"({"ph": "X", "name": "bad", "ts": : 5, "args": {"External id": 2}})";
  const std::string text = file({event("a", 1), bad, event("b", 3), event("c", 4)});
  const Imported in = read(text);
  EXPECT_EQ(names(in), (Names{"a", "b", "c"}));
  expect_counts(in, 3, 0, 1, 0);
  ASSERT_NE(reason(in, "bad_event"), nullptr);
  EXPECT_EQ(reason(in, "bad_event")->offsets, (std::vector<uint64_t>{text.find(": 5")}));
  EXPECT_EQ(reason(in, "bad_event")->bytes, bad.size() + 2);  // up to the next event
  EXPECT_EQ(in.file.metadata.size(), 1u);
}

TEST(Damage, SeveralBadEventsInARowAreEachCounted) {
  const std::string bad = R"({"ph": "X", "name": "bad", "ts": : 5})";
  const Imported in = read(file({event("a", 1), bad, bad, bad, event("b", 3)}));
  EXPECT_EQ(names(in), (Names{"a", "b"}));
  expect_counts(in, 2, 0, 3, 0);
}

TEST(Damage, TheNameOfAMetadataEventIsNoEvent) {
  // The way back after damage must not take {"name": ...} of args for an event.
  const Imported in = read(file({R"({"ph": "M", "ts": !, "name": "process_name", "args": {"name": "python"}})", event("b", 3)}));
  EXPECT_EQ(names(in), (Names{"b"}));
  expect_counts(in, 1, 0, 1, 0);
}

TEST(Damage, TheHeaderBehindADamagedLastEventIsRead) {
  const Imported in = read(R"({"traceEvents": [{"ph":"X","name":"a"},{"ph":"X","name": oops}], "displayTimeUnit": "ms", "baseTimeNanoseconds": 5})");
  EXPECT_EQ(names(in), (Names{"a"}));
  expect_counts(in, 1, 0, 1, 0);
  EXPECT_EQ(in.file.base_time_ns, 5);
  EXPECT_EQ(in.file.display_time_unit, "ms");
}

// Reported: pytorch/pytorch#95460, Lightning#16634.
TEST(Damage, ACutAtEveryByteKeepsTheEventsBeforeIt) {
  const std::vector<std::string> list = {event("a", 1), event("b", 2), event("c", 3)};
  const std::string whole = file(list);
  const size_t begin = whole.find('[') + 1;
  size_t ends[3];
  for (size_t i = 0, at = begin; i < 3; ++i) ends[i] = at = whole.find(list[i], at) + list[i].size();
  for (size_t cut = begin; cut < whole.size(); ++cut) {
    const Imported in = read(whole.substr(0, cut));
    const uint64_t kept = (cut >= ends[0]) + (cut >= ends[1]) + (cut >= ends[2]);
    EXPECT_EQ(in.file.ledger.kept, kept) << cut;
    EXPECT_EQ(in.file.ledger.truncated, 1u) << cut << dump(in);
    // An event that was begun was read and dropped.
    const std::string rest = whole.substr(0, cut);
    const size_t begun = std::count(rest.begin(), rest.end(), 'X');
    EXPECT_GE(in.file.ledger.read, begun);
    EXPECT_EQ(in.file.ledger.repaired, 0u) << cut;
  }
}

TEST(Damage, TrailingAndDoubledCommas) {
  const Imported in = read("[" + event("a", 1) + ",," + event("b", 2) + ",]");
  EXPECT_EQ(names(in), (Names{"a", "b"}));
  expect_counts(in, 2, 0, 0, 0);
  EXPECT_EQ(reason(in, "stray_comma")->count, 2u);
  const Imported missing = read("[" + event("a", 1) + "\n" + event("b", 2) + "]");
  EXPECT_EQ(names(missing), (Names{"a", "b"}));
  EXPECT_EQ(reason(missing, "missing_comma")->count, 1u);
}

TEST(Damage, SeamsOfJoinedFiles) {
  const Imported in = read("{\"traceEvents\": [" + event("a", 1) + "][" + event("b", 2) + "], \"displayTimeUnit\": \"ms\"}");
  EXPECT_EQ(names(in), (Names{"a", "b"}));
  EXPECT_EQ(in.file.display_time_unit, "ms");
  EXPECT_EQ(reason(in, "array_seam")->count, 1u);
  // The first file has lost its end.
  const Imported lost = read("{\"traceEvents\": [" + event("a", 1) + "]\n{\"schemaVersion\": 1, \"traceEvents\": [" + event("b", 2) + "]}");
  EXPECT_EQ(names(lost), (Names{"a", "b"}));
  EXPECT_EQ(lost.file.metadata.size(), 1u);
  const Imported inside = read("{\"traceEvents\": [" + event("a", 1) + ", {\"ph\": \"X\", \"na{\"schemaVersion\": 1, \"traceEvents\": [" + event("b", 2) + "]}");
  EXPECT_EQ(names(inside), (Names{"a", "b"}));
  EXPECT_EQ(inside.file.ledger.dropped, 1u);
}

// Reported: TensorRT-LLM#13536.
TEST(Damage, RanksThatWroteIntoOneFile) {
  std::vector<std::string> a, b;
  for (int i = 0; i < 40; ++i) a.push_back(event("a" + std::to_string(i), i)), b.push_back(event("b" + std::to_string(i), i));
  const std::string one = file(a), two = file(b);
  // Blocks of both, cut in the middle of events.
  std::string mixed;
  for (size_t at = 0; at < one.size(); at += 500) mixed += one.substr(at, 500) + (at < two.size() ? two.substr(at, 500) : "");
  const Imported in = read(mixed);
  // Heads and tails of events of both may fit each other; what is sure is that most are there and the mess is told.
  EXPECT_GT(in.file.ledger.kept, 45u);
  // An event into which the head of another one was written is dropped, not repaired: nobody knows whose values follow.
  EXPECT_GE(in.file.ledger.dropped, 3u);
}

// Reported: kineto#1453.
TEST(Damage, ATextLogAroundTheEvents) {
  const Imported in = read("[INFO] starting {now}\nresult: " + event("a", 1) + ", " + event("b", 2) + "\ndone\n");
  EXPECT_EQ(names(in), (Names{"a", "b"}));
  EXPECT_EQ(in.file.ledger.dropped, 0u);
  ASSERT_NE(reason(in, "text_outside"), nullptr);
}

TEST(Damage, AFileWhoseHeadIsLost) {
  const std::string whole = file({event("a", 1), event("b", 2), event("c", 3)});
  const Imported in = read(whole.substr(whole.find("\"name\": \"a\"")));
  EXPECT_EQ(names(in), (Names{"b", "c"}));
  EXPECT_EQ(in.file.metadata.size(), 1u);
}

TEST(Damage, DeepNestingIsRefusedNotFollowed) {
  std::string deep = R"({"ph":"X","name":"deep","args":{"x":)";
  deep += std::string(100'000, '[') + std::string(100'000, ']') + "}}";
  const Imported in = read(file({event("a", 1), deep, event("b", 2)}));
  EXPECT_EQ(names(in), (Names{"a", "b"}));
  EXPECT_EQ(reason(in, "too_deep")->count, 1u);
  const std::string fine = R"({"ph":"X","name":"fine","args":{"x":)" + std::string(500, '[') + std::string(500, ']') + "}}";
  expect_counts(read(file({fine})), 1, 0, 0, 0);
}

TEST(Damage, BracketsThatDoNotMatch) {
  const Imported in = read(file({event("a", 1), R"({"ph":"X","name":"bad","args":{"x":[1,2}}})", event("b", 2)}));
  EXPECT_EQ(names(in), (Names{"a", "b"}));
  expect_counts(in, 2, 0, 1, 0);
}

TEST(Damage, AnEventThatHasLostItsEndTakesNoOtherWithIt) {
  const Imported in = read(file({event("a", 1), R"({"ph":"X","name":"lost","args":{"x":1)", event("b", 2), event("c", 3)}));
  EXPECT_EQ(names(in), (Names{"a", "b", "c"}));
  expect_counts(in, 3, 0, 1, 0);
  // A string without its end, likewise.
  const Imported open = read(file({event("a", 1), R"({"ph":"X","name":"lost)", event("b", 2), event("c", 3)}));
  EXPECT_EQ(names(open).back(), "c");
  EXPECT_GE(open.file.ledger.kept, 2u);
}

TEST(Damage, AValueOfManyMegabytesIsSkippedWithAReason) {
  const std::string huge(kMaxValueBytes + 1000, 'x');
  const Imported in = read(file({event("a", 1), event(huge, 2), event("b", 3)}));
  EXPECT_EQ(names(in), (Names{"a", "b"}));
  expect_counts(in, 2, 0, 1, 0);
  EXPECT_EQ(reason(in, "event_too_large")->count, 1u);
  const Imported header = read("{\"blob\": \"" + huge + "\", \"traceEvents\": [" + event("a", 1) + "]}");
  EXPECT_EQ(names(header), (Names{"a"}));
  EXPECT_EQ(reason(header, "metadata_too_large")->count, 1u);
}

TEST(Damage, RandomBytesNeverBreakTheBalance) {
  constexpr std::string_view kLetters = "{}[]\",:\\phX1 tsname\n\x01\xff";
  std::string noise;
  uint32_t x = 12345;
  for (int i = 0; i < 200'000; ++i) noise += kLetters[((x = x * 1664525 + 1013904223) >> 16) % kLetters.size()];
  const Imported in = import_text("{\"traceEvents\": [" + event("a", 1) + "," + noise);
  ASSERT_TRUE(in.status.ok());
  EXPECT_TRUE(in.file.ledger.balanced());
  EXPECT_GE(in.file.ledger.kept, 1u);
}

}  // namespace
}  // namespace lanewise::trace::kineto_json

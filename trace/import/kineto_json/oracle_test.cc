// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Random valid files against a slow strict reader that shares no code with the importer.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "trace/import/kineto_json/import_fixture.h"
#include "trace/import/kineto_json/strict_json.h"

namespace lanewise::trace::kineto_json {
namespace {

// Writes random valid files: every form a value may have, any order of keys, blanks anywhere.
class Writer {
 public:
  explicit Writer(uint32_t seed) : random_(seed) {}

  std::string file() {
    std::string events = "[" + blank();
    const int n = pick(30);
    for (int i = 0; i < n; ++i) events += (i > 0 ? blank() + "," + blank() : "") + event();
    events += blank() + "]";
    if (pick(3) == 0) return blank() + events + blank();
    std::vector<std::string> members = {"\"traceEvents\"" + blank() + ":" + blank() + events};
    for (int i = pick(4); i > 0; --i) members.push_back(string() + blank() + ":" + blank() + value(3));
    return blank() + object(members) + blank();
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  std::string blank() {
    std::string out;
    while (pick(3) == 0) out += std::string(static_cast<size_t>(1 + pick(40)), " \n\t\r"[pick(4)]);
    return out;
  }
  std::string object(std::vector<std::string> members) {
    std::shuffle(members.begin(), members.end(), random_);
    std::string out = "{" + blank();
    for (size_t i = 0; i < members.size(); ++i) out += (i > 0 ? blank() + "," + blank() : "") + members[i];
    return out + blank() + "}";
  }
  std::string member(const std::string& key, const std::string& v) { return "\"" + key + "\"" + blank() + ":" + blank() + v; }

  std::string string() {
    static const char* const kPieces[] = {"a", "aten::mul", "\\\"", "\\\\", "\\/", "\\n", "\\u0041", "\\ud83d\\ude00", "\xc3\xa9",
                                          "\xf0\x9f\x98\x80", "{", "}", "[", "],", "\\\"ph\\\": ", ":", ",", " ", "void k<float, 4>(T*)"};
    std::string out = "\"";
    for (int i = pick(12); i > 0; --i) out += kPieces[pick(static_cast<int>(std::size(kPieces)))];
    return out + "\"";
  }
  std::string digits(int max) {
    std::string out(1, static_cast<char>('1' + pick(9)));
    for (int i = pick(max); i > 0; --i) out += static_cast<char>('0' + pick(10));
    return out;
  }
  std::string number() {
    std::string out = pick(5) == 0 ? "-" : "";
    out += pick(6) == 0 ? "0" : digits(15);
    if (pick(2) == 0) out += "." + std::string(static_cast<size_t>(pick(2)), '0') + digits(pick(3) == 0 ? 8 : 2);
    if (pick(8) == 0) out += std::string("eE"[pick(2)] == 'e' ? "e" : "E") + (pick(2) ? "-" : "+") + std::to_string(pick(3));
    return out;
  }
  std::string value(int depth) {
    switch (pick(depth > 0 ? 8 : 6)) {
      case 0: return "null";
      case 1: return pick(2) ? "true" : "false";
      case 2: case 3: return number();
      case 4: case 5: return string();
      case 6: {
        std::string out = "[" + blank();
        for (int i = pick(4); i > 0; --i) out += value(depth - 1) + (i > 1 ? blank() + "," + blank() : "");
        return out + "]";
      }
      default: {
        std::vector<std::string> members;
        for (int i = pick(4); i > 0; --i) members.push_back(string() + blank() + ":" + value(depth - 1));
        return object(members);
      }
    }
  }
  std::string event() {
    static const char* const kPhases[] = {"X", "X", "X", "i", "M", "C", "s", "f", "t", "b", "e", "n", "N", "P", "XY"};
    static const char* const kCategories[] = {"cpu_op", "kernel", "cuda_runtime", "odd one"};
    static const char* const kArgs[] = {"correlation", "External id", "device", "stream", "bytes", "Input Dims", "dtype",
                                        "Sequence number", "Total Allocated", "Call stack", "grid", "Collective name"};
    std::vector<std::string> members;
    const auto maybe = [&](const char* key, const std::string& v) {
      if (pick(8) != 0) members.push_back(member(key, v));
    };
    maybe("ph", std::string("\"") + kPhases[pick(static_cast<int>(std::size(kPhases)))] + "\"");
    maybe("cat", std::string("\"") + kCategories[pick(4)] + "\"");
    maybe("name", string());
    maybe("pid", pick(4) == 0 ? string() : digits(6));
    maybe("tid", pick(6) == 0 ? "null" : pick(4) == 0 ? string() : digits(6));
    maybe("ts", pick(6) == 0 ? "\"" + number() + "\"" : number());
    maybe("dur", number());
    if (pick(3) == 0) members.push_back(member("id", pick(2) ? digits(25) : string()));
    std::vector<std::string> args;
    for (int i = pick(7); i > 0; --i) args.push_back(member(kArgs[pick(static_cast<int>(std::size(kArgs)))], value(2)));
    maybe("args", pick(10) == 0 ? value(1) : object(args));
    if (pick(4) == 0) members.push_back(string() + ":" + value(2));
    return object(members);
  }

  std::mt19937 random_;
};

using Kind = StrictValue::Kind;

// The JSON text of a value without blanks. Strings as the importer keeps them inside nested values are raw, so only values
// without strings are compared this way.
bool plain_text(const StrictValue& v, std::string* out) {
  switch (v.kind) {
    case Kind::null: *out += "null"; return true;
    case Kind::boolean: case Kind::number: *out += v.text; return true;
    case Kind::string: return false;
    case Kind::array: {
      *out += '[';
      for (size_t i = 0; i < v.elements.size(); ++i) {
        if (i > 0) *out += ',';
        if (!plain_text(v.elements[i], out)) return false;
      }
      *out += ']';
      return true;
    }
    case Kind::object: return false;
  }
  return false;
}

// Decimal text times 10^shift, cut to an integer: digits as text, no arithmetic. "" = no number.
std::string scaled(const std::string& text, int shift, bool* cut) {
  std::string mantissa, sign;
  int point = -1, exponent = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '-' && i == 0) sign = "-";
    else if (c == '.') point = static_cast<int>(mantissa.size());
    else if (c == 'e' || c == 'E') { exponent = std::stoi(text.substr(i + 1)); break; }
    else mantissa += c;
  }
  if (point < 0) point = static_cast<int>(mantissa.size());
  int whole = point + exponent + shift;
  std::string integer;
  for (int i = 0; i < whole; ++i) integer += i < static_cast<int>(mantissa.size()) ? mantissa[static_cast<size_t>(i)] : '0';
  for (int i = std::max(whole, 0); i < static_cast<int>(mantissa.size()); ++i) *cut |= mantissa[static_cast<size_t>(i)] != '0';
  integer.erase(0, std::min(integer.find_first_not_of('0'), integer.size()));
  return integer.empty() ? "0" : sign + integer;
}

void expect_time(const StrictValue* v, int64_t got, bool got_cut, bool got_missing, const std::string& where) {
  if (v == nullptr || (v->kind != Kind::number && v->kind != Kind::string)) {
    EXPECT_TRUE(got_missing) << where;
    return;
  }
  bool cut = false;
  const std::string want = scaled(v->text, 3, &cut);
  if (want.size() > 18) return;  // may be clipped: import_test has the edges
  EXPECT_EQ(std::to_string(got), want) << where << " " << v->text;
  EXPECT_EQ(got_cut, cut) << where << " " << v->text;
}

std::string field_text(const StrictValue* v) {
  return v == nullptr || v->kind == Kind::null ? "" : v->text;
}

void expect_id(const Imported& in, const StrictValue* v, int64_t got, const std::string& where) {
  std::string want = "-";
  if (v != nullptr && v->kind == Kind::array) {
    std::string text;
    if (!plain_text(*v, &text)) return;
    want = "'" + text + "'";
  } else if (v != nullptr && v->kind == Kind::object) {
    return;
  } else if (v != nullptr && v->kind != Kind::null) {
    const std::string& t = v->text;
    const bool digits = !t.empty() && t.size() < 19 && t.find_first_not_of("0123456789", t[0] == '-') == t.npos && t != "-" &&
                        (t == "0" || t[t[0] == '-'] != '0');
    if (t.size() == 19) return;  // around the edge of int64: import_test
    want = digits ? t : "'" + t + "'";
  }
  EXPECT_EQ(in.id(got), want) << where;
}

void compare(const std::string& text, uint32_t seed) {
  const auto document = StrictReader(text).read();
  ASSERT_TRUE(document.has_value()) << seed << ": the test writes invalid JSON\n" << text;
  const StrictValue* events = document->kind == Kind::array ? &*document : document->find("traceEvents");
  const Imported in = import_text(text, {.threads = 1, .chunk_bytes = 64 + seed % 1000});
  ASSERT_TRUE(in.status.ok()) << in.status.to_string();
  const schema::EventTable& t = in.file.events;
  ASSERT_EQ(t.rows(), events->elements.size()) << seed;
  EXPECT_TRUE(in.file.ledger.balanced());
  for (schema::Row row = 0; row < t.rows(); ++row) {
    const StrictValue& e = events->elements[row];
    const std::string where = "seed " + std::to_string(seed) + " row " + std::to_string(row);
    const std::string phase = field_text(e.find("ph"));
    EXPECT_EQ(t.phase[row], phase.empty() ? 0 : phase.size() > 1 ? schema::kOtherPhase : static_cast<uint8_t>(phase[0])) << where;
    EXPECT_EQ(in.text(t.name[row]), field_text(e.find("name"))) << where;
    EXPECT_EQ(in.text(t.category[row]), field_text(e.find("cat"))) << where;
    EXPECT_EQ(in.text(t.track_of(row).pid), field_text(e.find("pid"))) << where;
    EXPECT_EQ(in.text(t.track_of(row).tid), field_text(e.find("tid"))) << where;
    expect_time(e.find("ts"), t.ts_ns[row], t.has(row, schema::kStartCut), t.has(row, schema::kNoTime), where + " ts");
    if (phase == "X") {
      expect_time(e.find("dur"), t.dur_ns[row], t.has(row, schema::kDurationCut), t.has(row, schema::kNoDuration), where + " dur");
    }
    expect_id(in, e.find("id"), t.id[row], where + " id");
    const StrictValue* args = e.find("args");
    const StrictValue none;
    if (args == nullptr || args->kind != Kind::object) args = &none;
    expect_id(in, args->find("correlation"), t.correlation[row], where + " correlation");
    expect_id(in, args->find("External id"), t.external_id[row], where + " External id");
    expect_id(in, args->find("stream"), t.stream[row], where + " stream");
    if (const StrictValue* dims = args->find("Input Dims"); dims != nullptr && dims->kind == Kind::array) {
      std::string want;
      if (plain_text(*dims, &want)) {
        EXPECT_EQ(in.text(static_cast<uint32_t>(t.arg(schema::ArgKey::input_dims).find(row))), want) << where;
      }
    }
    const StrictValue* bytes = args->find("bytes");
    bool cut = false;
    if (bytes != nullptr && bytes->kind == Kind::number) {
      const std::string want = scaled(bytes->text, 0, &cut);
      if (want.size() <= 18) EXPECT_EQ(std::to_string(t.arg(schema::ArgKey::bytes).find(row)), want) << where;
    }
    // The range is the event itself.
    const std::string_view range = std::string_view(text).substr(t.offset[row], t.length[row]);
    EXPECT_TRUE(StrictReader(range).read().has_value()) << where;
  }
}

TEST(Oracle, RandomValidFilesAgreeInEveryField) {
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    compare(Writer(seed).file(), seed);
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace lanewise::trace::kineto_json

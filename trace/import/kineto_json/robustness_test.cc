// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs made to break a reader: huge strings, endless nesting, text that was packed a thousand times smaller, sources that
// fail on the way. What is kept and told is exact, and no buffer of the importer grows with the input.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "trace/import/kineto_json/chunk.h"
#include "trace/import/kineto_json/import_fixture.h"

namespace lanewise::trace::kineto_json {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
// The largest value that is read, and one chunk that has no place to cut.
constexpr size_t kMaxBuffer = kMaxValueBytes + 17 * kMiB;

// head, then `piece` again and again up to about `bytes`, then tail: no more of it in memory than that.
class EndlessSource : public input::ByteSource {
 public:
  EndlessSource(std::string head, std::string piece, uint64_t bytes, std::string tail)
      : head_(std::move(head)), piece_(std::move(piece)), tail_(std::move(tail)), pieces_(bytes / piece_.size()) {
    total_ = size();
  }
  uint64_t size() const { return head_.size() + pieces_ * piece_.size() + tail_.size(); }
  Result<size_t> read(char* to, size_t n) override {
    size_t done = 0;
    while (done < n && at_ < size()) {
      const uint64_t middle = head_.size() + pieces_ * piece_.size();
      std::string_view left;
      if (at_ < head_.size()) left = std::string_view(head_).substr(at_);
      else if (at_ < middle) left = std::string_view(piece_).substr((at_ - head_.size()) % piece_.size());
      else left = std::string_view(tail_).substr(at_ - middle);
      const size_t take = std::min(left.size(), n - done);
      std::memcpy(to + done, left.data(), take);
      done += take, at_ += take;
    }
    done_.store(at_, std::memory_order_relaxed);
    return done;
  }

 private:
  const std::string head_, piece_, tail_;
  const uint64_t pieces_;
  uint64_t at_ = 0;
};

struct Read {
  Imported in;
  size_t largest_buffer = 0;
};
Read read(input::ByteSource& source, int threads) {
  Read out;
  auto file = import_json(source, *out.in.strings, schema::Producers::builtin(), {.threads = threads},
                          {.largest_buffer = &out.largest_buffer});
  out.in.status = file.ok() ? ok_status() : file.status();
  if (file.ok()) out.in.file = std::move(*file);
  return out;
}

const std::string kBefore = R"({"traceEvents":[{"ph":"X","name":"before","ts":1},)";
const std::string kAfter = R"({"ph":"X","name":"after","ts":2}],"displayTimeUnit":"ms"})";

// Both events around the middle are there, one is dropped for `reason`, and the memory is bounded.
void expect_bounded(const std::string& open, const std::string& piece, uint64_t bytes, const std::string& close, std::string_view reason) {
  for (const int threads : {1, 2}) {
    EndlessSource source(kBefore + open, piece, bytes, close + kAfter);
    const uint64_t size = source.size();
    const Read got = read(source, threads);
    ASSERT_TRUE(got.in.status.ok()) << got.in.status.to_string();
    const schema::Ledger& l = got.in.file.ledger;
    ASSERT_EQ(l.kept, 2u) << dump(got.in);
    EXPECT_EQ(got.in.text(got.in.file.events.name[1]), "after");
    EXPECT_EQ(l.read, 3u);
    EXPECT_EQ(l.dropped, 1u);
    ASSERT_EQ(l.reasons.size(), 1u) << dump(got.in);
    EXPECT_EQ(l.reasons[0].kind, reason);
    EXPECT_EQ(l.input_bytes, size);
    // From the damaged event up to the next one.
    EXPECT_EQ(l.skipped_bytes, open.size() + bytes / piece.size() * piece.size() + close.size());
    EXPECT_TRUE(l.balanced());
    EXPECT_EQ(l.truncated, 0u);
    EXPECT_EQ(got.in.file.display_time_unit, "ms");
    EXPECT_LE(got.largest_buffer, kMaxBuffer);
  }
}

TEST(Robustness, AStringOf300Megabytes) {
  expect_bounded(R"({"ph":"X","name":")", std::string(4096, 'x'), 300 * kMiB, "\"},", "event_too_large");
}

TEST(Robustness, NestingWithoutEnd) {
  expect_bounded(R"({"ph":"X","args":{"a":)", std::string(4096, '['), 30 * kMiB, "},", "too_deep");
  expect_bounded(R"({"ph":"X","args":{"a":)", R"({"b":)", 5 * kMiB, "},", "too_deep");
}

TEST(Robustness, AnEventOf80MegabytesOfArgs) {
  expect_bounded(R"({"ph":"X","args":{"a":0)", R"(,"key":[1,2,3,"value"])", 80 * kMiB, "}},", "event_too_large");
}

TEST(Robustness, AHeaderOf100MegabytesIsSkippedAndTheEventsAreRead) {
  EndlessSource source(R"({"blob":")", std::string(1000, 'b'), 100 * kMiB, R"(","traceEvents":[{"ph":"X","name":"a"}]})");
  const Read got = read(source, 2);
  ASSERT_TRUE(got.in.status.ok());
  EXPECT_EQ(got.in.file.ledger.kept, 1u);
  ASSERT_EQ(got.in.file.ledger.reasons.size(), 1u);
  EXPECT_EQ(got.in.file.ledger.reasons[0].kind, "metadata_too_large");
  EXPECT_LE(got.largest_buffer, kMaxBuffer);
}

TEST(Robustness, OneOpenQuoteAndNothingElse) {
  EndlessSource source("{\"", std::string(4096, 'q'), 70 * kMiB, "");
  const Read got = read(source, 2);
  EXPECT_EQ(got.in.status.code(), StatusCode::data_loss);
  EXPECT_LE(got.largest_buffer, kMaxBuffer);
}

std::string gzip(input::ByteSource& source) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out, in(kMiB, '\0'), piece(kMiB, '\0');
  for (bool last = false; !last;) {
    const size_t got = *source.read(in.data(), in.size());
    last = got == 0;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(got);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_out = static_cast<uInt>(piece.size());
      deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
      out.append(piece, 0, piece.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return out;
}

// Reported: catapult#4625, #2328.
TEST(Robustness, TextThatWasPackedAThousandTimesSmaller) {
  const std::string event = R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1.5,"dur":2},)";
  EndlessSource plain(kBefore, event, 60 * kMiB, kAfter);
  const uint64_t size = plain.size(), events = (60 * kMiB) / event.size() + 2;
  const std::string packed = gzip(plain);
  ASSERT_GT(size / packed.size(), 100u);
  const auto source = input::memory_source(packed);
  const Read got = read(*source, 2);
  ASSERT_TRUE(got.in.status.ok());
  EXPECT_EQ(got.in.file.ledger.kept, events);
  EXPECT_FALSE(got.in.file.ledger.damaged());
  EXPECT_EQ(got.in.file.ledger.input_bytes, size);
  EXPECT_LE(got.largest_buffer, 3 * kMiB);

  // Blanks have no place to cut at all.
  EndlessSource blanks(R"({"traceEvents":[)", std::string(1000, ' '), 60 * kMiB, kAfter);
  const uint64_t blank_size = blanks.size();
  const std::string packed_blanks = gzip(blanks);
  const auto blank_source = input::memory_source(packed_blanks);
  const Read blank = read(*blank_source, 2);
  ASSERT_TRUE(blank.in.status.ok());
  EXPECT_EQ(blank.in.file.ledger.kept, 1u);
  EXPECT_EQ(blank.in.file.ledger.input_bytes, blank_size);
  EXPECT_FALSE(blank.in.file.ledger.damaged());
  EXPECT_LE(blank.largest_buffer, 17 * kMiB);
}

// Fails after some bytes, as a file does that is cut or whose disk goes away.
class FailingSource : public input::ByteSource {
 public:
  FailingSource(std::string_view bytes, size_t good) : bytes_(bytes), good_(good) { total_ = bytes.size(); }
  Result<size_t> read(char* to, size_t n) override {
    if (at_ == good_) return failed_precondition("the file became shorter while it was read");
    n = std::min(n, good_ - at_);
    std::memcpy(to, bytes_.data() + at_, n);
    at_ += n;
    return n;
  }

 private:
  const std::string_view bytes_;
  const size_t good_;
  size_t at_ = 0;
};

TEST(Robustness, ASourceThatFailsEndsTheImportWithItsReason) {
  std::string text = "[";
  for (int i = 0; i < 50'000; ++i) text += "{\"ph\":\"X\",\"name\":\"n\",\"ts\":" + std::to_string(i) + "},\n";
  text += "{\"ph\":\"X\"}]";
  for (const int threads : {1, 2, 7}) {
    for (const size_t good : {size_t{0}, size_t{1}, size_t{100'000}, text.size()}) {
      FailingSource source(text, good);
      store::StringPool strings;
      const auto file = import_json(source, strings, schema::Producers::builtin(), {.threads = threads, .chunk_bytes = 10'000});
      ASSERT_FALSE(file.ok()) << threads << " threads, " << good;
      EXPECT_EQ(file.status().code(), StatusCode::failed_precondition);
      EXPECT_EQ(file.status().message(), "the file became shorter while it was read");
    }
  }
}

}  // namespace
}  // namespace lanewise::trace::kineto_json

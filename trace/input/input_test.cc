// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "trace/input/byte_source.h"
#include "trace/input/range_reader.h"

namespace lanewise::trace::input {
namespace {

std::string gzip(std::string_view text, int level = 6) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

std::string noise(size_t size, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) text += "event " + std::to_string(random() % 5000) + ", ";
  text.resize(size);
  return text;
}

struct All {
  std::string text;
  SourceEnd end;
};
All read_all(std::string_view stored, size_t piece) {
  auto source = memory_source(stored);
  All all;
  std::string buffer(piece, '\0');
  for (;;) {
    auto got = source->read(buffer.data(), piece);
    EXPECT_TRUE(got.ok());
    if (*got == 0) break;
    all.text.append(buffer, 0, *got);
  }
  EXPECT_EQ(source->stored_bytes_done(), stored.size());
  all.end = source->end();
  return all;
}

class TempFile {
 public:
  explicit TempFile(std::string_view bytes)
      : path_(std::filesystem::temp_directory_path() / ("lw_input_" + std::to_string(::getpid()) + "_" + std::to_string(next_++))) {
    write(bytes);
  }
  ~TempFile() { std::filesystem::remove(path_); }
  void write(std::string_view bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string path() const { return path_.string(); }

 private:
  static inline int next_ = 0;
  std::filesystem::path path_;
};

TEST(ByteSource, ReadsPlainGzipAndZstdAlike) {
  const std::string text = noise(700'000);
  for (const std::string& stored : {text, gzip(text), gzip(text, 0), zstd(text)}) {
    for (size_t piece : {size_t{1000}, size_t{65'537}, size_t{1} << 20}) {
      const All all = read_all(stored, piece);
      EXPECT_EQ(all.text, text);
      EXPECT_EQ(all.end.reason, "");
    }
  }
}

TEST(ByteSource, SeveralMembersOrFramesAreOneText) {
  const std::string a = noise(300'000, 1), b = noise(5, 2), c = noise(280'000, 3);
  EXPECT_EQ(read_all(gzip(a) + gzip(b) + gzip("") + gzip(c), 4096).text, a + b + c);
  EXPECT_EQ(read_all(zstd(a) + zstd(b) + zstd(c), 4096).text, a + b + c);
}

TEST(ByteSource, ACutStreamGivesWhatCameBeforeAndSaysSo) {
  const std::string text = noise(400'000);
  for (const std::string& whole : {gzip(text), zstd(text)}) {
    for (size_t cut : {size_t{5}, whole.size() / 2, whole.size() - 1}) {
      const All all = read_all(std::string_view(whole).substr(0, cut), 10'000);
      EXPECT_EQ(all.end.reason, "truncated_compression") << cut;
      EXPECT_EQ(all.text, text.substr(0, all.text.size()));
    }
  }
  EXPECT_GT(read_all(std::string_view(gzip(text)).substr(0, gzip(text).size() - 4), 999).text.size(), 390'000u);
}

TEST(ByteSource, DamageAndTrailingBytesAreTold) {
  const std::string text = noise(400'000);
  std::string damaged = gzip(text);
  for (size_t i = 0; i < 40; ++i) damaged[damaged.size() / 2 + i] = static_cast<char>(0xff);
  const All all = read_all(damaged + std::string(8, '\0'), 10'000);
  EXPECT_EQ(all.end.reason, "damaged_compression");
  const size_t same = std::mismatch(all.text.begin(), all.text.end(), text.begin(), text.end()).first - all.text.begin();
  EXPECT_GT(same, 100'000u);

  const All tail = read_all(gzip(text) + "no gzip here", 10'000);
  EXPECT_EQ(tail.text, text);
  EXPECT_EQ(tail.end.reason, "trailing_bytes");
  EXPECT_EQ(tail.end.stored_offset, gzip(text).size());
}

TEST(ByteSource, AWrongChecksumIsDamageButTheTextIsThere) {
  const std::string text = noise(100'000);
  std::string stored = gzip(text);
  stored[stored.size() - 6] ^= 1;
  const All all = read_all(stored, 1 << 20);
  EXPECT_EQ(all.text, text);
  EXPECT_EQ(all.end.reason, "damaged_compression");
}

TEST(ByteSource, RefusesWhatIsNoFile) {
  EXPECT_EQ(open_source("/nowhere/at/all").status().code(), StatusCode::not_found);
  EXPECT_EQ(open_source("/tmp").status().code(), StatusCode::invalid_argument);
}

TEST(ByteSource, AFileThatShrinksIsAClearFailure) {
  TempFile file(noise(300'000));
  auto source = open_source(file.path());
  ASSERT_TRUE(source.ok());
  std::string buffer(1000, '\0');
  ASSERT_TRUE((*source)->read(buffer.data(), buffer.size()).ok());
  std::filesystem::resize_file(file.path(), 500);
  const auto got = (*source)->read(buffer.data(), buffer.size());
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.status().code(), StatusCode::failed_precondition);
}

TEST(ByteSource, AFileThatGrowsIsReadAsFarAsItReachedWhenItWasOpened) {
  const std::string text = noise(300'000);
  for (const std::string& stored : {text, gzip(text), zstd(text)}) {
    TempFile file(stored);
    auto source = open_source(file.path());
    ASSERT_TRUE(source.ok());
    std::ofstream(file.path(), std::ios::binary | std::ios::app) << stored;
    std::string got(2 * text.size(), '\0');
    const auto size = (*source)->read(got.data(), got.size());
    ASSERT_TRUE(size.ok());
    EXPECT_EQ(got.substr(0, *size), text);
    EXPECT_EQ((*source)->end().reason, "");
  }
}

TEST(ByteSource, APackedFileThatShrinksIsAClearFailure) {
  std::string random(3 << 20, '\0');  // does not pack, so that much is left to read
  std::mt19937 bits(3);
  for (char& c : random) c = static_cast<char>(bits());
  for (const std::string& stored : {gzip(random), zstd(random)}) {
    TempFile file(stored);
    auto source = open_source(file.path());
    ASSERT_TRUE(source.ok());
    std::string buffer(1000, '\0');
    ASSERT_TRUE((*source)->read(buffer.data(), buffer.size()).ok());
    std::filesystem::resize_file(file.path(), 500);
    Status status;
    for (int i = 0; i < 5000 && status.ok(); ++i) {
      const auto got = (*source)->read(buffer.data(), buffer.size());
      if (!got.ok()) status = got.status();
      else if (*got == 0) break;
    }
    EXPECT_EQ(status.code(), StatusCode::failed_precondition);
    EXPECT_NE(status.message().find("became shorter"), std::string::npos);
  }
}

TEST(ByteSource, AWritersEndOfAPipeIsNotWaitedFor) {
  const std::string path = (std::filesystem::temp_directory_path() / ("lw_input_pipe_" + std::to_string(::getpid()))).string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto source = open_source(path);  // without a writer
  std::filesystem::remove(path);
  EXPECT_EQ(source.status().code(), StatusCode::invalid_argument);
  EXPECT_NE(source.status().message().find("no regular file"), std::string::npos);
}

TEST(RangeReader, AnyRangeInAnyOrder) {
  const std::string text = noise(13 << 20);
  const std::string front = text.substr(0, 6 << 20), back = text.substr(6 << 20);
  for (const std::string& stored : {text, gzip(text, 1), gzip(front) + gzip(back, 9), zstd(text)}) {
    TempFile file(stored);
    auto reader = range_reader(*StoredFile::open(file.path()));
    ASSERT_TRUE(reader.ok());
    std::mt19937 random(7);
    for (int i = 0; i < 25; ++i) {
      const size_t offset = random() % text.size();
      const size_t length = std::min<size_t>(random() % 3000, text.size() - offset);
      const auto got = (*reader)->read(offset, length);
      ASSERT_TRUE(got.ok()) << got.status().to_string();
      ASSERT_EQ(*got, text.substr(offset, length));
    }
    ASSERT_EQ(*(*reader)->read((6 << 20) - 10, 20), text.substr((6 << 20) - 10, 20));
    EXPECT_EQ((*reader)->read(text.size() - 1, 2).status().code(), StatusCode::out_of_range);
    ASSERT_EQ(*(*reader)->read(0, 5), text.substr(0, 5));
  }
}

TEST(RangeReader, AChangedFileIsRefused) {
  TempFile file(gzip(noise(100'000)));
  auto reader = range_reader(*StoredFile::open(file.path()));
  ASSERT_TRUE((*reader)->read(10, 10).ok());
  file.write("something else");
  EXPECT_EQ((*reader)->read(10, 10).status().code(), StatusCode::failed_precondition);
  std::filesystem::remove(file.path());
  EXPECT_NE((*reader)->read(10, 10).status().message().find("is gone"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::trace::input

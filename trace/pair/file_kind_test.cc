// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/pair/file_kind.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "trace/pair/open_pair.h"
#include "trace/record/record_fixture.h"

namespace lanewise::trace::pair {
namespace {

namespace fs = std::filesystem;
using record::TemporaryFolder;

std::string words(std::initializer_list<uint64_t> values, size_t size) {
  std::string bytes;
  for (uint64_t value : values) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  }
  bytes.resize(size, '\0');
  return bytes;
}

std::string real_head(uint64_t version, uint64_t metadata) {
  std::string bytes = words({version | metadata << 8, 0}, 200);
  bytes[128] = 0x0A;
  return bytes;
}

std::string put(const TemporaryFolder& folder, const std::string& name, const std::string& bytes) {
  const std::string path = folder.path() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(FileKind, IsWhatTheBytesSay) {
  EXPECT_EQ(kind_of_bytes(words({2, 1024, 0}, 1024)), FileKind::neff);
  EXPECT_EQ(kind_of_bytes(words({7, 1024, 0}, 1024)), FileKind::neff) << "a newer one, which its reader refuses with a sentence";
  EXPECT_EQ(kind_of_bytes("LANENTFF\1"), FileKind::ntff);
  EXPECT_EQ(kind_of_bytes(real_head(5, 60)), FileKind::ntff);
  EXPECT_EQ(kind_of_bytes(real_head(6, 60)), FileKind::ntff);
  EXPECT_EQ(kind_of_bytes(real_head(0, 60)), FileKind::other);
  EXPECT_EQ(kind_of_bytes(real_head(5, 0)), FileKind::other);
  EXPECT_EQ(kind_of_bytes(words({5 | 60 << 8, 0}, 200)), FileKind::other) << "its metadata begins with no field";
  EXPECT_EQ(kind_of_bytes(std::string(4096, '\0')), FileKind::other);
  EXPECT_EQ(kind_of_bytes(R"({"traceEvents":[]})"), FileKind::other);
  EXPECT_EQ(kind_of_bytes(""), FileKind::other);
}

TEST(FileKind, TheNameCountsOnlyWhereTheBytesSayNothing) {
  const TemporaryFolder folder;
  EXPECT_EQ(kind_of_file(put(folder, "a.ntff", words({2, 1024}, 1024))), FileKind::neff);
  EXPECT_EQ(kind_of_file(put(folder, "a.neff", real_head(5, 60))), FileKind::ntff);
  EXPECT_EQ(kind_of_file(put(folder, "program", words({2, 1024}, 1024))), FileKind::neff);
  EXPECT_EQ(kind_of_file(put(folder, "empty.ntff", "")), FileKind::ntff);
  EXPECT_EQ(kind_of_file(put(folder, "empty.json", "")), FileKind::other);
  fs::create_directory(folder.path() + "/folder.neff");
  EXPECT_EQ(kind_of_file(folder.path() + "/folder.neff"), FileKind::other);
  EXPECT_EQ(kind_of_file(folder.path() + "/nowhere"), FileKind::other);
}

TEST(FileKind, AnIdIsReadAndComparedAsTheCaptureKeepsIt) {
  EXPECT_TRUE(same_pair("abc", "abc\x91N"));
  EXPECT_FALSE(same_pair("abc", "ab"));
  EXPECT_FALSE(same_pair("", "abc")) << "no id is no evidence";
  const TemporaryFolder folder;
  // Our own magic read as a size of metadata would be 10^16 bytes.
  EXPECT_EQ(real_pair_id(put(folder, "ours.ntff", "LANENTFF" + std::string(200, '\1')), FileKind::ntff), "");
  EXPECT_EQ(real_pair_id(put(folder, "cut.ntff", real_head(5, uint64_t{1} << 30)), FileKind::ntff), "");
}

TEST(FileKind, RealPairsAreFoundUnderAnyName) {
  const char* shared = std::getenv("LANEWISE_SHARED");
  const fs::path hardware = (shared != nullptr ? fs::path(shared) : fs::path(LANEWISE_SOURCE_DIR) / ".." / "shared") / "hardware";
  std::vector<std::string> alone;
  const auto pairs = pairs_in(hardware.string(), &alone);
  if (!pairs.ok() || pairs->empty()) GTEST_SKIP() << "skipped: the public device captures are not there; set LANEWISE_SHARED";
  const TemporaryFolder folder;
  for (size_t i = 0; i < pairs->size(); ++i) {
    EXPECT_EQ(kind_of_file((*pairs)[i].neff), FileKind::neff);
    EXPECT_EQ(kind_of_file((*pairs)[i].ntff), FileKind::ntff);
    // Names that sort the other way round.
    fs::copy_file((*pairs)[i].neff, folder.path() + "/p" + std::to_string(i));
    fs::copy_file((*pairs)[i].ntff, folder.path() + "/r" + std::to_string(9 - i));
  }
  const auto found = pairs_in(folder.path(), &alone);
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(alone.empty());
  ASSERT_EQ(found->size(), pairs->size());
  for (const PairPaths& pair : *found) EXPECT_TRUE(open_pair(pair.neff, pair.ntff).ok()) << pair.neff << " " << pair.ntff;
}

}  // namespace
}  // namespace lanewise::trace::pair

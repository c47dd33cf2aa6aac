// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/output_file.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>

#include "trace/record/proto_wire.h"
#include "trace/record/record_fixture.h"

namespace lanewise::trace::record {
namespace {

std::string fields(int count, size_t size) {
  ProtoMessage m;
  for (int i = 0; i < count; ++i) m.text(1, std::string(size, static_cast<char>('a' + i % 26)));
  return std::string(m.bytes());
}

// Runs `body` in a child that may write files of `limit` bytes; the exit code is what it returns.
int with_file_limit(rlim_t limit, int (*body)(const std::string&), const std::string& argument) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{limit, limit};
    setrlimit(RLIMIT_FSIZE, &small);
    _exit(body(argument));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(OutputFileTest, WholeFilesAndTheirErrors) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/a";
  ASSERT_TRUE(write_whole_file(path, "first").ok());
  ASSERT_TRUE(write_whole_file(path, std::string("sec\0nd", 6)).ok());
  EXPECT_EQ(*read_whole_file(path), std::string("sec\0nd", 6));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  EXPECT_EQ(read_whole_file(folder.path() + "/none").status().code(), StatusCode::not_found);
  const Status status = write_whole_file(folder.path() + "/no/such", "x");
  EXPECT_EQ(status.code(), StatusCode::failed_precondition);
  EXPECT_NE(status.message().find("/no/such"), std::string::npos);
}

TEST(OutputFileTest, AFailedWholeFileLeavesTheOldOne) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/a";
  ASSERT_TRUE(write_whole_file(path, "old").ok());
  EXPECT_EQ(with_file_limit(1000, [](const std::string& p) {
              return write_whole_file(p, std::string(5000, 'x')).code() == StatusCode::resource_exhausted ? 0 : 1;
            }, path), 0);
  EXPECT_EQ(*read_whole_file(path), "old");
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(OutputFileTest, AFullDiskLeavesWholeFieldsAndWhatIsLeftCanFollow) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/stream";
  EXPECT_EQ(with_file_limit(1000, [](const std::string& p) {
              AppendFile file;
              if (!file.open(p).ok()) return 1;
              std::string pending = fields(3, 200);
              if (!file.append(&pending).ok() || !pending.empty()) return 2;
              pending = fields(5, 300);   // one fits
              if (file.append(&pending).code() != StatusCode::resource_exhausted) return 3;
              if (pending.size() != 4 * 303) return 4;
              if (std::filesystem::file_size(p) != 3 * 203 + 303) return 5;
              if (file.append(&pending).ok()) return 6;
              if (pending.size() != 4 * 303) return 7;
              return 0;
            }, path), 0);
  std::vector<ProtoField> read;
  EXPECT_TRUE(read_proto(*read_whole_file(path), &read).ok());
  EXPECT_EQ(read.size(), 4u);
}

}  // namespace
}  // namespace lanewise::trace::record

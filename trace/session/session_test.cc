// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/session.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "trace/session/args_reader.h"

namespace lanewise::trace::session {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("lw_session_" + std::to_string(::getpid()) + "_" + std::to_string(next_++))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return (path_ / name).string();
  }
  std::string write_gzip(const std::string& name, const std::string& bytes) const {
    const std::string path = (path_ / name).string();
    gzFile file = gzopen(path.c_str(), "wb");
    EXPECT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())), static_cast<int>(bytes.size()));
    gzclose(file);
    return path;
  }
  std::string path() const { return path_.string(); }

 private:
  static inline int next_ = 0;
  fs::path path_;
};

// A rank with the same pids and ids as every other one; collectives end at the same moment plus `ahead`.
std::string rank_file(int rank, int64_t base, int ahead_us = 0) {
  std::string text = "{\"distributedInfo\": {\"rank\": " + (rank < 0 ? std::string("null") : std::to_string(rank)) +
                     ", \"world_size\": 300, \"backend\": \"nccl\"}, \"baseTimeNanoseconds\": " + std::to_string(base) +
                     ", \"traceEvents\": [";
  for (int i = 0; i < 5; ++i) {
    const int start = i * 100 + rank;  // late by its rank
    const int end = i * 100 + 50 + ahead_us;
    text += R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":7,"ts":)" + std::to_string(start) + ",\"dur\":" +
            std::to_string(end - start) + R"(,"args":{"correlation":)" + std::to_string(i) + R"(,"note":"r\u0061nk )" + std::to_string(rank) + "\"}},";
  }
  return text + R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":1}]})";
}

TEST(Session, AFolderOfRanksIsOneSessionInOrderOfRank) {
  Folder folder;
  folder.write("a.json", rank_file(34, 2000, 3));
  folder.write_gzip("b.json.gz", rank_file(7, 1000));
  folder.write("c.json", rank_file(-1, 1500));
  folder.write("settings.json", "{\"lr\": 0.1}");
  folder.write("notes.txt", "nothing");
  const auto session = Session::open(folder.path());
  ASSERT_TRUE(session.ok()) << session.status().to_string();
  const auto& files = (*session)->files();
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].file.rank, 7);
  EXPECT_EQ(files[1].file.rank, 34);
  EXPECT_FALSE(files[2].file.rank.has_value());
  EXPECT_EQ(files[1].part, 1u);
  EXPECT_EQ((*session)->origin_ns(), 1000);
  EXPECT_EQ(files[0].offset_ns, 0);
  EXPECT_EQ(files[1].offset_ns, 1000);
  EXPECT_EQ(files[2].offset_ns, 500);
  // One pool: the same name has one id everywhere, while ids and tracks belong to their file.
  EXPECT_EQ(files[0].file.events.name[0], files[1].file.events.name[0]);
  EXPECT_EQ(files[0].file.compression, "gzip");
}

TEST(Session, AStartThatNoClockShowsIsNone) {
  Folder folder;
  folder.write("a.json", rank_file(0, std::numeric_limits<int64_t>::max()));
  folder.write("b.json", rank_file(1, -5));
  folder.write("c.json", rank_file(2, 1790857026000000000));
  const auto session = Session::open(folder.path());
  ASSERT_TRUE(session.ok()) << session.status().to_string();
  EXPECT_EQ((*session)->origin_ns(), 0);
  EXPECT_EQ((*session)->files()[0].offset_ns, 0);
  EXPECT_EQ((*session)->files()[1].offset_ns, 0);
  EXPECT_EQ((*session)->files()[2].offset_ns, 1790857026000000000);
  for (size_t i = 0; i < 3; ++i) {
    const schema::Ledger& ledger = (*session)->files()[i].file.ledger;
    const bool said = std::any_of(ledger.reasons.begin(), ledger.reasons.end(), [](const schema::LedgerReason& r) {
      return r.kind == "base_time_set_aside" && r.count == 1 && r.text.find("no clock shows") != std::string::npos && r.offsets.empty();
    });
    EXPECT_EQ(said, i < 2) << i;
    EXPECT_FALSE(ledger.damaged()) << "nothing was lost";
    EXPECT_TRUE(ledger.balanced());
  }
}

TEST(Session, ClockSkewIsMeasuredAtTheEndsOfCollectives) {
  Folder folder;
  folder.write("r0.json", rank_file(0, 0));
  folder.write("r1.json", rank_file(1, 0, 20));
  folder.write("r2.json", rank_file(2, 0, -7));
  const auto session = Session::open(folder.path());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ((*session)->files()[0].skew_method, "");
  EXPECT_EQ((*session)->files()[1].skew_ns, 20'000);
  EXPECT_EQ((*session)->files()[2].skew_ns, -7'000);
  EXPECT_EQ((*session)->files()[1].skew_method, "median of the ends of 5 collectives");
  EXPECT_EQ((*session)->files()[1].offset_ns, 0);  // measured, not applied
}

constexpr int64_t kSecond = 1'000'000'000;

// 1 ms of time from `base` on, told by no rank.
std::string lone_file(int64_t base) {
  return "{\"baseTimeNanoseconds\": " + std::to_string(base) + R"(, "traceEvents": [{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":1000}]})";
}

TEST(Session, TracesThatAreNotRanksOfOneRunAreNotJoined) {
  Folder folder;
  const std::string first = folder.write("run/a.json", lone_file(100 * kSecond)), newest = folder.write("run/0.json", lone_file(200 * kSecond));
  const auto session = Session::open(folder.path());
  ASSERT_EQ(session.status().code(), StatusCode::invalid_argument);
  const std::string& text = session.status().message();
  EXPECT_NE(text.find("2 traces that are not ranks of one run"), std::string::npos) << text;
  EXPECT_LT(text.find(first), text.find(newest));
  EXPECT_NE(text.find("the newest is " + newest), std::string::npos) << text;
  EXPECT_TRUE(Session::open(newest).ok());
  // The same for a list of paths.
  EXPECT_EQ(Session::open(std::vector<std::string>{first, newest}).status().code(), StatusCode::invalid_argument);
}

TEST(Session, TracesAreOfOneRunWhenTheirTimesAreConnected) {
  Folder folder;
  // Each reaches the next within the slack of the clocks; the first does not reach the last.
  for (int i = 0; i < 3; ++i) folder.write(std::to_string(i) + ".json", lone_file(i * (kSecond + 500'000)));
  EXPECT_TRUE(Session::open(folder.path()).ok());
  folder.write("3.json", lone_file(2 * (kSecond + 500'000) + kSecond + 1'000'001));  // a nanosecond too late
  EXPECT_FALSE(Session::open(folder.path()).ok());
}

TEST(Session, CapturesOfOneProcessAreNoRun) {
  Folder folder;
  // Two captures one second after the other: their times are connected, and it is one process all the same.
  const std::string first = folder.write("i-0aa_pid_7/20261130_090000_000001/trace.json", lone_file(0)),
                    second = folder.write("i-0aa_pid_7/20261130_090001_000001/trace.json", lone_file(kSecond));
  const auto both = Session::open(folder.path());
  ASSERT_EQ(both.status().code(), StatusCode::invalid_argument);
  const std::string& text = both.status().message();
  EXPECT_NE(text.find("2 traces that are not ranks of one run"), std::string::npos) << text;
  EXPECT_NE(text.find("one process"), std::string::npos) << text;
  EXPECT_LT(text.find(first), text.find(second)) << text;
  EXPECT_NE(text.find("the newest is " + second), std::string::npos) << text;
  EXPECT_EQ(Session::open(std::vector<std::string>{first, second}).status().code(), StatusCode::invalid_argument);
  EXPECT_TRUE(Session::open(second).ok());
  // Even where they tell distinct ranks.
  folder.write("i-0aa_pid_7/20261130_090000_000001/trace.json", rank_file(0, 0));
  folder.write("i-0aa_pid_7/20261130_090001_000001/trace.json", rank_file(1, 0));
  EXPECT_FALSE(Session::open(folder.path()).ok());
}

TEST(Session, FilesOfOneCaptureAndCapturesOfSeveralProcessesAreOneRun) {
  Folder folder;
  folder.write("i-0aa_pid_7/20261130_090000_000001/trace.json", lone_file(0));
  folder.write("i-0aa_pid_7/20261130_090000_000001/other.json", lone_file(0));
  folder.write("i-0aa_pid_8/20261130_090000_000002/trace.json", lone_file(0));
  folder.write("i-0bb_pid_7/20261130_090000_000003/trace.json", lone_file(0));
  // No process: a folder that is only called a little like one.
  folder.write("i-0aa_pid_x/1/trace.json", lone_file(0));
  folder.write("i-0aa_pid_x/2/trace.json", lone_file(0));
  const auto session = Session::open(folder.path());
  ASSERT_TRUE(session.ok()) << session.status().to_string();
  EXPECT_EQ((*session)->files().size(), 6u);
}

TEST(Session, DistinctRanksOfOneWorldAreOneRunWhateverTheirTimes) {
  Folder folder;
  folder.write("a.json", rank_file(0, 0));
  folder.write("b.json", rank_file(1, 900 * kSecond));
  EXPECT_TRUE(Session::open(folder.path()).ok());
  folder.write("c.json", rank_file(1, 1800 * kSecond));  // a second run of that rank
  EXPECT_FALSE(Session::open(folder.path()).ok());
}

TEST(Session, TheSamePathsGiveTheSameIdsForAnyNumberOfThreads) {
  Folder folder;
  folder.write("r0.json", rank_file(0, 0));
  folder.write("r1.json", rank_file(1, 0));
  OpenOptions one, many;
  one.import.threads = 1;
  many.import.threads = 4;
  many.import.chunk_bytes = 100;
  const auto a = Session::open(folder.path(), one), b = Session::open(folder.path(), many);
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_EQ((*a)->strings().size(), (*b)->strings().size());
  for (store::StringId id = 0; id < (*a)->strings().size(); ++id) ASSERT_EQ((*a)->text(id), (*b)->text(id));
}

TEST(Session, FailuresNameTheFileAndTheReason) {
  Folder folder;
  const auto message = [](const std::string& path) { return Session::open(path).status().message(); };
  EXPECT_EQ(Session::open(folder.path() + "/none.json").status().code(), StatusCode::not_found);
  EXPECT_NE(message(folder.path()).find("no trace file in the folder"), std::string::npos);
  const std::string empty = folder.write("empty.json", "");
  EXPECT_EQ(Session::open(empty).status().code(), StatusCode::data_loss);
  EXPECT_EQ(message(empty), empty + ": the file is empty");
  const std::string text = folder.write("text.json", "hello, this is no trace");
  EXPECT_EQ(message(text), text + ": the file holds no trace events");
  const std::string cut = folder.write("cut.json.gz", std::string("\x1f\x8b\x08\x00", 4));
  EXPECT_NE(message(cut).find("compressed stream ends too early"), std::string::npos) << message(cut);
}

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

TEST(Session, ABadFileOfAFolderDoesNotSpoilTheOthers) {
  Folder folder;
  folder.write("rank0.json", rank_file(0, 0));
  folder.write("rank1.json", "");
  folder.write("rank2.json", rank_file(2, 0).substr(0, 30));
  folder.write("rank3.json.gz", std::string("\x1f\x8b\x08\x00", 4));
  folder.write("rank4.json", "{\"schemaVersion\": 1, \"deviceProperties\": [");
  folder.write("capture/ntrace.pb", "\x0a");  // cut in its first packet
  folder.write("system.pb", std::string("\x0a\x04\x40\x01\x50\x01", 6));  // a packet with a time and nothing else
  const auto session = Session::open(folder.path());
  ASSERT_TRUE(session.ok()) << session.status().to_string();
  ASSERT_EQ((*session)->files().size(), 1u);
  EXPECT_EQ((*session)->files()[0].file.rank, 0);
  std::string unread;
  for (const auto& [path, reason] : (*session)->unread()) unread += name_of(path) + ": " + reason + "\n";
  EXPECT_EQ(unread,
            "ntrace.pb: it does not begin as a system trace does\n"
            "rank1.json: the file is empty\n"
            "rank2.json: the file ends before its first event\n"
            "rank3.json.gz: the compressed stream ends too early\n"
            "rank4.json: the file ends before its first event\n"
            "system.pb: the file holds no track events\n");
}

TEST(Session, AFolderOfOnlyBadFilesIsAFailureThatNamesOne) {
  Folder folder;
  const std::string path = folder.write("rank1.json", "");
  const Status status = Session::open(folder.path()).status();
  EXPECT_EQ(status.code(), StatusCode::data_loss);
  EXPECT_NE(status.message().find(path + ": the file is empty"), std::string::npos) << status.message();
}

TEST(Session, ATraceOfNothingIsAFileLikeOthersButNoSession) {
  Folder folder;
  const std::string nothing = folder.write("launcher.json", "{\"traceEvents\": []}");
  for (const std::string& path : {nothing, folder.path()}) {
    EXPECT_EQ(Session::open(path).status().code(), StatusCode::data_loss);
    EXPECT_EQ(Session::open(path).status().message(), nothing + ": the file holds no trace events");
  }
  folder.write("rank0.json", rank_file(0, 0));
  const auto session = Session::open(folder.path());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ((*session)->files().size(), 2u);
  EXPECT_TRUE((*session)->unread().empty());
}

TEST(Session, WhatIsNoTraceInAFolderIsNotMentioned) {
  Folder folder;
  folder.write("a.json", rank_file(0, 0));
  folder.write("settings.json", "{\"schemaVersion\": 2, \"ph\": 7.4, \"traceEvents_of\": 1}");
  folder.write("log.txt", "[INFO] started {\n[INFO] and on");
  folder.write("log.jsonl", "{\"a\": 1}\n{\"a\": ");
  folder.write("__init__.py", "");
  folder.write("picture.png", std::string("\x89PNG\x0d\x0a\x1a\x0a\0\0", 10));
  const auto session = Session::open(folder.path());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ((*session)->files().size(), 1u);
  EXPECT_TRUE((*session)->unread().empty()) << (*session)->unread()[0].path << (*session)->unread()[0].reason;
}

TEST(Session, EventsBehindALongHeadAreFound) {
  Folder folder;
  std::string head = "{\"otherData\": {";
  for (int i = 0; i < 20'000; ++i) head += "\"key " + std::to_string(i) + "\": \"value\", ";
  folder.write("a.json", head + "\"last\": 0}, " + rank_file(3, 0).substr(1));
  const auto session = Session::open(folder.path());
  ASSERT_TRUE(session.ok()) << session.status().to_string();
  EXPECT_EQ((*session)->files()[0].file.rank, 3);
}

TEST(Session, AFileThatTwoNamesLeadToIsReadOnce) {
  Folder folder;
  const std::string real = folder.write("run_7.json", rank_file(0, 0));
  fs::create_symlink("run_7.json", folder.path() + "/latest.json");
  fs::create_symlink("nowhere.json", folder.path() + "/dangling.json");
  fs::create_directory_symlink(".", folder.path() + "/self");
  fs::create_hard_link(real, folder.path() + "/zz.json");
  const auto session = Session::open(folder.path());
  ASSERT_TRUE(session.ok());
  ASSERT_EQ((*session)->files().size(), 1u);
  EXPECT_EQ((*session)->files()[0].file.path, real);
}

TEST(Session, AUserTableAddsAnAccelerator) {
  Folder folder;
  const std::string path = folder.write("t.json", R"([{"ph":"X","cat":"my kernel","name":"k","ts":1,"dur":2,"pid":0,"tid":0}])");
  auto producers = schema::Producers::with("producer mine\ncategory \"my kernel\" kernel\n", "mine.txt");
  ASSERT_TRUE(producers.ok());
  OpenOptions options;
  options.producers = &*producers;
  const auto session = Session::open(path, options);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ((*session)->events(0).role_of(0), schema::Role::kernel);
  EXPECT_EQ((*session)->files()[0].file.producers, std::vector<std::string>{"mine"});
}

TEST(ArgsReader, ReadsArgsOfSingleEventsFromPlainAndCompressedFiles) {
  Folder folder;
  for (const std::string& path : {folder.write("a.json", rank_file(3, 0)), folder.write_gzip("b.json.gz", rank_file(3, 0))}) {
    const auto session = Session::open(path);
    ASSERT_TRUE(session.ok());
    ArgsReader reader((*session)->files()[0].file);
    for (const schema::Row row : {4u, 0u, 2u}) {
      const auto args = reader.args(row);
      ASSERT_TRUE(args.ok()) << args.status().to_string();
      ASSERT_EQ(args->size(), 2u);
      EXPECT_EQ((*args)[0], std::make_pair(std::string("correlation"), std::to_string(row)));
      EXPECT_EQ(*reader.arg(row, "note"), "rank 3");
      EXPECT_EQ(*reader.arg(row, "absent"), "");
    }
    EXPECT_TRUE(reader.args(5)->empty());
    EXPECT_EQ(reader.args(99).status().code(), StatusCode::out_of_range);
  }
}

TEST(ArgsReader, AFileThatChangedOrWentIsAClearFailure) {
  Folder folder;
  const std::string path = folder.write("a.json", rank_file(3, 0));
  const auto session = Session::open(path);
  ASSERT_TRUE(session.ok());
  ArgsReader early((*session)->files()[0].file), late((*session)->files()[0].file);
  ASSERT_TRUE(early.args(0).ok());
  folder.write("a.json", "[]");
  EXPECT_EQ(early.args(0).status().code(), StatusCode::failed_precondition);
  EXPECT_EQ(late.args(0).status().code(), StatusCode::failed_precondition);
  fs::remove(path);
  EXPECT_NE(early.args(1).status().message().find("is gone"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::trace::session

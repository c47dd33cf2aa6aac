// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a capture leaves on disk, and what happens when the disk or the process does not play along.
#include <csignal>
#include <set>
#include <thread>

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "trace/record/neff.h"
#include "trace/record/ntff.h"
#include "trace/record/output_file.h"
#include "trace/record/record_fixture.h"
#include "trace/record/session_folder.h"
#include "trace/record/trace_info.h"
#include "trace/record/trace_replay.h"

namespace lanewise::trace::record {
namespace {

namespace fs = std::filesystem;

CaptureOptions into(const std::string& folder) {
  CaptureOptions options;
  options.profile_output_dir = folder;
  return options;
}

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

Replay replay_of(const std::string& directory) { return Replayer().run(*read_whole_file(directory + "/ntrace.pb")); }

TraceInfo info_of(const std::string& directory) {
  TraceInfo info;
  const Status status = read_trace_info(*read_whole_file(directory + "/trace_info.pb"), &info);
  EXPECT_TRUE(status.ok()) << status.to_string();
  return info;
}

void launch(uint16_t nc) {
  const uint64_t id = new_launch_id();
  emit(runtime_event(nc, id));
  emit(hardware_event(nc, id));
}

int exit_code(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(SessionTest, TheFolderHasTheShapeThatScriptsGlob) {
  TemporaryFolder folder;
  auto first = start_capture(into(folder.path()));
  const fs::path directory = first->directory();
  EXPECT_TRUE(directory.is_absolute());
  EXPECT_EQ(directory.parent_path().parent_path(), fs::path(folder.path()));
  EXPECT_EQ(directory.parent_path().filename(), "i-" + machine_id() + "_pid_" + std::to_string(getpid()));
  EXPECT_EQ(machine_id().size(), 17u);
  EXPECT_EQ(machine_id().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(machine_id(), machine_id());
  EXPECT_TRUE(first->stop().write_status.ok());
  EXPECT_EQ(files_in(directory), (std::set<std::string>{"ntrace.pb", "trace_info.pb"}));

  auto second = start_capture(into(folder.path()));   // within the same second
  EXPECT_NE(second->directory(), first->directory());
  EXPECT_EQ(second->stop().directory, second->directory());
  EXPECT_EQ(files_in(directory.parent_path()).size(), 2u);
}

TEST(SessionTest, NoFilesWhenNoneWereAskedFor) {
  TemporaryFolder folder;
  CaptureOptions options = into(folder.path());
  options.write_files = false;
  auto capture = start_capture(options);
  launch(0);
  EXPECT_FALSE(capture->wants_program(1, 0));
  capture->add_program(small_program(), 1, 0, 1, small_profile());
  const CaptureResult result = capture->stop();
  EXPECT_EQ(result.events.size(), 2u);
  EXPECT_EQ(result.directory, "");
  EXPECT_TRUE(result.write_status.ok());
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(SessionTest, TheTraceShowsTheEventsAndTheInfoSaysWhatTheyAre) {
  TemporaryFolder folder;
  CaptureOptions options = into(folder.path());
  options.cores = {0, 1};
  Producer producer{"trn2", "trn2,exec_overhead_ns=7", "sim 1", "compiler 2", "2.15.0", 7, 8};
  auto capture = *Capture::start(options, producer);
  for (int i = 0; i < 10; ++i) launch(static_cast<uint16_t>(i % 3));
  const uint64_t open = new_launch_id();
  emit(runtime_event(1, open));
  const CaptureResult result = capture->stop();
  EXPECT_EQ(result.open_launches, 1u);

  const Replay r = replay_of(result.directory);
  EXPECT_TRUE(r.damage.ok());
  EXPECT_EQ(r.unmatched, 0);
  EXPECT_EQ(r.named("nc_exec_running").size(), 7u);
  EXPECT_EQ(r.named("nrta_execute_schedule").size(), 8u);

  const TraceInfo info = info_of(result.directory);
  EXPECT_TRUE(info.complete);
  EXPECT_EQ(info.producer.machine_spec, producer.machine_spec);
  EXPECT_EQ(info.producer.torch_version, "2.15.0");
  EXPECT_EQ(info.producer.exec_overhead_ns, 7);
  EXPECT_EQ(info.producer.device_capture_overhead_ns, 8);
  EXPECT_EQ(info.instance_id, "i-" + machine_id());
  EXPECT_EQ(info.pid, getpid());
  EXPECT_GT(info.stop_ns, info.start_ns);
  EXPECT_EQ(info.clocks.size(), 2u);
  EXPECT_EQ(info.dropped, 0u);
  EXPECT_EQ(info.open_launches, 1u);
  EXPECT_EQ(info.options.cores, options.cores);
  EXPECT_EQ(info.options.max_events_per_nc, options.max_events_per_nc);
  ASSERT_EQ(info.cores.size(), 2u);
  EXPECT_EQ(info.cores[1].nc, 1);
  EXPECT_EQ(info.cores[1].counters.launches_finished, 3u);
  EXPECT_TRUE(info.problems.empty());
}

TEST(SessionTest, WithoutRuntimeModeThereIsNoSystemTrace) {
  TemporaryFolder folder;
  CaptureOptions options = into(folder.path());
  options.runtime = false;
  auto capture = start_capture(options);
  launch(0);
  const CaptureResult result = capture->stop();
  EXPECT_EQ(result.events.size(), 2u);
  EXPECT_EQ(files_in(result.directory), std::set<std::string>{"trace_info.pb"});
}

TEST(SessionTest, LoadAndMemoryWhenAsked) {
  TemporaryFolder folder;
  CaptureOptions options = into(folder.path());
  options.cpu_util = options.host_memory = true;
  auto capture = start_capture(options);
  const int64_t until = now_ns() + 1'200'000'000;
  while (now_ns() < until) {}   // so that there is load to see
  const CaptureResult result = capture->stop();
  ASSERT_TRUE(result.write_status.ok()) << result.write_status.to_string();

  std::vector<ProtoField> samples, fields;
  ASSERT_TRUE(read_proto(*read_whole_file(result.directory + "/cpu_util.pb"), &samples).ok());
  const std::string cpu_file = *read_whole_file(result.directory + "/cpu_util.pb");
  samples.clear();
  ASSERT_TRUE(read_proto(cpu_file, &samples).ok());
  ASSERT_GE(samples.size(), 1u);
  ASSERT_TRUE(read_proto(samples[0].bytes, &fields).ok());
  EXPECT_GT(fields.at(0).as_integer(), 0);
  EXPECT_GT(fields.at(1).as_integer(), 0);
  EXPECT_GT(fields.at(2).as_number(), 1.0);     // this process was busy
  EXPECT_GE(fields.size(), 4u);                 // at least one CPU

  const std::string memory_file = *read_whole_file(result.directory + "/host_mem.pb");
  samples.clear();
  ASSERT_TRUE(read_proto(memory_file, &samples).ok());
  ASSERT_GE(samples.size(), 2u);
  fields.clear();
  ASSERT_TRUE(read_proto(samples.back().bytes, &fields).ok());
  EXPECT_EQ(fields.at(1).number, 2u);
  EXPECT_GT(fields.at(1).value, 1u << 20);      // resident bytes
}

TEST(SessionTest, OnePairAProgramAndCore) {
  TemporaryFolder folder;
  auto capture = start_capture(into(folder.path()));
  const isa::Program program = small_program();
  const uint64_t hash = isa::program_hash(program);
  EXPECT_TRUE(capture->wants_program(hash, 0));
  capture->add_program(program, hash, 0, 11, small_profile(), "graph");
  EXPECT_FALSE(capture->wants_program(hash, 0));
  EXPECT_TRUE(capture->wants_program(hash, 1));
  capture->add_program(program, hash, 0, 12, DeviceProfile{});   // not the first
  capture->add_program(program, hash, 1, 13, small_profile());
  const CaptureResult result = capture->stop();
  ASSERT_TRUE(result.write_status.ok()) << result.write_status.to_string();
  EXPECT_FALSE(capture->wants_program(hash, 2));
  EXPECT_EQ(files_in(result.directory),
            (std::set<std::string>{"ntrace.pb", "trace_info.pb", neff_name(hash, 0), neff_name(hash, 1),
                                   ntff_name(hash, 0, 0), ntff_name(hash, 0, 1)}));
  Neff neff;
  Ntff ntff;
  ASSERT_TRUE(read_neff(*read_whole_file(result.directory + "/" + neff_name(hash, 0)), &neff).ok());
  ASSERT_TRUE(read_ntff(*read_whole_file(result.directory + "/" + ntff_name(hash, 0, 0)), &ntff).ok());
  EXPECT_EQ(*neff_program(neff), program);
  EXPECT_EQ(*neff.find("graph.ir"), "graph");
  EXPECT_EQ(ntff.uuid, neff.header.uuid);
  EXPECT_EQ(ntff.neff, neff_name(hash, 0));
  EXPECT_EQ(ntff.launch_id, 11u);
  EXPECT_EQ(ntff.profile.instructions.size(), small_profile().instructions.size());
  EXPECT_EQ(ntff.engines.at(0), "pe");
  const TraceInfo info = info_of(result.directory);
  ASSERT_EQ(info.programs.size(), 2u);
  EXPECT_EQ(info.programs[0].hash, hash);
  EXPECT_EQ(info.programs[0].ntff, ntff_name(hash, 0, 0));
  EXPECT_EQ(info.programs[1].nc, 1);
}

TEST(SessionTest, ProgramsOfOtherCoresOrModesAreNotWanted) {
  CaptureOptions options = in_memory();
  TemporaryFolder folder;
  options = into(folder.path());
  options.cores = {2};
  auto capture = start_capture(options);
  EXPECT_TRUE(capture->wants_program(5, 2));
  EXPECT_FALSE(capture->wants_program(5, 0));
  EXPECT_TRUE(g_device_capture_on);
  (void)capture->stop();
  EXPECT_FALSE(g_device_capture_on);
  options.device = false;
  capture = start_capture(options);
  EXPECT_FALSE(capture->wants_program(5, 2));
  EXPECT_FALSE(g_device_capture_on);
  (void)capture->stop();
}

TEST(SessionTest, ABadProfileIsAProblemOfItsFileOnly) {
  TemporaryFolder folder;
  auto capture = start_capture(into(folder.path()));
  launch(0);
  DeviceProfile bad = small_profile();
  bad.instructions[0].engine = 99;
  capture->add_program(small_program(), 5, 0, 1, bad);
  const CaptureResult result = capture->stop();
  EXPECT_EQ(result.write_status.code(), StatusCode::invalid_argument);
  EXPECT_EQ(result.events.size(), 2u);
  EXPECT_EQ(replay_of(result.directory).named("nc_exec_running").size(), 1u);
  EXPECT_EQ(info_of(result.directory).problems.size(), 1u);
  EXPECT_FALSE(info_of(result.directory).complete);
}

TEST(SessionTest, TheCacheGivesAndTakesNeffs) {
  TemporaryFolder folder;
  CaptureOptions options = into(folder.path());
  options.neff_cache_dir = folder.path() + "/cache/deep";
  const isa::Program program = small_program();
  const uint64_t hash = isa::program_hash(program);
  auto one_capture = [&] {
    auto capture = start_capture(options);
    capture->add_program(program, hash, 0, 1, small_profile());
    const CaptureResult result = capture->stop();
    EXPECT_TRUE(result.write_status.ok()) << result.write_status.to_string();
    return info_of(result.directory).programs.at(0);
  };
  const std::string cached = options.neff_cache_dir + "/" + neff_name(hash, 0);
  EXPECT_FALSE(one_capture().neff_from_cache);
  EXPECT_TRUE(fs::exists(cached));
  EXPECT_TRUE(one_capture().neff_from_cache);
  ASSERT_TRUE(write_whole_file(cached, "damaged").ok());
  EXPECT_FALSE(one_capture().neff_from_cache);
  // Same name, another program.
  ASSERT_TRUE(write_whole_file(cached, *write_neff(small_program("other"), hash, "", "x")).ok());
  EXPECT_FALSE(one_capture().neff_from_cache);
  EXPECT_TRUE(one_capture().neff_from_cache);
}

TEST(SessionTest, AnOverflowIsDrawnAndTheFileShowsWhatTheTableShows) {
  TemporaryFolder folder;
  CaptureOptions options = into(folder.path());
  options.max_events_per_nc = 100;
  auto capture = start_capture(options);
  for (int round = 0; round < 3; ++round) {   // some are written to the file long before they are overwritten
    for (int i = 0; i < 70; ++i) emit(hardware_event(0, new_launch_id()));
    ASSERT_TRUE(emergency_flush(20'000));
  }
  launch(1);
  const CaptureResult result = capture->stop();
  EXPECT_EQ(result.dropped, 110u);
  EXPECT_EQ(result.events.size(), 102u);
  const Replay r = replay_of(result.directory);
  EXPECT_EQ(r.unmatched, 0);
  EXPECT_EQ(r.named("nc_exec_running").size(), 101u);
  const auto lost = r.named("events lost");
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].numbers.at("count"), 110u);
  EXPECT_EQ(lost[0].parent_track, "neuron:0");
  EXPECT_EQ(info_of(result.directory).dropped, 110u);
}

TEST(SessionTest, TheFileStaysBoundedWhileTheRingsTurn) {
  TemporaryFolder folder;
  CaptureOptions options = into(folder.path());
  options.max_events_per_nc = 1000;
  auto capture = start_capture(options);
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 1000; ++i) emit(hardware_event(0, 0));
    ASSERT_TRUE(emergency_flush(60'000));
  }
  const Replay running = replay_of(capture->directory());
  EXPECT_TRUE(running.damage.ok());
  EXPECT_EQ(running.unmatched, 0);
  EXPECT_GE(running.named("nc_exec_running").size(), 1000u);
  EXPECT_LE(running.named("nc_exec_running").size(), 23'000u);   // of 30,000
  const CaptureResult result = capture->stop();
  EXPECT_EQ(result.dropped, 29'000u);
  EXPECT_EQ(replay_of(result.directory).named("nc_exec_running").size(), 1000u);
}

TEST(SessionTest, TwoThreadsEmitAndEveryEventIsInTheFile) {
  TemporaryFolder folder;
  auto capture = start_capture(into(folder.path()));
  std::vector<std::thread> threads;
  for (uint16_t nc = 0; nc < 2; ++nc) {
    threads.emplace_back([nc] {
      for (int i = 0; i < 5000; ++i) launch(nc);
    });
  }
  for (auto& t : threads) t.join();
  const CaptureResult result = capture->stop();
  EXPECT_EQ(result.events.size(), 20'000u);
  const Replay r = replay_of(result.directory);
  EXPECT_EQ(r.unmatched, 0);
  const auto runs = r.named("nc_exec_running");
  EXPECT_EQ(runs.size(), 10'000u);
  std::set<std::string> call_tracks;
  for (const ReplayedSlice& s : r.named("nrta_execute_schedule")) call_tracks.insert(s.track);
  EXPECT_EQ(call_tracks.size(), 2u);
}

// --- the process dies ------------------------------------------------------------------------------------------------

// A child that captures, launches, says so through the pipe and then does `end`.
std::string capture_in_child(const std::string& folder, void (*end)(), int expected_signal) {
  int pipe_fds[2];
  EXPECT_EQ(pipe(pipe_fds), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto capture = Capture::start(into(folder), Producer{});
    if (!capture.ok()) _exit(1);
    for (int i = 0; i < 50; ++i) launch(0);
    const std::string directory = (*capture)->directory();
    if (write(pipe_fds[1], directory.data(), directory.size()) < 0) _exit(2);
    ::close(pipe_fds[1]);
    end();
    _exit(3);
  }
  ::close(pipe_fds[1]);
  std::string directory;
  char block[512];
  ssize_t n = 0;
  while ((n = read(pipe_fds[0], block, sizeof block)) > 0) directory.append(block, static_cast<size_t>(n));
  ::close(pipe_fds[0]);
  EXPECT_EQ(exit_code(child), 1000 + expected_signal);
  return directory;
}

TEST(SessionTest, KillNineLeavesAReadableTrace) {
  TemporaryFolder folder;
  const std::string directory = capture_in_child(folder.path(), [] {
    // The writer's own rhythm, no flush.
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    for (int i = 0; i < 20; ++i) launch(0);
    kill(getpid(), SIGKILL);
  }, SIGKILL);
  const Replay r = replay_of(directory);
  EXPECT_GE(r.named("nc_exec_running").size(), 50u);
  EXPECT_LE(r.named("nc_exec_running").size(), 70u);
  EXPECT_LE(r.unmatched, 2);
  EXPECT_FALSE(info_of(directory).complete);
}

void flush_and_die(int) {
  const bool flushed = emergency_flush(10'000);
  signal(SIGSEGV, SIG_DFL);
  if (flushed) raise(SIGSEGV);
}

TEST(SessionTest, ACrashHandlerSavesEverything) {
  TemporaryFolder folder;
  const std::string directory = capture_in_child(folder.path(), [] {
    signal(SIGSEGV, flush_and_die);
    raise(SIGSEGV);
  }, SIGSEGV);
  const Replay r = replay_of(directory);
  EXPECT_TRUE(r.damage.ok());
  EXPECT_EQ(r.unmatched, 0);
  EXPECT_EQ(r.named("nc_exec_running").size(), 50u);
  const TraceInfo info = info_of(directory);
  EXPECT_FALSE(info.complete);
  ASSERT_EQ(info.cores.size(), 1u);
  EXPECT_EQ(info.cores[0].counters.pushed, 100u);
}

TEST(SessionTest, AnExitWithoutStopClosesTheCapture) {
  TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    auto capture = Capture::start(into(folder.path()), Producer{});
    if (!capture.ok()) _exit(1);
    launch(0);
    capture->reset();
    exit(0);
  }
  EXPECT_EQ(exit_code(child), 0);
  const fs::path process = folder.path() + "/" + *files_in(folder.path()).begin();
  const std::string directory = process / *files_in(process).begin();
  EXPECT_EQ(replay_of(directory).named("nc_exec_running").size(), 1u);
  EXPECT_TRUE(info_of(directory).complete);
}

TEST(SessionTest, AForkedChildLeavesTheFilesAlone) {
  TemporaryFolder folder;
  auto capture = start_capture(into(folder.path()));
  const pid_t child = fork();
  if (child == 0) {
    launch(0);
    capture->stop();
    capture.reset();
    exit(7);   // with handlers
  }
  EXPECT_EQ(exit_code(child), 7);
  launch(0);
  const CaptureResult result = capture->stop();
  EXPECT_TRUE(result.write_status.ok());
  EXPECT_EQ(replay_of(result.directory).named("nc_exec_running").size(), 1u);
}

TEST(SessionTest, FlushWithoutACaptureHasNothingToDo) { EXPECT_TRUE(emergency_flush(0)); }

// --- the disk says no ------------------------------------------------------------------------------------------------

TEST(SessionTest, AFolderThatCannotBeMadeIsAnErrorOfStart) {
  TemporaryFolder folder;
  ASSERT_TRUE(write_whole_file(folder.path() + "/file", "").ok());
  for (const std::string& bad : {folder.path() + "/file", std::string("/proc/nowhere"), std::string()}) {
    auto refused = Capture::start(into(bad), Producer{});
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_NE(refused.status().message().find(bad.empty() ? "profile_output_dir" : bad), std::string::npos);
    EXPECT_FALSE(capture_on());
    EXPECT_EQ(active_capture(), nullptr);
  }
}

TEST(SessionTest, AFolderWithoutPermissionIsAnErrorOfStart) {
  TemporaryFolder folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && setuid(65534) != 0) _exit(9);   // root may write anywhere
    auto refused = Capture::start(into(folder.path()), Producer{});
    if (refused.ok()) _exit(1);
    if (refused.status().code() != StatusCode::failed_precondition) _exit(2);
    if (refused.status().message().find("writable profile_output_dir") == std::string::npos) _exit(3);
    _exit(capture_on() ? 4 : 0);
  }
  EXPECT_EQ(exit_code(child), 0);
}

TEST(SessionTest, ASizeLimitIsAWriteStatusAndEventsAreStillThere) {
  TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit small{20'000, 20'000};   // SIGXFSZ keeps its default action: it must not hit this process
    setrlimit(RLIMIT_FSIZE, &small);
    auto capture = Capture::start(into(folder.path()), Producer{});
    if (!capture.ok()) _exit(1);
    for (int i = 0; i < 2000; ++i) launch(0);
    isa::Program large = small_program();
    large.buffers[1].data.resize(100'000);
    uint32_t noise = 1;
    for (std::byte& b : large.buffers[1].data) b = static_cast<std::byte>((noise = noise * 1664525 + 1013904223) >> 24);
    (*capture)->add_program(large, 77, 0, 1, small_profile());
    const CaptureResult result = (*capture)->stop();
    if (result.events.size() != 4000) _exit(2);
    if (result.write_status.code() != StatusCode::resource_exhausted) _exit(3);
    const std::string& message = result.write_status.message();
    if (message.find(result.directory) == std::string::npos) _exit(4);
    _exit(0);
  }
  EXPECT_EQ(exit_code(child), 0);
  const fs::path process = folder.path() + "/" + *files_in(folder.path()).begin();
  const std::string directory = process / *files_in(process).begin();
  const Replay r = replay_of(directory);
  EXPECT_TRUE(r.damage.ok());   // ends with a whole packet
  EXPECT_GT(r.packets, 50);
  const TraceInfo info = info_of(directory);
  EXPECT_FALSE(info.complete);
  EXPECT_EQ(info.problems.size(), 2u);   // the trace and the NEFF
  EXPECT_FALSE(fs::exists(directory + "/" + neff_name(77, 0)));
}

TEST(SessionTest, AFullDiskIsAWriteStatusAndRoomThatComesBackIsUsed) {
  TemporaryFolder folder;
  if (mount("lanewise", folder.path().c_str(), "tmpfs", 0, "size=256k") != 0)
    GTEST_SKIP() << "needs the right to mount a small tmpfs";
  const std::shared_ptr<void> unmount(nullptr, [&](void*) { umount(folder.path().c_str()); });
  const std::string filler = folder.path() + "/filler";
  for (const bool room_comes_back : {false, true}) {
    auto capture = start_capture(into(folder.path()));
    ASSERT_TRUE(capture);
    (void)write_whole_file(filler, std::string(200'000, 'x'));
    ASSERT_TRUE(fs::exists(filler));
    for (int i = 0; i < 300; ++i) launch(0);
    ASSERT_TRUE(emergency_flush(20'000));
    if (room_comes_back) fs::remove(filler);
    const CaptureResult result = capture->stop();
    EXPECT_EQ(result.events.size(), 600u);
    const Replay r = replay_of(result.directory);
    EXPECT_TRUE(r.damage.ok());
    if (room_comes_back) {
      EXPECT_TRUE(result.write_status.ok()) << result.write_status.to_string();
      EXPECT_EQ(r.named("nc_exec_running").size(), 300u);
      EXPECT_TRUE(info_of(result.directory).complete);
    } else {
      EXPECT_EQ(result.write_status.code(), StatusCode::resource_exhausted);
      EXPECT_LT(r.named("nc_exec_running").size(), 300u);
      fs::remove(filler);
    }
    fs::remove_all(fs::path(result.directory));
  }
}

TEST(SessionTest, AFolderThatDisappearsIsAWriteStatus) {
  TemporaryFolder folder;
  auto capture = start_capture(into(folder.path()));
  launch(0);
  fs::remove_all(capture->directory());
  const CaptureResult result = capture->stop();
  EXPECT_FALSE(result.write_status.ok());
  EXPECT_EQ(result.events.size(), 2u);
}

}  // namespace
}  // namespace lanewise::trace::record

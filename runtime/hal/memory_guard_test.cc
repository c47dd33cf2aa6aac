// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/hal/memory_guard.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "trace/record/capture.h"

namespace lanewise::runtime {
namespace {

constexpr size_t kBytes = 1 << 20;

volatile char* reserve() {
  return static_cast<volatile char*>(mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

// A sanitizer has a handler of its own below ours, so the default action is not to be seen.
constexpr bool kSanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif

class MemoryGuardDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(MemoryGuardDeathTest, touch_ends_with_one_line_that_names_the_device) {
  auto touch = [] {
    volatile char* range = reserve();
    if (!install_memory_guard().ok() || !guard_range(reinterpret_cast<uintptr_t>(range), kBytes, 3).ok()) _exit(1);
    range[kBytes - 1] = 1;
  };
  EXPECT_EXIT(touch(), testing::ExitedWithCode(139),
              "^lanewise: host code touched memory of neuron:3 at 0x[0-9a-f]+; copy it to the host first "
              "\\(tensor.cpu\\(\\)\\)\n$");
}

TEST_F(MemoryGuardDeathTest, other_faults_go_to_the_handler_before) {
  auto touch = [] {
    struct sigaction action {};
    action.sa_handler = [](int) { _exit(42); };
    sigaction(SIGSEGV, &action, nullptr);
    volatile char* range = reserve();
    if (!install_memory_guard().ok() || !guard_range(reinterpret_cast<uintptr_t>(range), kBytes / 2, 3).ok()) _exit(1);
    range[kBytes / 2] = 1;
  };
  EXPECT_EXIT(touch(), testing::ExitedWithCode(42), "^$");
}

TEST_F(MemoryGuardDeathTest, a_range_that_is_gone_is_guarded_no_more) {
  auto touch = [] {
    struct sigaction action {};
    action.sa_sigaction = [](int, siginfo_t* info, void*) { _exit(info->si_addr ? 43 : 44); };
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    volatile char* range = reserve();
    if (!install_memory_guard().ok() || !guard_range(reinterpret_cast<uintptr_t>(range), kBytes, 3).ok()) _exit(1);
    unguard_range(reinterpret_cast<uintptr_t>(range));
    range[8] = 1;
  };
  EXPECT_EXIT(touch(), testing::ExitedWithCode(43), "^$");
}

TEST_F(MemoryGuardDeathTest, default_action_stays_for_other_faults) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer's handler is in the way";
  auto touch = [](bool raised) {
    if (!install_memory_guard().ok()) _exit(1);
    if (raised) raise(SIGSEGV);
    else *reserve() = 1;
  };
  EXPECT_EXIT(touch(false), testing::KilledBySignal(SIGSEGV), "^$");
  EXPECT_EXIT(touch(true), testing::KilledBySignal(SIGSEGV), "^$");
}

// Written by the capture's own thread, so a lock that the faulting thread holds does not matter.
TEST_F(MemoryGuardDeathTest, capture_is_saved_before_the_end) {
  // The child of a threadsafe death test begins the test anew; the environment is what it inherits.
  if (!std::getenv("LW_TEST_GUARD_FOLDER")) {
    std::string made = (std::filesystem::temp_directory_path() / "lw_guard_XXXXXX").string();
    ASSERT_NE(mkdtemp(made.data()), nullptr);
    setenv("LW_TEST_GUARD_FOLDER", made.c_str(), 1);
  }
  const std::string folder = std::getenv("LW_TEST_GUARD_FOLDER");
  auto touch = [folder] {
    trace::record::CaptureOptions options;
    options.profile_output_dir = folder;
    if (!trace::record::Capture::start(options, {}).ok()) _exit(1);
    trace::record::Event event;
    event.kind = trace::record::EventKind::nrt_load;
    event.name = trace::record::intern("the last thing that happened");
    event.start_ns = trace::record::now_ns();
    event.end_ns = event.start_ns + 1;
    trace::record::emit(event);
    volatile char* range = reserve();
    if (!install_memory_guard().ok() || !guard_range(reinterpret_cast<uintptr_t>(range), kBytes, 0).ok()) _exit(1);
    static std::mutex held;
    std::lock_guard lock(held);
    (void)*range;
  };
  EXPECT_EXIT(touch(), testing::ExitedWithCode(139), "neuron:0");
  bool found = false;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    if (file.path().filename() == "ntrace.pb" && file.file_size() > 100) found = true;
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(found);
}

TEST(MemoryGuard, ranges_are_bounded) {
  std::vector<uintptr_t> taken;
  Status status;
  for (uintptr_t begin = 0x1000; (status = guard_range(begin, 16, 0)).ok(); begin += 0x1000) taken.push_back(begin);
  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(taken.size(), 64u);
  for (uintptr_t begin : taken) unguard_range(begin);
  EXPECT_TRUE(guard_range(0x1000, 16, 0).ok());
  unguard_range(0x1000);
}

}  // namespace
}  // namespace lanewise::runtime

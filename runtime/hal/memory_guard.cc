// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The faulting thread may hold any lock (it may even be inside malloc), so it saves nothing itself: the capture's own
// writer thread does, and the handler waits for it with a time limit. Everything called here is async-signal-safe.
#include "runtime/hal/memory_guard.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

#include "trace/record/capture.h"

namespace lanewise::runtime {
namespace {

constexpr int kMaxRanges = 64;
constexpr int kSaveTimeoutMs = 2000;
constexpr int kExitStatus = 128 + SIGSEGV;   // what a shell reports for this signal

struct Range {
  std::atomic<uintptr_t> begin{0}, end{0};   // end is written first and cleared last; begin 0 = free
  std::atomic<int> device{0};
};
Range g_ranges[kMaxRanges];
std::mutex g_ranges_mutex;

struct sigaction g_previous;
std::atomic_flag g_faulted = ATOMIC_FLAG_INIT;

int device_of(uintptr_t address) {
  for (Range& range : g_ranges) {
    uintptr_t begin = range.begin.load(std::memory_order_acquire);
    if (begin != 0 && address >= begin && address < range.end.load(std::memory_order_acquire))
      return range.device.load(std::memory_order_relaxed);
  }
  return -1;
}

// snprintf is not async-signal-safe.
struct Line {
  char text[192];
  size_t size = 0;
  void add(const char* s) {
    while (*s && size < sizeof text) text[size++] = *s++;
  }
  void add_number(uint64_t value, unsigned base) {
    char digits[24];
    int n = 0;
    do digits[n++] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    while (n > 0 && size < sizeof text) text[size++] = digits[--n];
  }
};

void write_fully(int fd, const char* data, size_t size) {
  while (size > 0) {
    ssize_t n = ::write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    data += n;
    size -= static_cast<size_t>(n);
  }
}

[[noreturn]] void end_process(uintptr_t address, int device) {
  if (g_faulted.test_and_set()) {
    for (;;) pause();   // another thread is already ending the process
  }
  (void)trace::record::emergency_flush(kSaveTimeoutMs);
  Line line;
  line.add("lanewise: host code touched memory of neuron:");
  line.add_number(static_cast<uint64_t>(device), 10);
  line.add(" at 0x");
  line.add_number(address, 16);
  line.add("; copy it to the host first (tensor.cpu())\n");
  write_fully(STDERR_FILENO, line.text, line.size);
  _exit(kExitStatus);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  int saved_errno = errno;
  // si_code > 0 means that the kernel saw a fault; kill() and raise() carry no address.
  if (info->si_code > 0) {
    auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    if (int device = device_of(address); device >= 0) end_process(address, device);
  }
  if (g_previous.sa_flags & SA_SIGINFO) {
    g_previous.sa_sigaction(signal, info, context);
  } else if (g_previous.sa_handler != SIG_DFL && g_previous.sa_handler != SIG_IGN) {
    g_previous.sa_handler(signal);
  } else {
    sigaction(SIGSEGV, &g_previous, nullptr);
    if (info->si_code <= 0) raise(signal);   // a real fault happens again by itself when we return
  }
  errno = saved_errno;
}

Status install() {
  auto failed = [](const char* what) {
    return internal_error(std::string("cannot install the guard of device memory: ") + what + ": " +
                          std::strerror(errno));
  };
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGSEGV, nullptr, &g_previous) != 0) return failed("sigaction");
  if (sigaction(SIGSEGV, &action, nullptr) != 0) return failed("sigaction");
  return ok_status();
}

}  // namespace

Status guard_range(uintptr_t begin, size_t bytes, int device) {
  LW_CHECK(begin != 0 && bytes > 0, "a guarded range is not empty");
  std::lock_guard lock(g_ranges_mutex);
  for (Range& range : g_ranges) {
    if (range.begin.load(std::memory_order_relaxed) != 0) continue;
    range.device.store(device, std::memory_order_relaxed);
    range.end.store(begin + bytes, std::memory_order_release);
    range.begin.store(begin, std::memory_order_release);
    return ok_status();
  }
  return resource_exhausted("more than 64 devices are open in this process");
}

void unguard_range(uintptr_t begin) {
  std::lock_guard lock(g_ranges_mutex);
  for (Range& range : g_ranges)
    if (range.begin.load(std::memory_order_relaxed) == begin) range.begin.store(0, std::memory_order_release);
}

Status install_memory_guard() {
  static std::once_flag once;
  static Status result;
  std::call_once(once, [] { result = install(); });
  return result;
}

}  // namespace lanewise::runtime

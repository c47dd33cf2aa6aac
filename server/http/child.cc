// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace lanewise::server::http {
namespace {

constexpr size_t kMostErrors = 64 << 10;
constexpr int kNotStarted = 127;

struct Pipe {
  int ends[2] = {-1, -1};
  bool open() { return ::pipe2(ends, O_CLOEXEC) == 0; }
  void close(int end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
  ~Pipe() { close(0), close(1); }
};

}  // namespace

Result<ChildResult> run_child(const std::vector<std::string>& arguments, const ChildLimits& limits) {
  Pipe out, err;
  if (!out.open() || !err.open()) return internal_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  std::vector<char*> argv;
  for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    if (nothing >= 0) ::close(nothing);
    return resource_exhausted(std::string("cannot start a process: ") + std::strerror(errno));
  }
  if (child == 0) {
    // Only calls that are safe after a fork of a process with threads.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kNotStarted);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(nothing, 0);
    ::dup2(out.ends[1], 1);
    ::dup2(err.ends[1], 2);
    ::close_range(3, ~0u, 0);  // files that were opened without O_CLOEXEC are none of its business
    ::execvp(argv[0], argv.data());
    ::_exit(kNotStarted);
  }
  if (nothing >= 0) ::close(nothing);
  out.close(1);
  err.close(1);
  Pipe end;  // readable once the child has ended; it may close its outputs before. Without one (an old kernel) waitpid() waits
  end.ends[0] = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));  // glibc 2.36 declares pidfd_open() for C only

  ChildResult result;
  Status failure;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds);
  std::string buffer(64 << 10, '\0');
  const auto drain = [&](Pipe* pipe, std::string* to, size_t most) {
    const ssize_t got = ::read(pipe->ends[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) {
      pipe->close(0);
      return true;
    }
    const bool fits = to->size() + static_cast<size_t>(got) <= most;
    to->append(buffer, 0, std::min(static_cast<size_t>(got), most - std::min(most, to->size())));
    return fits;
  };
  while (out.ends[0] >= 0 || err.ends[0] >= 0 || end.ends[0] >= 0) {
    if (limits.wanted && !limits.wanted()) failure = Status(StatusCode::cancelled, "nobody waits for the answer any more");
    else if (std::chrono::steady_clock::now() > until) failure = Status(StatusCode::deadline_exceeded, "it took longer than " + std::to_string(limits.seconds) + " s");
    if (!failure.ok()) break;
    pollfd waits[] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}, {end.ends[0], POLLIN, 0}};
    if (::poll(waits, 3, 200) <= 0) continue;
    if (waits[0].revents != 0 && !drain(&out, &result.output, limits.most_output)) {
      failure = resource_exhausted("the answer is larger than " + std::to_string(limits.most_output >> 20) + " MiB");
    }
    if (waits[1].revents != 0) (void)drain(&err, &result.errors, kMostErrors);
    if (waits[2].revents != 0) end.close(0);
  }
  if (!failure.ok()) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!failure.ok()) return failure;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (result.exit_code == kNotStarted && result.output.empty() && result.errors.empty()) return not_found("cannot start " + arguments[0]);
  return result;
}

}  // namespace lanewise::server::http

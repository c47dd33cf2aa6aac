// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/session_writer.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace lanewise::trace::record {
namespace {

constexpr int kTickMs = 100;
constexpr int64_t kSampleNs = 1'000'000'000;

}  // namespace

Result<std::unique_ptr<SessionWriter>> SessionWriter::start(const SessionSetup& setup) {
  std::unique_ptr<SessionWriter> writer(new SessionWriter(setup));
  writer->wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (writer->wake_fd_ < 0) return resource_exhausted(std::string("no eventfd for a capture: ") + std::strerror(errno));
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&writer->thread_, nullptr, thread_main, writer.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return resource_exhausted(std::string("no thread for a capture: ") + std::strerror(error));
  writer->running_ = true;

  std::unique_lock lock(writer->mutex_);
  writer->opened_.wait(lock, [&] { return writer->is_open_; });
  const Status opened = writer->open_status_;
  lock.unlock();
  if (opened.ok()) return writer;
  pthread_join(writer->thread_, nullptr);
  writer->running_ = false;
  return opened;
}

SessionWriter::~SessionWriter() {
  LW_CHECK(!running_, "a session writer is destroyed while its thread runs");
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

void SessionWriter::wake() noexcept {
  const uint64_t one = 1;
  // Fails only when the counter is full, and then the thread is awake already.
  [[maybe_unused]] const ssize_t n = ::write(wake_fd_, &one, sizeof one);
}

void SessionWriter::add(ProgramJob job) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wake();
}

bool SessionWriter::flush(int timeout_ms) noexcept {
  if (thread_id_.load() == gettid()) return false;
  const uint64_t mine = flush_requested_.fetch_add(1) + 1;
  wake();
  const int64_t deadline = steady_ns() + timeout_ms * int64_t{1'000'000};
  while (flush_done_.load() < mine) {
    if (steady_ns() >= deadline) return false;
    const timespec pause{0, 500'000};
    nanosleep(&pause, nullptr);
  }
  return true;
}

Status SessionWriter::finish(int64_t stop_ns) {
  LW_CHECK(running_, "a session is finished once");
  {
    std::lock_guard lock(mutex_);
    stop_ns_ = stop_ns;
  }
  stopping_ = true;
  wake();
  pthread_join(thread_, nullptr);
  running_ = false;
  return finish_status_;
}

void* SessionWriter::thread_main(void* self) {
  static_cast<SessionWriter*>(self)->run();
  return nullptr;
}

void SessionWriter::run() {
  pthread_setname_np(pthread_self(), "lw-capture");
  thread_id_ = gettid();
  const Status opened = files_.open();
  {
    std::lock_guard lock(mutex_);
    open_status_ = opened;
    is_open_ = true;
  }
  opened_.notify_one();
  if (!opened.ok()) return;

  int64_t next_sample = steady_ns() + kSampleNs;
  while (true) {
    pollfd wait{wake_fd_, POLLIN, 0};
    ::poll(&wait, 1, kTickMs);
    uint64_t count = 0;
    while (::read(wake_fd_, &count, sizeof count) > 0) {}
    // Read before the work: what is asked for meanwhile is for the next round.
    const bool stopping = stopping_.load();
    const uint64_t requested = flush_requested_.load();
    std::vector<ProgramJob> jobs;
    {
      std::lock_guard lock(mutex_);
      jobs.swap(jobs_);
    }
    files_.append_events();
    const bool has_jobs = !jobs.empty();
    for (ProgramJob& job : jobs) files_.write_program(std::move(job));
    if (steady_ns() >= next_sample) {
      files_.sample(now_ns());
      next_sample += kSampleNs;
    }
    if (has_jobs || requested != flush_done_.load()) files_.write_info();
    flush_done_ = requested;
    if (!stopping) continue;
    int64_t stop_ns = 0;
    {
      std::lock_guard lock(mutex_);
      stop_ns = stop_ns_;
    }
    const Status finished = files_.finish(stop_ns);
    std::lock_guard lock(mutex_);
    finish_status_ = finished;
    return;
  }
}

}  // namespace lanewise::trace::record

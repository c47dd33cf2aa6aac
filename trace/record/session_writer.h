// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The thread that writes the files of one capture: every 100 ms it appends what the rings got, so that a kill -9 costs
// at most that much. It blocks all signals: a size limit is an error code for it, and handlers run elsewhere.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include <pthread.h>

#include "base/status.h"
#include "trace/record/session_files.h"

namespace lanewise::trace::record {

class SessionWriter {
 public:
  // Errors: those of the first writes into the folder; resource_exhausted when there can be no thread.
  static Result<std::unique_ptr<SessionWriter>> start(const SessionSetup& setup);

  // Any thread.
  void add(ProgramJob job);

  // Async-signal-safe. True when everything that was emitted before the call is written; false after `timeout_ms`, or
  // on the writer's own thread.
  bool flush(int timeout_ms) noexcept;

  // Writes what is left and ends the thread. Once.
  Status finish(int64_t stop_ns);

  // `finish` must have been called; a forked child, which has no thread, must leak the object instead.
  ~SessionWriter();

 private:
  explicit SessionWriter(const SessionSetup& setup) : files_(setup) {}
  static void* thread_main(void* self);
  void run();
  void wake() noexcept;

  SessionFiles files_;
  pthread_t thread_{};
  bool running_ = false;                    // the thread exists and is not joined
  int wake_fd_ = -1;
  std::atomic<int> thread_id_{0};
  std::atomic<uint64_t> flush_requested_{0}, flush_done_{0};
  std::atomic<bool> stopping_{false};

  std::mutex mutex_;                        // of what follows
  std::condition_variable opened_;
  bool is_open_ = false;
  Status open_status_;
  std::vector<ProgramJob> jobs_;
  int64_t stop_ns_ = 0;
  Status finish_status_;
};

}  // namespace lanewise::trace::record

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Handoff: bytes from one thread to another. Holds about kMost of them; then the side that puts waits for the side that takes.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

namespace lanewise::server::http {

class Handoff {
 public:
  static constexpr size_t kMost = 1 << 20;

  // False: nobody takes any more.
  bool put(std::string_view bytes);
  // No more comes. complete: that was all. The first call counts.
  void finish(bool complete);

  // Some of the bytes; waits for the first. 0: no more comes.
  size_t take(char* to, size_t most);
  // finish(true) was called.
  bool complete() const;
  // Nobody takes any more.
  void close();

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string in_;                // grows under the lock
  bool finished_ = false, complete_ = false, closed_ = false;
  std::string out_;               // of the taker alone: an earlier in_
  size_t taken_ = 0;              // of out_
};

}  // namespace lanewise::server::http

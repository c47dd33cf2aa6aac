// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/handoff.h"

#include <algorithm>

namespace lanewise::server::http {

bool Handoff::put(std::string_view bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || in_.size() < kMost; });
  if (closed_) return false;
  in_ += bytes;
  changed_.notify_all();
  return true;
}

void Handoff::finish(bool complete) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  complete_ = complete;
  changed_.notify_all();
}

size_t Handoff::take(char* to, size_t most) {
  if (taken_ == out_.size()) {
    out_.clear();
    taken_ = 0;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !in_.empty() || finished_; });
    out_.swap(in_);
    changed_.notify_all();
  }
  const size_t n = std::min(most, out_.size() - taken_);
  std::copy_n(out_.data() + taken_, n, to);
  taken_ += n;
  return n;
}

bool Handoff::complete() const {
  const std::lock_guard lock(mutex_);
  return complete_;
}

void Handoff::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace lanewise::server::http

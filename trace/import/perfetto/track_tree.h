// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tracks by uuid, and what they are in our tables: a (pid, tid). A thread has its numbers; any other track has the pid of the
// process above it (or the name of the topmost track) and its own name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace lanewise::trace::perfetto {

class TrackTree {
 public:
  struct Names {
    std::string pid, tid;
    bool has_pid = false, has_tid = false;
  };

  // A TrackDescriptor message. False: damaged.
  bool add(std::string_view message);
  Names names(uint64_t uuid) const;

  struct Entry {
    uint64_t parent = 0;
    std::string name;
    bool is_thread = false, is_process = false;
    int64_t pid = 0, tid = 0;
    std::string process_name, thread_name;
  };
  const std::map<uint64_t, Entry>& entries() const { return entries_; }

 private:
  std::map<uint64_t, Entry> entries_;
};

}  // namespace lanewise::trace::perfetto

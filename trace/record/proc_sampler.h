// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Load and memory of the host, read from /proc and written as fields of cpu_util.pb and host_mem.pb
// (docs/formats/trace_info.md). A value that /proc does not give is left out of the sample.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::trace::record {

// The difference of two readings of /proc/stat and /proc/self/stat.
class CpuSampler {
 public:
  CpuSampler() { (void)read(); }
  // One sample since the last call (or the construction), as a field of the file's message; empty when no clock tick
  // has passed.
  std::string sample(int64_t now_ns);

 private:
  struct Ticks { uint64_t busy = 0, total = 0; };
  // Fills current_ and process_; false when /proc/stat cannot be read.
  bool read();

  std::vector<Ticks> current_;    // by CPU number
  uint64_t process_ = 0;
};

std::string host_memory_sample(int64_t now_ns);

}  // namespace lanewise::trace::record

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// ByteSource: the uncompressed bytes of a file, in order. Plain, gzip (any number of members) and zstd (any number of
// frames) are told apart by their first bytes, never by the name.
//
// Damage in a compressed stream is no failure: what comes before it is delivered, then the source ends and end() says why.
// A Status is for the file itself: it cannot be opened or read, or it became shorter while it was read.
// One thread at a time; stored_bytes_done() may be called from any.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lanewise::trace::input {

// How a compressed stream ended; empty reason = as it should.
struct SourceEnd {
  std::string_view reason;     // "truncated_compression", "damaged_compression" or "trailing_bytes"
  uint64_t stored_offset = 0;  // in the file as stored
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Writes at most `n` bytes and says how many; 0 = the end.
  virtual Result<size_t> read(char* to, size_t n) = 0;
  // After the end.
  virtual SourceEnd end() const { return {}; }
  // "", "gzip" or "zstd".
  virtual std::string_view compression() const { return {}; }

  uint64_t stored_bytes_done() const { return done_.load(std::memory_order_relaxed); }
  uint64_t stored_bytes_total() const { return total_; }
  int64_t mtime_ns() const { return mtime_ns_; }

 protected:
  std::atomic<uint64_t> done_{0};
  uint64_t total_ = 0;
  int64_t mtime_ns_ = 0;
};

// not_found, invalid_argument (a folder), internal (cannot be read; the message holds the reason of the system).
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);
// The same over bytes in memory, which must live as long.
std::unique_ptr<ByteSource> memory_source(std::string_view bytes);

}  // namespace lanewise::trace::input

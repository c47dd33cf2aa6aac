// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file as stored: read by offset, never mapped (a mapping faults when the file is cut).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lanewise::trace::input {

class StoredFile {
 public:
  static Result<std::shared_ptr<StoredFile>> open(const std::string& path);
  static std::shared_ptr<StoredFile> of_memory(std::string_view bytes);
  ~StoredFile();
  StoredFile(const StoredFile&) = delete;
  StoredFile& operator=(const StoredFile&) = delete;

  uint64_t size() const { return size_; }
  int64_t mtime_ns() const { return mtime_ns_; }
  const std::string& path() const { return path_; }
  // Bytes read: `n`, or fewer at the end that the file had when it was opened. Fewer than that is a failed_precondition.
  Result<size_t> read_at(uint64_t offset, char* to, size_t n) const;
  // ok while the path still names a file of this size and time.
  Status unchanged() const;

 private:
  StoredFile() = default;
  std::string path_;
  std::string_view memory_;
  int fd_ = -1;
  uint64_t size_ = 0;
  int64_t mtime_ns_ = 0;
};

}  // namespace lanewise::trace::input

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of a capture: written whole, or appended to while it runs. Errors name path and reason: resource_exhausted for
// a full disk, a quota or a size limit, else failed_precondition. The calling thread must not die of SIGXFSZ (block it).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lanewise::trace::record {

// Under another name first, then renamed: a reader never sees half of it, and an old file survives a failure.
Status write_whole_file(const std::string& path, std::string_view bytes);

// The whole content. Errors: not_found, failed_precondition.
Result<std::string> read_whole_file(const std::string& path);

// A stream of protobuf fields of one message. After a failed write the file ends with a whole field again, and `append`
// may be called later with what is left.
class AppendFile {
 public:
  AppendFile() = default;
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // Creates the file, or replaces it.
  Status open(const std::string& path);
  // Takes away from the front of `pending` what is in the file now; all of it on success.
  Status append(std::string* pending);
  // Puts what is at `path` now (after a rename) under this object.
  Status reopen(const std::string& path);
  Status close();
  bool is_open() const { return fd_ >= 0; }

 private:
  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;   // of whole fields
};

}  // namespace lanewise::trace::record

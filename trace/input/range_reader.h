// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeReader: ranges of the uncompressed text of a file, again and in any order.
//
// Plain files are read at the range. A gzip file keeps a restart point (the last 32 KiB of text) every kPointBytes of text,
// made while it inflates for the first time; zstd starts from the beginning when asked to go back. Ranges in ascending order
// never inflate a byte twice. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "trace/input/stored_file.h"

namespace lanewise::trace::input {

class RangeReader {
 public:
  static constexpr uint64_t kPointBytes = uint64_t{4} << 20;

  virtual ~RangeReader() = default;
  // out_of_range when the text is shorter; data_loss when the stream is damaged before the end of the range;
  // failed_precondition when the file changed.
  virtual Result<std::string> read(uint64_t offset, size_t length) = 0;
};

Result<std::unique_ptr<RangeReader>> range_reader(std::shared_ptr<StoredFile> file);

}  // namespace lanewise::trace::input

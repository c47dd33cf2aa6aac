// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/input/range_reader.h"

#include <algorithm>

#include "trace/input/gzip_ranges.h"
#include "trace/input/zstd_source.h"

namespace lanewise::trace::input {
namespace {

Status too_short(const StoredFile& file) {
  return out_of_range("the text of " + file.path() + " ends before the range");
}

class PlainRanges : public RangeReader {
 public:
  explicit PlainRanges(std::shared_ptr<StoredFile> file) : file_(std::move(file)) {}
  Result<std::string> read(uint64_t offset, size_t length) override {
    LW_RETURN_IF_ERROR(file_->unchanged());
    if (offset > file_->size() || length > file_->size() - offset) return too_short(*file_);
    std::string text(length, '\0');
    LW_ASSIGN_OR_RETURN(const size_t got, file_->read_at(offset, text.data(), length));
    if (got < length) return too_short(*file_);
    return text;
  }

 private:
  const std::shared_ptr<StoredFile> file_;
};

class ZstdRanges : public RangeReader {
 public:
  explicit ZstdRanges(std::shared_ptr<StoredFile> file) : file_(std::move(file)) {}
  Result<std::string> read(uint64_t offset, size_t length) override {
    LW_RETURN_IF_ERROR(file_->unchanged());
    if (source_ == nullptr || offset < at_) {
      source_ = zstd_source(file_);
      at_ = 0;
    }
    std::string text(length, '\0');
    std::string skipped(std::min<uint64_t>(offset - at_, size_t{1} << 20), '\0');
    while (at_ < offset) {
      LW_ASSIGN_OR_RETURN(const size_t got, source_->read(skipped.data(), std::min<uint64_t>(skipped.size(), offset - at_)));
      if (got == 0) return too_short(*file_);
      at_ += got;
    }
    for (size_t done = 0; done < length;) {
      LW_ASSIGN_OR_RETURN(const size_t got, source_->read(text.data() + done, length - done));
      if (got == 0) return too_short(*file_);
      at_ += got, done += got;
    }
    return text;
  }

 private:
  const std::shared_ptr<StoredFile> file_;
  std::unique_ptr<ByteSource> source_;
  uint64_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<RangeReader>> range_reader(std::shared_ptr<StoredFile> file) {
  LW_ASSIGN_OR_RETURN(auto source, open_source(file->path()));
  const std::string_view compression = source->compression();
  if (compression == "gzip") return gzip_ranges(std::move(file));
  if (compression == "zstd") return std::unique_ptr<RangeReader>(new ZstdRanges(std::move(file)));
  return std::unique_ptr<RangeReader>(new PlainRanges(std::move(file)));
}

}  // namespace lanewise::trace::input

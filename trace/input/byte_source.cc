// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/input/byte_source.h"

#include "trace/input/gzip_source.h"
#include "trace/input/stored_file.h"
#include "trace/input/zstd_source.h"

namespace lanewise::trace::input {
namespace {

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(std::shared_ptr<StoredFile> file) : file_(std::move(file)) {
    total_ = file_->size();
    mtime_ns_ = file_->mtime_ns();
  }
  Result<size_t> read(char* to, size_t n) override {
    auto got = file_->read_at(at_, to, n);
    if (got.ok()) done_.store(at_ += *got, std::memory_order_relaxed);
    return got;
  }

 private:
  const std::shared_ptr<StoredFile> file_;
  uint64_t at_ = 0;
};

Result<std::unique_ptr<ByteSource>> source_of(std::shared_ptr<StoredFile> file) {
  char magic[4] = {};
  LW_ASSIGN_OR_RETURN(const size_t got, file->read_at(0, magic, sizeof(magic)));
  const std::string_view start(magic, got);
  if (start.starts_with("\x1f\x8b")) return gzip_source(std::move(file));
  // A frame, or one of the sixteen kinds of frames to skip.
  if (start == "\x28\xb5\x2f\xfd" || (got == 4 && (magic[0] & 0xf0) == 0x50 && start.substr(1) == "\x2a\x4d\x18")) {
    return zstd_source(std::move(file));
  }
  return std::unique_ptr<ByteSource>(new PlainSource(std::move(file)));
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  LW_ASSIGN_OR_RETURN(std::shared_ptr<StoredFile> file, StoredFile::open(path));
  return source_of(std::move(file));
}

std::unique_ptr<ByteSource> memory_source(std::string_view bytes) {
  auto source = source_of(StoredFile::of_memory(bytes));
  return std::move(source).value();
}

}  // namespace lanewise::trace::input

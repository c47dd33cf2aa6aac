// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/input/stored_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lanewise::trace::input {
namespace {

int64_t mtime_of(const struct stat& info) {
  return int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

}  // namespace

Result<std::shared_ptr<StoredFile>> StoredFile::open(const std::string& path) {
  // A named pipe without a writer would block here; for a regular file the flag means nothing.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) return not_found("no such file: " + path);
    return internal_error("cannot open " + path + ": " + std::strerror(error));
  }
  std::shared_ptr<StoredFile> file(new StoredFile());
  file->fd_ = fd;
  file->path_ = path;
  struct stat info;
  if (fstat(fd, &info) != 0) return internal_error("cannot read " + path + ": " + std::strerror(errno));
  if (S_ISDIR(info.st_mode)) return invalid_argument(path + " is a folder");
  if (!S_ISREG(info.st_mode)) return invalid_argument(path + " is no regular file; write it to a file first");
  file->size_ = static_cast<uint64_t>(info.st_size);
  file->mtime_ns_ = mtime_of(info);
  return file;
}

std::shared_ptr<StoredFile> StoredFile::of_memory(std::string_view bytes) {
  std::shared_ptr<StoredFile> file(new StoredFile());
  file->memory_ = bytes;
  file->size_ = bytes.size();
  return file;
}

StoredFile::~StoredFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<size_t> StoredFile::read_at(uint64_t offset, char* to, size_t n) const {
  if (offset >= size_) return size_t{0};
  n = static_cast<size_t>(std::min<uint64_t>(n, size_ - offset));
  if (fd_ < 0) {
    std::memcpy(to, memory_.data() + offset, n);
    return n;
  }
  size_t done = 0;
  while (done < n) {
    const ssize_t got = ::pread(fd_, to + done, n - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return internal_error("cannot read " + path_ + ": " + std::strerror(errno));
    if (got == 0) return failed_precondition(path_ + " became shorter while it was read");
    done += static_cast<size_t>(got);
  }
  return n;
}

Status StoredFile::unchanged() const {
  if (fd_ < 0) return ok_status();
  struct stat info;
  if (stat(path_.c_str(), &info) != 0) {
    return failed_precondition(path_ + " is gone (" + std::strerror(errno) + "); open the trace again");
  }
  if (static_cast<uint64_t>(info.st_size) != size_ || mtime_of(info) != mtime_ns_) {
    return failed_precondition(path_ + " changed after it was opened; open the trace again");
  }
  return ok_status();
}

}  // namespace lanewise::trace::input

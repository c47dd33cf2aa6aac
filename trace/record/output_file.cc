// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanewise::trace::record {
namespace {

Status file_error(const char* what, const std::string& path, int error) {
  std::string text = std::string("cannot ") + what + " " + path + ": " + std::strerror(error);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) return resource_exhausted(std::move(text));
  if (error == ENOENT && std::strcmp(what, "read") == 0) return not_found(std::move(text));
  return failed_precondition(std::move(text));
}

// Bytes written; less than all of them means errno says why.
size_t write_all(int fd, std::string_view bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

// Length of the whole fields (length-delimited, one-byte tags) within the first `limit` bytes.
size_t whole_fields(std::string_view bytes, size_t limit) {
  size_t whole = 0;
  while (true) {
    size_t at = whole + 1;   // after the tag
    uint64_t length = 0;
    bool complete = false;
    for (int shift = 0; at < limit && !complete && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      length |= static_cast<uint64_t>(byte & 0x7f) << shift;
      complete = byte < 0x80;
    }
    if (!complete || length > limit - at) return whole;
    whole = at + length;
  }
}

}  // namespace

Status write_whole_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".part";
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return file_error("write", path, errno);
  int error = write_all(fd, bytes) == bytes.size() ? 0 : errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return ok_status();
  ::unlink(temporary.c_str());
  return file_error("write", path, error);
}

Result<std::string> read_whole_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return file_error("read", path, errno);
  std::string bytes;
  struct stat status;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) bytes.reserve(static_cast<size_t>(status.st_size));
  char block[65536];
  while (true) {
    const ssize_t n = ::read(fd, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      ::close(fd);
      return file_error("read", path, error);
    }
    if (n == 0) break;
    bytes.append(block, static_cast<size_t>(n));
  }
  ::close(fd);
  return bytes;
}

AppendFile::~AppendFile() { (void)close(); }

Status AppendFile::open(const std::string& path) {
  path_ = path;
  size_ = 0;
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return fd_ < 0 ? file_error("write", path, errno) : ok_status();
}

Status AppendFile::append(std::string* pending) {
  if (pending->empty()) return ok_status();
  const size_t written = write_all(fd_, *pending);
  if (written == pending->size()) {
    size_ += written;
    pending->clear();
    return ok_status();
  }
  const int error = errno;
  const size_t kept = whole_fields(*pending, written);
  size_ += kept;
  pending->erase(0, kept);
  // Cannot fail for lack of room: it only gives some back.
  if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0) return file_error("shorten", path_, errno);
  ::lseek(fd_, static_cast<off_t>(size_), SEEK_SET);
  return file_error("write", path_, error);
}

Status AppendFile::reopen(const std::string& path) {
  LW_RETURN_IF_ERROR(close());
  path_ = path;
  fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd_ < 0) return file_error("write", path, errno);
  size_ = static_cast<uint64_t>(::lseek(fd_, 0, SEEK_END));
  return ok_status();
}

Status AppendFile::close() {
  if (fd_ < 0) return ok_status();
  const int result = ::close(fd_);
  fd_ = -1;
  return result == 0 ? ok_status() : file_error("write", path_, errno);
}

}  // namespace lanewise::trace::record

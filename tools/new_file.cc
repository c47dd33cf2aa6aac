// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/new_file.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "tools/trace_input.h"

namespace lanewise::tools {
namespace {

namespace fs = std::filesystem;

// The file that Ctrl-C removes; a handler may touch nothing that allocates. One is written at a time.
std::array<char, 4096> partial_on_interrupt;

void on_interrupt(int) {
  unlink(partial_on_interrupt.data());
  constexpr std::string_view kText = "lanewise: interrupted\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  _exit(kExitInterrupted);
}

void remove_on_interrupt(const std::string& partial) {
  if (partial.size() + 1 > partial_on_interrupt.size()) return;
  std::memcpy(partial_on_interrupt.data(), partial.c_str(), partial.size() + 1);
  std::signal(SIGINT, on_interrupt);
}

}  // namespace

NewFile::NewFile(fs::path path) : path_(std::move(path)), partial_(path_.string() + ".part") {}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)), partial_(std::move(other.partial_)), file_(std::exchange(other.file_, nullptr)) {}

NewFile::~NewFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(partial_.c_str());
  std::signal(SIGINT, SIG_DFL);
}

Result<NewFile> NewFile::create(const fs::path& path, const trace::session::Session& inputs) {
  std::vector<std::string> paths;
  for (const auto& entry : inputs.files()) paths.push_back(entry.file.path);
  return create(path, paths);
}

Result<NewFile> NewFile::create(const fs::path& path, const std::vector<std::string>& inputs) {
  std::error_code error;
  for (const std::string& input : inputs) {
    if (fs::equivalent(path, input, error)) return invalid_argument(path.string() + " is the trace itself; write to another file");
  }
  if (const auto status = fs::status(path, error); fs::exists(status) && !fs::is_regular_file(status)) {
    return invalid_argument("cannot write " + path.string() + ": it is no regular file");
  }
  NewFile file(path);
  remove_on_interrupt(file.partial_.string());  // first: there is no moment in which the file would stay
  file.file_ = std::fopen(file.partial_.c_str(), "wb");
  if (file.file_ != nullptr) return file;
  const std::string reason = std::strerror(errno);
  std::signal(SIGINT, SIG_DFL);
  return invalid_argument("cannot write " + path.string() + ": " + reason);
}

Status NewFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return ok_status();
  return resource_exhausted("cannot write " + path_.string() + ": " + std::strerror(errno));
}

int NewFile::descriptor() const { return fileno(file_); }

Status NewFile::close() {
  const bool flushed = std::fclose(std::exchange(file_, nullptr)) == 0;
  const bool done = flushed && std::rename(partial_.c_str(), path_.c_str()) == 0;
  const std::string reason = std::strerror(errno);
  if (!done) std::remove(partial_.c_str());
  std::signal(SIGINT, SIG_DFL);
  if (done) return ok_status();
  return resource_exhausted("cannot write " + path_.string() + ": " + reason);
}

}  // namespace lanewise::tools

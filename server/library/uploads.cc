// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/library/uploads.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace lanewise::server::library {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMostName = 1000, kMostPieces = 20;

// "a.json", or below a folder "sub/a.json": pieces that are names, nothing else.
bool is_plain(const std::string& name, bool may_have_folders) {
  if (name.empty() || name.size() > kMostName) return false;
  size_t pieces = 0;
  for (const fs::path& piece : fs::path(name)) {
    const std::string text = piece.string();
    if (text.empty() || text == "." || text == ".." || text.find('/') != text.npos || text.find('\\') != text.npos || text.size() > 255) return false;
    if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20; })) return false;
    ++pieces;
  }
  return pieces >= 1 && pieces <= (may_have_folders ? kMostPieces : 1);
}

}  // namespace

Uploads::~Uploads() {
  std::error_code ignored;
  for (const std::string& path : made_) fs::remove_all(path, ignored);
}

Result<Uploads::Sink> Uploads::begin(const std::string& name, const std::string& folder, uint64_t limit) {
  if (!is_plain(name, !folder.empty())) return invalid_argument("a file cannot be called '" + name + "'");
  if (folder.size() > kMostName) return invalid_argument("the name of the folder is too long");
  const std::lock_guard lock(mutex_);
  std::string base;
  uint64_t used = 0;
  if (const auto known = folders_.find(folder); !folder.empty() && known != folders_.end()) {
    base = known->second.path;
    used = known->second.bytes;
  } else {
    LW_ASSIGN_OR_RETURN(base, state_->make_upload_folder());
    made_.push_back(base);
    if (!folder.empty()) folders_[folder] = {base, 0};
  }
  const fs::path path = fs::path(base) / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::FILE* file = error ? nullptr : std::fopen(path.c_str(), "wbx");
  if (file == nullptr) return invalid_argument("cannot write '" + name + "': " + (error ? error.message() : std::strerror(errno)));
  return Sink(this, folder, path.string(), file, limit - std::min(limit, used));
}

Result<Uploads::Kept> Uploads::folder_of(const std::string& folder) const {
  const std::lock_guard lock(mutex_);
  const auto known = folders_.find(folder);
  if (known == folders_.end()) return not_found("nothing was uploaded for the folder '" + folder + "'");
  // A browser names the pieces of a folder "ranks/rank0.json": what the reader calls the trace is inside ours.
  std::error_code error;
  fs::directory_iterator at(known->second.path, error);
  const Kept all{known->second.path, folder};
  if (error || at == fs::directory_iterator()) return all;
  const fs::directory_entry only = *at;
  if (++at != fs::directory_iterator() || !only.is_directory(error)) return all;
  return Kept{only.path().string(), only.path().filename().string()};
}

Uploads::Sink::Sink(Sink&& other) noexcept
    : owner_(other.owner_), key_(std::move(other.key_)), path_(std::move(other.path_)), file_(std::exchange(other.file_, nullptr)), left_(other.left_), written_(other.written_) {}

Uploads::Sink::~Sink() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(path_.c_str());
}

Status Uploads::Sink::write(std::string_view bytes) {
  if (bytes.size() > left_) return out_of_range("the upload is larger than the limit (--upload-limit)");
  left_ -= bytes.size();
  written_ += bytes.size();
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return ok_status();
  return resource_exhausted(std::string("cannot keep the upload: ") + std::strerror(errno));
}

Result<std::string> Uploads::Sink::finish() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) {
    const std::string reason = std::strerror(errno);
    std::remove(path_.c_str());
    return resource_exhausted("cannot keep the upload: " + reason);
  }
  if (!key_.empty()) {
    const std::lock_guard lock(owner_->mutex_);
    owner_->folders_[key_].bytes += written_;
  }
  return path_;
}

}  // namespace lanewise::server::library

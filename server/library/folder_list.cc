// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/library/folder_list.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <tuple>

namespace lanewise::server::library {
namespace {

namespace fs = std::filesystem;

constexpr auto kEndings = std::to_array<std::string_view>({".json", ".json.gz", ".json.zst", ".pb", ".pftrace", ".pftrace.gz", ".perfetto-trace", ".ntff"});

bool is_called_like_a_trace(std::string_view name) {
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

std::string utc_text(int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm utc = {};
  gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

bool is_capture_folder(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::path(path) / "ntrace.pb", ignored) || fs::exists(fs::path(path) / "trace_info.pb", ignored);
}

Result<std::vector<FolderEntry>> list_folder(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return invalid_argument(path + " is no folder");
  std::vector<FolderEntry> entries;
  auto at = fs::directory_iterator(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::directory_iterator() && entries.size() < kMostEntries; at.increment(error)) {
    FolderEntry entry;
    entry.name = at->path().filename().string();
    entry.path = at->path().string();
    struct stat status = {};
    if (entry.name.starts_with('.') || ::lstat(entry.path.c_str(), &status) != 0) continue;
    if (S_ISDIR(status.st_mode)) entry.kind = is_capture_folder(entry.path) ? "capture" : "folder";
    else if (S_ISREG(status.st_mode) && is_called_like_a_trace(entry.name)) entry.kind = "trace";
    else continue;
    entry.bytes = S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0;
    entry.when = utc_text(status.st_mtime);
    entries.push_back(std::move(entry));
  }
  if (error) return internal_error("cannot read " + path + ": " + error.message());
  std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    return std::tuple(a.kind == "trace", a.name) < std::tuple(b.kind == "trace", b.name);
  });
  return entries;
}

}  // namespace lanewise::server::library

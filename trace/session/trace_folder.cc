// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/trace_folder.h"

#include <algorithm>
#include <filesystem>

#include "trace/import/kineto_json/import.h"
#include "trace/import/perfetto/import.h"
#include "trace/input/byte_source.h"

namespace lanewise::trace::session {
namespace {

namespace fs = std::filesystem;
constexpr int kMaxDepth = 4;
constexpr size_t kSniffBytes = 16 << 10;

// Events in the first bytes: other JSON files of a folder (settings, tables) have none.
bool is_trace(const std::string& path) {
  auto source = input::open_source(path);
  if (!source.ok()) return false;
  std::string first(kSniffBytes, '\0');
  size_t done = 0;
  while (done < first.size()) {
    const auto got = (*source)->read(first.data() + done, first.size() - done);
    if (!got.ok() || *got == 0) break;
    done += *got;
  }
  first.resize(done);
  if (perfetto::looks_like_perfetto(first)) return true;
  return kineto_json::looks_like_json(first) &&
         (first.find("\"traceEvents\"") != first.npos || first.find("\"ph\"") != first.npos ||
          first.find("\"schemaVersion\"") != first.npos || first.find("\"deviceProperties\"") != first.npos);
}

}  // namespace

Result<std::vector<std::string>> trace_files(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return not_found("no such file: " + path);
  if (error) return internal_error("cannot read " + path + ": " + error.message());
  if (status.type() != fs::file_type::directory) return std::vector<std::string>{path};

  std::vector<std::string> files;
  auto at = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() >= kMaxDepth) at.disable_recursion_pending();
    std::error_code ignored;
    if (at->is_regular_file(ignored) && is_trace(at->path().string())) files.push_back(at->path().string());
  }
  if (error) return internal_error("cannot read " + path + ": " + error.message());
  if (files.empty()) return not_found("no trace file in the folder " + path);
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace lanewise::trace::session

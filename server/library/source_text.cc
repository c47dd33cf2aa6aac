// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/library/source_text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace lanewise::server::library {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kLinesAround = 30;
constexpr int64_t kMostBytes = 8 << 20;
constexpr size_t kMostLine = 2000;

bool inside(const std::string& path, const std::string& root) {
  return path.size() > root.size() && path.starts_with(root) && (root.ends_with('/') || path[root.size()] == '/');
}

}  // namespace

Result<SourceText> read_source(const std::vector<std::string>& roots, const std::string& file, int64_t line) {
  if (file.empty()) return invalid_argument("the file is missing");
  const fs::path asked = file;
  bool outside = false;
  std::string found;
  for (const std::string& root : roots) {
    std::error_code error;
    const fs::path real = fs::canonical(asked.is_absolute() ? asked : fs::path(root) / asked, error);
    if (error) continue;
    if (!inside(real.string(), root)) {
      outside = true;
      continue;
    }
    if (!fs::is_regular_file(real, error)) continue;
    found = real.string();
    break;
  }
  if (found.empty()) {
    // An absolute path is answered alike whether it is there or not: that is nobody's business.
    if (outside || asked.is_absolute()) return failed_precondition(file + " lies outside of the folders whose source may be shown (--source-root DIR)");
    return not_found("no source root holds " + file + " (--source-root DIR)");
  }
  std::error_code error;
  if (fs::file_size(found, error) > static_cast<uint64_t>(kMostBytes) || error) return invalid_argument(file + " is too large to be shown");
  std::ifstream stream(found);
  if (!stream) return not_found("cannot read " + file);
  SourceText text;
  text.file = found;
  // No file of that size has more lines; beyond it the sum below would overflow.
  text.line = std::clamp<int64_t>(line, 1, kMostBytes);
  text.first_line = std::max<int64_t>(1, text.line - kLinesAround);
  std::string each;
  for (int64_t number = 1; number <= text.line + kLinesAround && std::getline(stream, each); ++number) {
    if (each.find('\0') != each.npos) return invalid_argument(file + " is no text");
    if (number >= text.first_line) text.lines.push_back(each.substr(0, kMostLine));
  }
  return text;
}

}  // namespace lanewise::server::library

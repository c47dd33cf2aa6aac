// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/producers_file.h"

#include <filesystem>
#include <fstream>

namespace lanewise::trace::session {
namespace {

// A few lines for each accelerator: what is larger is another file, or one without an end.
constexpr size_t kMaxBytes = size_t{1} << 20;

}  // namespace

Result<std::unique_ptr<schema::Producers>> read_producers(const std::string& path) {
  if (path.empty()) return std::unique_ptr<schema::Producers>();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return invalid_argument(path + " is a folder; name the text file of the producers");
  std::ifstream file(path);
  if (!file) return not_found("cannot read " + path);
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return not_found("cannot read " + path);
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kMaxBytes) return invalid_argument(path + " is larger than 1 MiB; name the text file of the producers");
  if (text.find_first_not_of(" \t\r\n") == text.npos) return invalid_argument(path + " is empty; its first line must be: producer NAME");
  LW_ASSIGN_OR_RETURN(auto producers, schema::Producers::with(text, path));
  return std::make_unique<schema::Producers>(std::move(producers));
}

}  // namespace lanewise::trace::session

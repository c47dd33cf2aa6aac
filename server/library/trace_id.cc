// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/library/trace_id.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace lanewise::server::library {
namespace {

constexpr uint64_t kEnds = 64 << 10;

// FNV-1a: simple enough to stay as it is for ever.
void add(uint64_t* hash, std::string_view bytes) {
  for (const char c : bytes) *hash = (*hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
}

std::string hexadecimal(uint64_t hash) {
  char text[24];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace

Result<std::string> trace_id(const std::vector<std::string>& files) {
  uint64_t hash = 0xcbf29ce484222325u;
  std::string bytes;
  for (const std::string& path : files) {
    std::error_code error;
    const uint64_t size = std::filesystem::file_size(path, error);
    if (error) return not_found("cannot read " + path + ": " + error.message());  // a pipe or device too: opening one could wait for ever
    std::ifstream file(path, std::ios::binary);
    if (!file) return not_found("cannot read " + path);
    add(&hash, std::to_string(size) + ":");
    const auto read = [&](uint64_t from, uint64_t count) {
      bytes.resize(count);
      file.seekg(static_cast<std::streamoff>(from));
      file.read(bytes.data(), static_cast<std::streamsize>(count));
      bytes.resize(static_cast<size_t>(file.gcount()));
      file.clear();
      add(&hash, bytes);
    };
    read(0, std::min(size, kEnds));
    if (size > kEnds) read(size - std::min(size - kEnds, kEnds), std::min(size - kEnds, kEnds));
  }
  return hexadecimal(hash);
}

std::string id_of_site(const std::string& id, uint32_t site) {
  uint64_t hash = 0xcbf29ce484222325u;
  add(&hash, id + " site " + std::to_string(site));
  return hexadecimal(hash);
}

}  // namespace lanewise::server::library

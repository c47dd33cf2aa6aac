// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/pair/file_kind.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "trace/import/ntff/capture.h"
#include "trace/record/little_endian.h"
#include "trace/record/neff.h"
#include "trace/record/ntff_layout.h"

namespace lanewise::trace::pair {
namespace {

namespace fs = std::filesystem;
using record::load_le;

constexpr uint64_t kNewestPackage = 99, kNewestCapture = 32;   // what a newer tool may write; the readers refuse it with a sentence
constexpr uint64_t kMostMetadata = uint64_t{1} << 32;
constexpr char kFirstField = 0x0A;                             // field 1, the name of the NEFF

std::string first_bytes(const std::string& path, uint64_t most) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const auto size = fs::file_size(path, error);
  if (error) return {};
  std::string bytes(std::min<uint64_t>(most, size), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

}  // namespace

FileKind kind_of_bytes(std::string_view bytes) {
  if (bytes.starts_with(record::ntff_layout::kMagic)) return FileKind::ntff;
  if (bytes.size() < 16) return FileKind::other;
  const auto first = load_le<uint64_t>(bytes, 0), second = load_le<uint64_t>(bytes, 8);
  if (second == record::kNeffHeaderBytes && first >= 1 && first <= kNewestPackage) return FileKind::neff;
  const uint64_t version = first & 0xFF, metadata = first >> 8;
  const bool header = second == 0 && version >= 1 && version <= kNewestCapture && metadata > 0 && metadata < kMostMetadata;
  return header && bytes.size() >= kKindBytes && bytes[ntff::kHeaderBytes] == kFirstField ? FileKind::ntff : FileKind::other;
}

FileKind kind_of_file(const std::string& path) {
  const FileKind kind = kind_of_bytes(first_bytes(path, kKindBytes));
  if (kind != FileKind::other) return kind;
  std::error_code error;
  const std::string ending = fs::is_directory(path, error) ? "" : fs::path(path).extension().string();
  return ending == ".neff" ? FileKind::neff : ending == ".ntff" ? FileKind::ntff : FileKind::other;
}

std::string real_pair_id(const std::string& path, FileKind kind) {
  std::string id;
  if (kind == FileKind::neff) {
    record::NeffHeader header;
    if (!record::read_neff_header(first_bytes(path, record::kNeffHeaderBytes), &header).ok()) return {};
    id.assign(header.uuid.begin(), header.uuid.end());
  } else if (kind == FileKind::ntff) {
    const std::string head = first_bytes(path, kKindBytes);
    if (head.starts_with(record::ntff_layout::kMagic) || kind_of_bytes(head) != FileKind::ntff) return {};
    // Its sections lie behind what is read here, and are not looked at.
    const auto capture = ntff::read_capture(first_bytes(path, ntff::kHeaderBytes + (load_le<uint64_t>(head, 0) >> 8)));
    if (!capture.ok()) return {};
    id = capture->pair_id;
  }
  return id.substr(0, id.find('\0'));
}

bool same_pair(std::string_view neff_id, std::string_view ntff_id) { return !neff_id.empty() && ntff_id.starts_with(neff_id); }

}  // namespace lanewise::trace::pair

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/tar_gz.h"

#include <algorithm>
#include <memory>

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

namespace lanewise::trace::record {
namespace {

constexpr int kGzip = 15 + 16;   // zlib's way to ask for a gzip wrapper with the largest window
constexpr size_t kLargestContent = size_t{4} << 30;

struct ArchiveDeleter {
  void operator()(archive* a) const { archive_free(a); }
};
using Archive = std::unique_ptr<archive, ArchiveDeleter>;

la_ssize_t append_to_string(archive*, void* out, const void* data, size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

std::string archive_problem(archive* a) {
  const char* text = archive_error_string(a);
  return text ? text : "unknown";
}

Result<std::string> write_tar(const std::vector<TarMember>& members) {
  std::string tar;
  Archive a(archive_write_new());
  archive_write_set_format_ustar(a.get());
  archive_write_add_filter_none(a.get());
  archive_write_set_bytes_per_block(a.get(), 0);
  if (archive_write_open(a.get(), &tar, nullptr, append_to_string, nullptr) != ARCHIVE_OK)
    return internal_error("tar: " + archive_problem(a.get()));
  for (const TarMember& member : members) {
    std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_pathname(entry.get(), member.name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(member.bytes.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_mtime(entry.get(), 0, 0);
    if (archive_write_header(a.get(), entry.get()) != ARCHIVE_OK)
      return invalid_argument("tar: member " + member.name + ": " + archive_problem(a.get()));
    if (archive_write_data(a.get(), member.bytes.data(), member.bytes.size()) !=
        static_cast<la_ssize_t>(member.bytes.size()))
      return internal_error("tar: member " + member.name + ": " + archive_problem(a.get()));
  }
  if (archive_write_close(a.get()) != ARCHIVE_OK) return internal_error("tar: " + archive_problem(a.get()));
  return tar;
}

// zlib counts in 32 bits, so data goes through in pieces.
constexpr size_t kPiece = size_t{1} << 30;

Result<std::string> gzip(const std::string& plain) {
  z_stream z{};
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return resource_exhausted("no memory to compress " + std::to_string(plain.size()) + " bytes");
  std::string out;
  size_t read = 0;
  int state = Z_OK;
  char block[65536];
  while (state != Z_STREAM_END) {
    if (z.avail_in == 0 && read < plain.size()) {
      const size_t n = std::min(kPiece, plain.size() - read);
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data() + read));
      z.avail_in = static_cast<uInt>(n);
      read += n;
    }
    z.next_out = reinterpret_cast<Bytef*>(block);
    z.avail_out = sizeof block;
    state = deflate(&z, read == plain.size() ? Z_FINISH : Z_NO_FLUSH);
    LW_CHECK(state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR, "deflate lost its state");
    out.append(block, sizeof block - z.avail_out);
  }
  deflateEnd(&z);
  return out;
}

// What could be inflated is in `out` even after a damage.
Status gunzip(std::string_view packed, std::string* out) {
  z_stream z{};
  if (inflateInit2(&z, kGzip) != Z_OK) return resource_exhausted("no memory to decompress");
  size_t read = 0;
  Status result;
  char block[65536];
  while (true) {
    if (z.avail_in == 0 && read < packed.size()) {
      const size_t n = std::min(kPiece, packed.size() - read);
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + read));
      z.avail_in = static_cast<uInt>(n);
      read += n;
    }
    z.next_out = reinterpret_cast<Bytef*>(block);
    z.avail_out = sizeof block;
    const int state = inflate(&z, Z_NO_FLUSH);
    out->append(block, sizeof block - z.avail_out);
    const std::string at = std::to_string(read - z.avail_in);
    if (out->size() > kLargestContent) result = resource_exhausted("archive content is larger than 4 GiB at byte " + at);
    else if (state == Z_STREAM_END) break;
    else if (state == Z_BUF_ERROR || (state == Z_OK && z.avail_in == 0 && read == packed.size() && z.avail_out != 0))
      result = data_loss("compressed data ends early at byte " + at);
    else if (state != Z_OK)
      result = data_loss("damaged compressed data at byte " + at + (z.msg ? std::string(": ") + z.msg : ""));
    if (!result.ok()) break;
  }
  inflateEnd(&z);
  return result;
}

Status read_tar(const std::string& tar, std::vector<TarMember>* out) {
  Archive a(archive_read_new());
  archive_read_support_format_tar(a.get());
  auto damage = [&a](const char* what) {
    return data_loss(std::string(what) + " near byte " + std::to_string(archive_read_header_position(a.get())) +
                     " of the archive: " + archive_problem(a.get()));
  };
  if (archive_read_open_memory(a.get(), tar.data(), tar.size()) != ARCHIVE_OK) return damage("no tar");
  archive_entry* entry = nullptr;
  while (true) {
    const int state = archive_read_next_header(a.get(), &entry);
    if (state == ARCHIVE_EOF) return ok_status();
    if (state != ARCHIVE_OK && state != ARCHIVE_WARN) return damage("damaged member header");
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    const char* name = archive_entry_pathname(entry);
    TarMember member{name ? name : "", {}};
    char block[65536];
    la_ssize_t n = 0;
    while ((n = archive_read_data(a.get(), block, sizeof block)) > 0) member.bytes.append(block, static_cast<size_t>(n));
    if (n < 0) return damage(("damaged member " + member.name).c_str());
    if (member.bytes.size() != static_cast<size_t>(archive_entry_size(entry)))
      return damage(("member " + member.name + " is cut").c_str());
    out->push_back(std::move(member));
  }
}

}  // namespace

Result<std::string> write_tar_gz(const std::vector<TarMember>& members) {
  LW_ASSIGN_OR_RETURN(const std::string tar, write_tar(members));
  return gzip(tar);
}

Status read_tar_gz(std::string_view bytes, std::vector<TarMember>* out) {
  std::string tar;
  const Status inflated = gunzip(bytes, &tar);
  const Status unpacked = read_tar(tar, out);
  return inflated.ok() ? unpacked : inflated;   // a cut archive follows from cut compressed data
}

}  // namespace lanewise::trace::record

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/npz.h"

#include <algorithm>
#include <memory>

#include <archive.h>
#include <archive_entry.h>

namespace lanewise::lab {
namespace {

constexpr size_t kLargest = size_t{16} << 30;
constexpr std::string_view kEnding = ".npy";

struct ArchiveDeleter {
  void operator()(archive* a) const { archive_free(a); }
};
using Archive = std::unique_ptr<archive, ArchiveDeleter>;

std::string problem(archive* a) {
  const char* text = archive_error_string(a);
  return text != nullptr ? text : "unknown";
}

la_ssize_t append(archive*, void* out, const void* data, size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

std::string_view descr(std::string_view dtype) {
  struct Row { std::string_view name, code; };
  constexpr Row kRows[] = {{"float32", "<f4"}, {"float16", "<f2"}, {"float64", "<f8"}, {"bfloat16", "|V2"}, {"int8", "|i1"},
                           {"uint8", "|u1"},   {"int16", "<i2"},   {"uint16", "<u2"},  {"int32", "<i4"},    {"uint32", "<u4"},
                           {"int64", "<i8"},   {"uint64", "<u8"},  {"bool", "|b1"}};
  for (const Row& row : kRows)
    if (row.name == dtype) return row.code;
  return dtype;
}

std::string npy(const trace::neff::Npy& array) {
  std::string header = "{'descr': '" + std::string(descr(array.dtype)) + "', 'fortran_order': False, 'shape': (";
  for (int64_t n : array.shape) header += std::to_string(n) + ",";
  header += "), }";
  // Magic, version, length and header end on a multiple of 64, with a newline last.
  const size_t before = 10 + header.size() + 1;
  header.append((64 - before % 64) % 64, ' ');
  header += '\n';
  std::string out = "\x93NUMPY";
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  return out + header + array.bytes;
}

}  // namespace

Result<Arrays> read_npz(std::string_view bytes) {
  Archive a(archive_read_new());
  archive_read_support_format_zip(a.get());
  if (archive_read_open_memory(a.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
    return data_loss("not a .npz (a zip of .npy files): " + problem(a.get()));
  Arrays out;
  archive_entry* entry = nullptr;
  for (size_t total = 0;;) {
    const int state = archive_read_next_header(a.get(), &entry);
    if (state == ARCHIVE_EOF) return out;
    if (state != ARCHIVE_OK && state != ARCHIVE_WARN) return data_loss("damaged .npz: " + problem(a.get()));
    const char* path = archive_entry_pathname(entry);
    std::string name = path != nullptr ? path : "", content;
    char block[65536];
    la_ssize_t n = 0;
    while ((n = archive_read_data(a.get(), block, sizeof block)) > 0) {
      content.append(block, static_cast<size_t>(n));
      if ((total += static_cast<size_t>(n)) > kLargest) return resource_exhausted("the arrays of this .npz are larger than 16 GiB");
    }
    if (n < 0) return data_loss("array " + name + ": " + problem(a.get()));
    if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
    auto array = trace::neff::read_npy(content);
    if (!array.ok()) return array.status().with_context("array " + name);
    out[name] = std::move(array).value();
  }
}

Result<std::string> write_npz(const Arrays& arrays) {
  std::string out;
  Archive a(archive_write_new());
  archive_write_set_format_zip(a.get());
  archive_write_set_options(a.get(), "zip:compression=store");
  archive_write_set_bytes_per_block(a.get(), 0);
  if (archive_write_open(a.get(), &out, nullptr, append, nullptr) != ARCHIVE_OK) return internal_error("zip: " + problem(a.get()));
  for (const auto& [name, array] : arrays) {
    const std::string content = npy(array);
    std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_pathname(entry.get(), (name + std::string(kEnding)).c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    if (archive_write_header(a.get(), entry.get()) != ARCHIVE_OK ||
        archive_write_data(a.get(), content.data(), content.size()) != static_cast<la_ssize_t>(content.size()))
      return internal_error("array " + name + ": " + problem(a.get()));
  }
  if (archive_write_close(a.get()) != ARCHIVE_OK) return internal_error("zip: " + problem(a.get()));
  return out;
}

}  // namespace lanewise::lab

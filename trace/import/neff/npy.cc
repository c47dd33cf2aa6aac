// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/neff/npy.h"

#include <charconv>

namespace lanewise::trace::neff {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// The text after 'key': in the header's dictionary.
std::string_view value_of(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return {};
  const size_t colon = header.find(':', at);
  if (colon == std::string_view::npos) return {};
  std::string_view rest = header.substr(colon + 1);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return rest;
}

std::string dtype_name(std::string_view code) {
  struct Row { std::string_view code, name; };
  constexpr Row kRows[] = {{"<f4", "float32"}, {"<f2", "float16"}, {"<f8", "float64"}, {"|i1", "int8"},  {"|u1", "uint8"},
                           {"<i2", "int16"},   {"<u2", "uint16"},  {"<i4", "int32"},   {"<u4", "uint32"}, {"<i8", "int64"},
                           {"<u8", "uint64"},  {"|b1", "bool"}};
  for (const Row& row : kRows)
    if (row.code == code) return std::string(row.name);
  return std::string(code);
}

// Bytes of one element, from the digits of the code; 0 when there are none.
int64_t element_bytes(std::string_view code) {
  int64_t n = 0;
  if (code.size() < 3) return 0;
  std::from_chars(code.data() + 2, code.data() + code.size(), n);
  return n > 0 && n <= 64 ? n : 0;
}

}  // namespace

Result<Npy> read_npy(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic) return data_loss("no .npy: it must begin with \\x93NUMPY");
  if (bytes.size() < 12) return data_loss("the header is cut off at byte " + std::to_string(bytes.size()));
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(bytes[at])); };
  const size_t major = byte(6);
  if (major < 1 || major > 3) return data_loss(".npy version " + std::to_string(major) + " at byte 6, 1 to 3 are known");
  const size_t begin = major == 1 ? 10 : 12;
  const size_t length = major == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - begin) return data_loss("the header of " + std::to_string(length) + " bytes at byte " + std::to_string(begin) + " is cut off");
  const std::string_view header = bytes.substr(begin, length);
  if (value_of(header, "fortran_order").substr(0, 5) != "False") return data_loss("only C order is known, at byte " + std::to_string(begin));

  Npy out;
  std::string_view code = value_of(header, "descr");
  if (code.size() < 2 || code[0] != '\'') return data_loss("no plain dtype in the header at byte " + std::to_string(begin));
  code.remove_prefix(1);
  code = code.substr(0, code.find('\''));
  const int64_t element = element_bytes(code);
  if (element == 0 || code[0] == '>') return data_loss("dtype " + std::string(code) + " is not known, at byte " + std::to_string(begin));
  out.dtype = dtype_name(code);

  std::string_view shape = value_of(header, "shape");
  if (shape.empty() || shape[0] != '(') return data_loss("no shape in the header at byte " + std::to_string(begin));
  shape = shape.substr(1, shape.find(')') - 1);
  int64_t total = element;
  for (const char *p = shape.data(), *end = p + shape.size(); p < end;) {
    if (*p < '0' || *p > '9') {
      ++p;
      continue;
    }
    int64_t n = 0;
    const auto [next, error] = std::from_chars(p, end, n);
    if (error != std::errc() || __builtin_mul_overflow(total, n, &total)) return data_loss("a shape that is too large, at byte " + std::to_string(begin));
    out.shape.push_back(n);
    p = next;
  }
  const std::string_view data = bytes.substr(begin + length);
  if (static_cast<int64_t>(data.size()) < total)
    return data_loss("data of " + std::to_string(total) + " bytes from byte " + std::to_string(begin + length) + " on ends at byte " + std::to_string(bytes.size()));
  out.bytes = data.substr(0, static_cast<size_t>(total));
  return out;
}

}  // namespace lanewise::trace::neff

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Protocol-buffer wire format, read field by field without generated code.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace lanewise::trace::perfetto {

// Reads a varint at `at`. False: the bytes end, or it is longer than 64 bits.
inline bool read_varint(std::string_view bytes, size_t* at, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 70 && *at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[(*at)++]);
    if (shift == 63 && byte > 1) return false;
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Fields of one message in their order:  for (WireReader r(bytes); r.next();) switch (r.field()) ...
// next() is false at the end and at damage; then ok() tells which.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : bytes_(message) {}

  bool next() {
    if (at_ == bytes_.size()) return false;
    uint64_t tag = 0;
    if (!read_varint(bytes_, &at_, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1fff'ffff) return fail();
    field_ = static_cast<uint32_t>(tag >> 3);
    data_ = {};
    switch (tag & 7) {
      case 0: return read_varint(bytes_, &at_, &value_) || fail();
      case 1: return fixed(8);
      case 2: {
        uint64_t size = 0;
        if (!read_varint(bytes_, &at_, &size) || size > bytes_.size() - at_) return fail();
        data_ = bytes_.substr(at_, size);
        at_ += size;
        return true;
      }
      case 5: return fixed(4);
      default: return fail();
    }
  }
  bool ok() const { return ok_; }

  uint32_t field() const { return field_; }
  uint64_t value() const { return value_; }  // of a varint or fixed field
  int64_t integer() const { return static_cast<int64_t>(value_); }
  double number() const { return std::bit_cast<double>(value_); }  // of a fixed64 field
  std::string_view data() const { return data_; }                  // of a length-delimited field

 private:
  bool fail() { return ok_ = false; }
  bool fixed(size_t size) {
    if (size > bytes_.size() - at_) return fail();
    value_ = 0;
    for (size_t i = 0; i < size; ++i) value_ |= static_cast<uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    at_ += size;
    return true;
  }

  std::string_view bytes_, data_;
  size_t at_ = 0;
  uint32_t field_ = 0;
  uint64_t value_ = 0;
  bool ok_ = true;
};

}  // namespace lanewise::trace::perfetto

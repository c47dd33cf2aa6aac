// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How values become bytes in our program format, one overload a type, writer beside reader.
//
// Integers are LEB128 varints (signed ones zigzag), floats are four little-endian bytes, text and blobs are a length
// and bytes. A reader never reads past its end: the first failure is kept with its offset and every later read gives
// zeros, so callers check once at the end of each record.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction.h"

namespace lanewise::isa {

class ByteWriter {
 public:
  void u64(uint64_t v) {
    while (v >= 0x80) {
      out_.push_back(static_cast<std::byte>(v | 0x80));
      v >>= 7;
    }
    out_.push_back(static_cast<std::byte>(v));
  }
  void i64(int64_t v) { u64((static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63)); }
  void fixed64(uint64_t v) {
    for (int i = 0; i < 8; ++i) out_.push_back(static_cast<std::byte>(v >> (8 * i)));
  }
  void f32(float v) {
    const auto bits = std::bit_cast<uint32_t>(v);
    for (int i = 0; i < 4; ++i) out_.push_back(static_cast<std::byte>(bits >> (8 * i)));
  }
  void blob(const std::byte* data, size_t size) {
    u64(size);
    out_.insert(out_.end(), data, data + size);
  }
  void text(std::string_view s) { blob(reinterpret_cast<const std::byte*>(s.data()), s.size()); }

  std::vector<std::byte>& bytes() { return out_; }

 private:
  std::vector<std::byte> out_;
};

class ByteReader {
 public:
  ByteReader(const std::byte* data, size_t size) : data_(data), size_(size) {}

  bool failed() const { return failed_; }
  size_t offset() const { return at_; }
  size_t remaining() const { return size_ - at_; }
  const std::string& reason() const { return reason_; }
  size_t failed_at() const { return failed_at_; }

  void fail(size_t offset, std::string_view reason) {
    if (failed_) return;
    failed_ = true;
    failed_at_ = offset;
    reason_ = reason;
  }

  uint64_t u64();
  int64_t i64() {
    const uint64_t v = u64();
    return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1);
  }
  // A number that must lie in [low, high]; `what` names it in the error.
  int64_t ranged(int64_t low, int64_t high, std::string_view what);
  uint64_t unsigned_up_to(uint64_t high, std::string_view what);
  uint64_t fixed64();
  float f32();
  void blob(std::vector<std::byte>& out);
  void text(std::string& out);
  // A count of records of which each takes at least `least` bytes, so that a damaged count cannot ask for memory.
  size_t count(size_t least, std::string_view what);

 private:
  bool need(size_t n, std::string_view what);

  const std::byte* data_;
  size_t size_;
  size_t at_ = 0;
  bool failed_ = false;
  size_t failed_at_ = 0;
  std::string reason_;
};

}  // namespace lanewise::isa

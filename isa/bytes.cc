// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/bytes.h"

namespace lanewise::isa {

bool ByteReader::need(size_t n, std::string_view what) {
  if (failed_) return false;
  if (remaining() >= n) return true;
  fail(at_, std::string(what) + " is cut off");
  return false;
}

uint64_t ByteReader::u64() {
  const size_t start = at_;
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (!need(1, "a number")) return 0;
    const auto byte = static_cast<uint64_t>(data_[at_++]);
    if (shift == 63 && byte > 1) break;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail(start, "a number has more than 64 bits");
  return 0;
}

int64_t ByteReader::ranged(int64_t low, int64_t high, std::string_view what) {
  const size_t start = at_;
  const int64_t value = i64();
  if (!failed_ && (value < low || value > high)) fail(start, std::string(what) + " is out of range");
  return failed_ ? 0 : value;
}

uint64_t ByteReader::unsigned_up_to(uint64_t high, std::string_view what) {
  const size_t start = at_;
  const uint64_t value = u64();
  if (!failed_ && value > high) fail(start, std::string(what) + " is out of range");
  return failed_ ? 0 : value;
}

uint64_t ByteReader::fixed64() {
  if (!need(8, "a 64-bit word")) return 0;
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= static_cast<uint64_t>(data_[at_++]) << (8 * i);
  return value;
}

float ByteReader::f32() {
  if (!need(4, "a float")) return 0;
  uint32_t bits = 0;
  for (int i = 0; i < 4; ++i) bits |= static_cast<uint32_t>(data_[at_++]) << (8 * i);
  return std::bit_cast<float>(bits);
}

void ByteReader::blob(std::vector<std::byte>& out) {
  const uint64_t size = u64();
  if (failed_ || !need(size, "a block of bytes")) return;
  out.assign(data_ + at_, data_ + at_ + size);
  at_ += size;
}

void ByteReader::text(std::string& out) {
  const uint64_t size = u64();
  if (failed_ || !need(size, "a text")) return;
  out.assign(reinterpret_cast<const char*>(data_ + at_), size);
  at_ += size;
}

size_t ByteReader::count(size_t least, std::string_view what) {
  const size_t start = at_;
  const uint64_t n = u64();
  if (!failed_ && n > remaining() / least) fail(start, std::string(what) + " is larger than the rest of the data");
  return failed_ ? 0 : static_cast<size_t>(n);
}

}  // namespace lanewise::isa

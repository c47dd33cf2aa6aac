// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Protocol-buffer wire format without generated code: fields are put in and read out by number.
// The only place that knows the library behind it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lanewise::trace::record {

// A message under construction. `clear` keeps the memory, so that one object serves a stream of packets.
class ProtoMessage {
 public:
  ProtoMessage& uint(uint32_t field, uint64_t value);       // uint32, uint64, bool, enum
  ProtoMessage& integer(uint32_t field, int64_t value);     // int32, int64: negative values take ten bytes
  ProtoMessage& fixed64(uint32_t field, uint64_t value);
  ProtoMessage& number(uint32_t field, double value);
  ProtoMessage& text(uint32_t field, std::string_view value);   // string, bytes
  ProtoMessage& message(uint32_t field, const ProtoMessage& value) { return text(field, value.bytes()); }
  // A nested message of two varint fields in one go; field numbers below 16.
  ProtoMessage& pair(uint32_t field, uint32_t first, uint64_t first_value, uint32_t second, uint64_t second_value);
  // This message as a field at the end of another one's bytes.
  void append_to(std::string* bytes, uint32_t field) const;

  std::string_view bytes() const { return {room_.data(), size_}; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }

 private:
  // Where to write; `more` bytes fit.
  char* grow(size_t more) {
    if (room_.size() - size_ < more) room_.resize(2 * (room_.size() + more));
    return room_.data() + size_;
  }

  std::string room_;   // the message is its first size_ bytes
  size_t size_ = 0;
};

struct ProtoField {
  enum class Wire : uint8_t { varint, fixed64, bytes, fixed32 };
  uint32_t number = 0;
  Wire wire = Wire::varint;
  uint64_t value = 0;         // of varint and fixed
  std::string_view bytes;     // of bytes; points into the message
  size_t offset = 0;          // of the field's tag in the message

  int64_t as_integer() const { return static_cast<int64_t>(value); }
  double as_number() const;   // of fixed64 or fixed32
};

// The fields in their order. On damage: data_loss with the byte offset, and `out` holds the fields before it.
Status read_proto(std::string_view message, std::vector<ProtoField>* out);

}  // namespace lanewise::trace::record

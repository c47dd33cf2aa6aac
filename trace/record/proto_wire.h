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
  ProtoMessage& message(uint32_t field, const ProtoMessage& value) { return text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
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

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/proto_wire.h"

#include <bit>

#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

// Built with exceptions, since the library's headers throw; none leaves this file.

namespace lanewise::trace::record {

namespace {

constexpr size_t kLongestVarint = protozero::max_varint_length;

uint64_t tag(uint32_t field, protozero::pbf_wire_type wire) {
  return static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(wire);
}

constexpr size_t kLongestField = 2 * kLongestVarint;   // tag and value

// Bytes written at `to`.
size_t write_uint(char* to, uint32_t field, uint64_t value) {
  const int n = protozero::write_varint(to, tag(field, protozero::pbf_wire_type::varint));
  return static_cast<size_t>(n + protozero::write_varint(to + n, value));
}

size_t write_head(char* to, uint32_t field, size_t length) {
  const int n = protozero::write_varint(to, tag(field, protozero::pbf_wire_type::length_delimited));
  return static_cast<size_t>(n + protozero::write_varint(to + n, length));
}

size_t write_fixed64(char* to, uint32_t field, uint64_t value) {
  const int n = protozero::write_varint(to, tag(field, protozero::pbf_wire_type::fixed64));
  for (int i = 0; i < 8; ++i) to[n + i] = static_cast<char>(value >> (8 * i));
  return static_cast<size_t>(n + 8);
}

}  // namespace

// The writer thread makes millions of fields a second, so each is written in place, without a string in between.
ProtoMessage& ProtoMessage::uint(uint32_t field, uint64_t value) {
  char* to = grow(kLongestField);
  size_ += write_uint(to, field, value);
  return *this;
}

ProtoMessage& ProtoMessage::integer(uint32_t field, int64_t value) {
  return uint(field, static_cast<uint64_t>(value));
}

ProtoMessage& ProtoMessage::pair(uint32_t field, uint32_t first, uint64_t first_value, uint32_t second,
                                 uint64_t second_value) {
  char* const to = grow(3 * kLongestField);
  const auto length = static_cast<size_t>(2 + protozero::length_of_varint(first_value) +
                                          protozero::length_of_varint(second_value));
  size_t n = write_head(to, field, length);
  n += write_uint(to + n, first, first_value);
  n += write_uint(to + n, second, second_value);
  size_ += n;
  return *this;
}

ProtoMessage& ProtoMessage::fixed64(uint32_t field, uint64_t value) {
  char* to = grow(kLongestField);
  size_ += write_fixed64(to, field, value);
  return *this;
}

ProtoMessage& ProtoMessage::number(uint32_t field, double value) {
  return fixed64(field, std::bit_cast<uint64_t>(value));
}

ProtoMessage& ProtoMessage::text(uint32_t field, std::string_view value) {
  char* to = grow(kLongestField + value.size());
  const size_t n = write_head(to, field, value.size());
  value.copy(to + n, value.size());
  size_ += n + value.size();
  return *this;
}

void ProtoMessage::append_to(std::string* bytes, uint32_t field) const {
  char head[kLongestField];
  bytes->append(head, write_head(head, field, size_));
  bytes->append(this->bytes());
}

double ProtoField::as_number() const {
  if (wire == Wire::fixed32) return std::bit_cast<float>(static_cast<uint32_t>(value));
  return std::bit_cast<double>(value);
}

Status read_proto(std::string_view message, std::vector<ProtoField>* out) {
  protozero::pbf_reader reader(message.data(), message.size());
  size_t offset = 0;
  try {
    while (true) {
      offset = message.size() - reader.length();
      if (!reader.next()) return ok_status();
      ProtoField field;
      field.number = reader.tag();
      field.offset = offset;
      switch (reader.wire_type()) {
        case protozero::pbf_wire_type::varint:
          field.wire = ProtoField::Wire::varint;
          field.value = reader.get_uint64();
          break;
        case protozero::pbf_wire_type::fixed64:
          field.wire = ProtoField::Wire::fixed64;
          field.value = reader.get_fixed64();
          break;
        case protozero::pbf_wire_type::fixed32:
          field.wire = ProtoField::Wire::fixed32;
          field.value = reader.get_fixed32();
          break;
        case protozero::pbf_wire_type::length_delimited: {
          field.wire = ProtoField::Wire::bytes;
          const protozero::data_view view = reader.get_view();
          field.bytes = std::string_view(view.data(), view.size());
          break;
        }
        default:
          return data_loss("unknown wire type at byte " + std::to_string(offset));
      }
      out->push_back(field);
    }
  } catch (const std::exception& problem) {
    return data_loss("damaged protobuf field at byte " + std::to_string(offset) + ": " + problem.what());
  }
}

}  // namespace lanewise::trace::record

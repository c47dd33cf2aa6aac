// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/proto_wire.h"

#include <bit>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

// Built with exceptions, since the library's headers throw; none leaves this file.

namespace lanewise::trace::record {

ProtoMessage& ProtoMessage::uint(uint32_t field, uint64_t value) {
  protozero::pbf_writer(bytes_).add_uint64(field, value);
  return *this;
}
ProtoMessage& ProtoMessage::integer(uint32_t field, int64_t value) {
  protozero::pbf_writer(bytes_).add_int64(field, value);
  return *this;
}
ProtoMessage& ProtoMessage::fixed64(uint32_t field, uint64_t value) {
  protozero::pbf_writer(bytes_).add_fixed64(field, value);
  return *this;
}
ProtoMessage& ProtoMessage::number(uint32_t field, double value) {
  protozero::pbf_writer(bytes_).add_double(field, value);
  return *this;
}
ProtoMessage& ProtoMessage::text(uint32_t field, std::string_view value) {
  protozero::pbf_writer(bytes_).add_string(field, value.data(), value.size());
  return *this;
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

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/neff/debug_names.h"

#include <map>

#include "trace/record/proto_wire.h"

namespace lanewise::trace::neff {
namespace {

using record::ProtoField;

// Field numbers, as observed: file { 1 note, 2 file it refers to, 3 entry..., 4 kind }, entry { 1 id, 2 name, 3 packed
// ids it was made of }. An id of 0 is left out.
constexpr uint32_t kEntry = 3, kId = 1, kName = 2, kMadeOf = 3;

Result<std::vector<std::string_view>> entries(std::string_view file) {
  std::vector<ProtoField> fields;
  LW_RETURN_IF_ERROR(record::read_proto(file, &fields));
  std::vector<std::string_view> out;
  for (const ProtoField& f : fields)
    if (f.number == kEntry && f.wire == ProtoField::Wire::bytes) out.push_back(f.bytes);
  return out;
}

uint64_t first_varint(std::string_view packed) {
  uint64_t value = 0;
  for (size_t i = 0; i < packed.size() && i < 10; ++i) {
    value |= static_cast<uint64_t>(packed[i] & 0x7f) << (7 * i);
    if ((packed[i] & 0x80) == 0) break;
  }
  return value;
}

}  // namespace

Result<std::vector<std::string>> instruction_names(std::string_view assembly, std::string_view backend) {
  std::map<uint64_t, std::string> by_id;
  LW_ASSIGN_OR_RETURN(const auto named, entries(backend));
  for (const std::string_view entry : named) {
    std::vector<ProtoField> fields;
    LW_RETURN_IF_ERROR(record::read_proto(entry, &fields));
    uint64_t id = 0;
    std::string name;
    for (const ProtoField& f : fields) {
      if (f.number == kId && f.wire == ProtoField::Wire::varint) id = f.value;
      if (f.number == kName && f.wire == ProtoField::Wire::bytes) name = f.bytes;
    }
    by_id[id] = std::move(name);
  }
  std::vector<std::string> names;
  LW_ASSIGN_OR_RETURN(const auto ordered, entries(assembly));
  for (const std::string_view entry : ordered) {
    std::vector<ProtoField> fields;
    LW_RETURN_IF_ERROR(record::read_proto(entry, &fields));
    std::string name;
    for (const ProtoField& f : fields) {
      if (f.number != kMadeOf) continue;
      const auto found = by_id.find(f.wire == ProtoField::Wire::bytes ? first_varint(f.bytes) : f.value);
      if (found != by_id.end() && name.empty()) name = found->second;
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace lanewise::trace::neff

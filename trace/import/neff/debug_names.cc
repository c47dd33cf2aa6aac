// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/neff/debug_names.h"

#include <map>
#include <utility>

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

using Entries = std::map<uint64_t, InstructionName>;   // by id

Result<std::pair<uint64_t, InstructionName>> read_entry(std::string_view entry, const Entries& below) {
  std::vector<ProtoField> fields;
  LW_RETURN_IF_ERROR(record::read_proto(entry, &fields));
  uint64_t id = 0;
  InstructionName out;
  for (const ProtoField& f : fields) {
    if (f.number == kId && f.wire == ProtoField::Wire::varint) id = f.value;
    if (f.number == kName && f.wire == ProtoField::Wire::bytes) out.name = f.bytes;
    if (f.number != kMadeOf) continue;
    const auto found = below.find(f.wire == ProtoField::Wire::bytes ? first_varint(f.bytes) : f.value);
    if (found != below.end()) out.made_of = found->second.name;
  }
  return std::pair(id, std::move(out));
}

Result<Entries> by_id(std::string_view file, const Entries& below) {
  Entries out;
  LW_ASSIGN_OR_RETURN(const auto list, entries(file));
  for (const std::string_view entry : list) {
    LW_ASSIGN_OR_RETURN(auto read, read_entry(entry, below));
    out[read.first] = std::move(read.second);
  }
  return out;
}

}  // namespace

Result<std::vector<InstructionName>> instruction_names(std::string_view assembly, std::string_view backend, std::string_view tensors) {
  LW_ASSIGN_OR_RETURN(const Entries kernel, by_id(tensors, {}));
  LW_ASSIGN_OR_RETURN(const Entries named, by_id(backend, kernel));
  std::vector<InstructionName> names;
  LW_ASSIGN_OR_RETURN(const auto ordered, entries(assembly));
  for (const std::string_view entry : ordered) {
    std::vector<ProtoField> fields;
    LW_RETURN_IF_ERROR(record::read_proto(entry, &fields));
    InstructionName& out = names.emplace_back();
    for (const ProtoField& f : fields) {
      if (f.number != kMadeOf) continue;
      const auto found = named.find(f.wire == ProtoField::Wire::bytes ? first_varint(f.bytes) : f.value);
      if (found != named.end() && out.name.empty()) out = found->second;
    }
  }
  return names;
}

}  // namespace lanewise::trace::neff

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/neff.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "isa/codec.h"
#include "isa/table.h"
#include "trace/record/little_endian.h"

namespace lanewise::trace::record {
namespace {

using nlohmann::json;

// Offsets of the public header.
constexpr size_t kPkgVersion = 0, kHeaderSize = 8, kDataSize = 16, kMajor = 24, kMinor = 32, kBuildVersion = 40,
                 kCores = 168, kHash = 172, kUuid = 204, kName = 220, kRequestedCores = 476, kCoresPerNode = 480,
                 kFeatureBits = 544, kLncSize = 552;
constexpr size_t kBuildVersionBytes = 128, kNameBytes = 256;

void store_text(std::string* bytes, size_t at, size_t room, std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), room - 1), bytes->begin() + static_cast<ptrdiff_t>(at));
}

std::string load_text(std::string_view bytes, size_t at, size_t room) {
  const std::string_view field = bytes.substr(at, room);
  return std::string(field.substr(0, field.find('\0')));
}

std::string dump(const json& value) { return value.dump(1, ' ', false, json::error_handler_t::replace) + "\n"; }

const char* kind_name(isa::Buffer::Kind kind) {
  switch (kind) {
    case isa::Buffer::Kind::input: return "input";
    case isa::Buffer::Kind::output: return "output";
    case isa::Buffer::Kind::constant: return "constant";
    case isa::Buffer::Kind::scratch: return "scratch";
  }
  return "unknown";
}

std::string info_json(const isa::Program& program, uint64_t hash, std::string_view compiler_version) {
  json instructions = json::object();
  for (int e = 0; e < isa::kEngineCount; ++e)
    instructions[std::string(isa::engine_name(static_cast<isa::Engine>(e)))] = program.streams[e].size();
  json buffers = json::array();
  for (const isa::Buffer& b : program.buffers)
    buffers.push_back({{"name", b.name}, {"kind", kind_name(b.kind)}, {"bytes", b.bytes}});
  json parameters = json::array();
  for (const isa::Parameter& p : program.parameters)
    parameters.push_back({{"name", p.name}, {"dtype", std::string(isa::dtype_name(p.dtype))}});
  return dump({{"schema", 1},
               {"producer", "lanewise"},
               {"compiler_version", std::string(compiler_version)},
               {"program_format", isa::kProgramFormat},
               {"name", program.name},
               {"machine", program.machine},
               {"program_hash", std::to_string(hash)},   // text: 63 bits do not fit a double
               {"instructions", instructions},
               {"buffers", buffers},
               {"parameters", parameters},
               {"semaphores_used", program.semaphores_used}});
}

std::string debug_map_json(const isa::Program& program) {
  json entries = json::array();
  for (const isa::DebugEntry& e : program.debug) entries.push_back({{"ir_op", e.ir_op}, {"aten_node", e.aten_node}});
  json streams = json::object();
  for (int e = 0; e < isa::kEngineCount; ++e) {
    json indices = json::array();
    for (const isa::Instruction& i : program.streams[e]) indices.push_back(i.debug);
    streams[std::string(isa::engine_name(static_cast<isa::Engine>(e)))] = std::move(indices);
  }
  return dump({{"schema", 1}, {"entries", std::move(entries)}, {"streams", std::move(streams)}});
}

}  // namespace

PairId pair_id(uint64_t program_hash, const std::vector<std::byte>& encoded_program) {
  std::string bytes(16, '\0');
  store_le(&bytes, 0, program_hash);
  store_le(&bytes, 8, isa::content_hash(encoded_program.data(), encoded_program.size()));
  PairId id{};
  std::copy(bytes.begin(), bytes.end(), id.begin());
  return id;
}

uint64_t Neff::program_hash() const {
  return load_le<uint64_t>(std::string_view(reinterpret_cast<const char*>(header.hash.data()), 8), 0);
}

const std::string* Neff::find(std::string_view member) const {
  for (const TarMember& m : members) {
    if (m.name == member) return &m.bytes;
  }
  return nullptr;
}

std::string neff_name(uint64_t hash, uint16_t nc) {
  return "neff_" + std::to_string(hash) + "_vnc_" + std::to_string(nc) + ".neff";
}

std::string ntff_name(uint64_t hash, uint32_t instance, uint16_t nc) {
  return std::to_string(hash) + "_instid_" + std::to_string(instance) + "_vnc_" + std::to_string(nc) + ".ntff";
}

Result<std::string> write_neff(const isa::Program& program, uint64_t hash, std::string_view graph_ir,
                               std::string_view compiler_version) {
  const std::vector<std::byte> encoded = isa::encode(program);
  std::vector<TarMember> members;
  members.push_back({"info.json", info_json(program, hash, compiler_version)});
  members.push_back({"program.bin", std::string(reinterpret_cast<const char*>(encoded.data()), encoded.size())});
  members.push_back({"program.txt", isa::print_text(program)});
  if (!graph_ir.empty()) members.push_back({"graph.ir", std::string(graph_ir)});
  members.push_back({"debug_map.json", debug_map_json(program)});
  LW_ASSIGN_OR_RETURN(const std::string data, write_tar_gz(members));

  std::string bytes(kNeffHeaderBytes, '\0');
  store_le<uint64_t>(&bytes, kPkgVersion, 2);
  store_le<uint64_t>(&bytes, kHeaderSize, kNeffHeaderBytes);
  store_le<uint64_t>(&bytes, kDataSize, data.size());
  store_le<uint64_t>(&bytes, kMajor, 2);
  store_text(&bytes, kBuildVersion, kBuildVersionBytes, "lanewise " + std::string(compiler_version));
  store_le<uint32_t>(&bytes, kCores, 1);
  store_le<uint64_t>(&bytes, kHash, hash);
  const PairId uuid = pair_id(hash, encoded);
  std::copy(uuid.begin(), uuid.end(), bytes.begin() + kUuid);
  store_text(&bytes, kName, kNameBytes, program.name);
  store_le<uint32_t>(&bytes, kRequestedCores, 1);
  store_le<uint8_t>(&bytes, kCoresPerNode, 1);
  store_le<uint32_t>(&bytes, kLncSize, 1);
  return bytes + data;
}

Status read_neff_header(std::string_view bytes, NeffHeader* out) {
  *out = NeffHeader{};
  if (bytes.size() < kNeffHeaderBytes)
    return data_loss("the header needs 1024 bytes, the file ends at byte " + std::to_string(bytes.size()));
  NeffHeader& h = *out;
  h.pkg_version = load_le<uint64_t>(bytes, kPkgVersion);
  h.header_size = load_le<uint64_t>(bytes, kHeaderSize);
  h.data_size = load_le<uint64_t>(bytes, kDataSize);
  h.major = load_le<uint64_t>(bytes, kMajor);
  h.minor = load_le<uint64_t>(bytes, kMinor);
  h.build_version = load_text(bytes, kBuildVersion, kBuildVersionBytes);
  h.cores = load_le<uint32_t>(bytes, kCores);
  std::copy_n(bytes.begin() + kHash, h.hash.size(), h.hash.begin());
  std::copy_n(bytes.begin() + kUuid, h.uuid.size(), h.uuid.begin());
  h.name = load_text(bytes, kName, kNameBytes);
  h.requested_cores = load_le<uint32_t>(bytes, kRequestedCores);
  h.feature_bits = load_le<uint64_t>(bytes, kFeatureBits);
  h.lnc_size = load_le<uint32_t>(bytes, kLncSize);
  if (h.pkg_version < 1 || h.pkg_version > 2)
    return data_loss("no NEFF: package version " + std::to_string(h.pkg_version) + " at byte 0, 1 and 2 are known");
  if (h.header_size != kNeffHeaderBytes)
    return data_loss("header size " + std::to_string(h.header_size) + " at byte 8, 1024 is known");
  return ok_status();
}

Status read_neff(std::string_view bytes, Neff* out) {
  *out = Neff{};
  LW_RETURN_IF_ERROR(read_neff_header(bytes, &out->header));
  const uint64_t there = bytes.size() - kNeffHeaderBytes;
  const std::string_view data = bytes.substr(kNeffHeaderBytes, out->header.data_size);
  const Status unpacked = read_tar_gz(data, &out->members);
  if (out->header.data_size > there)
    return data_loss("the header at byte 16 promises " + std::to_string(out->header.data_size) +
                     " bytes of data, the file ends at byte " + std::to_string(bytes.size()));
  if (!unpacked.ok()) return unpacked.with_context("data from byte 1024 on");
  return ok_status();
}

Result<isa::Program> neff_program(const Neff& neff) {
  if (!neff.ours())
    return failed_precondition("this NEFF was made by \"" + neff.header.build_version + "\", not by Lanewise");
  const std::string* encoded = neff.find("program.bin");
  if (encoded == nullptr) return data_loss("the archive at byte 1024 has no member program.bin");
  Result<isa::Program> program = isa::decode(reinterpret_cast<const std::byte*>(encoded->data()), encoded->size());
  if (!program.ok()) return program.status().with_context("program.bin");
  return program;
}

}  // namespace lanewise::trace::record

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// .neff: one compiled program. The public 1024-byte header, then a gzip tar with members of our own
// (docs/formats/neff.md, byte by byte): program.bin, program.txt, graph.ir, debug_map.json, info.json.
// The same program gives the same bytes on every core, host and day.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/program.h"
#include "trace/record/tar_gz.h"

namespace lanewise::trace::record {

inline constexpr size_t kNeffHeaderBytes = 1024;

// Joins a .neff and its .ntff: program hash and hash of the encoded program, 8 bytes each.
using PairId = std::array<uint8_t, 16>;
PairId pair_id(uint64_t program_hash, const std::vector<std::byte>& encoded_program);

struct NeffHeader {
  uint64_t pkg_version = 0, header_size = 0, data_size = 0, major = 0, minor = 0;
  std::string build_version;        // "lanewise <compiler version>" in ours
  uint32_t cores = 0;
  std::array<uint8_t, 32> hash{};   // ours: program hash in the first 8 bytes, little endian
  PairId uuid{};                    // ours: pair_id
  std::string name;
  uint32_t requested_cores = 0, lnc_size = 0;
  uint64_t feature_bits = 0;
};

struct Neff {
  NeffHeader header;
  std::vector<TarMember> members;

  bool ours() const { return header.build_version.rfind("lanewise ", 0) == 0; }
  uint64_t program_hash() const;
  const std::string* find(std::string_view member) const;   // null when it is not there
};

// File names inside a capture folder; both start from the same decimal hash.
std::string neff_name(uint64_t hash, uint16_t nc);
std::string ntff_name(uint64_t hash, uint32_t instance, uint16_t nc);

// `graph_ir` may be empty: then there is no such member.
Result<std::string> write_neff(const isa::Program& program, uint64_t hash, std::string_view graph_ir,
                               std::string_view compiler_version);

// Any .neff, ours or not. `out` holds what could be read before a damage.
// Errors: data_loss with the byte offset in the file.
Status read_neff(std::string_view bytes, Neff* out);

// Only the header: of a whole file or of its first 1024 bytes.
Status read_neff_header(std::string_view bytes, NeffHeader* out);

// The program of one of ours. Errors: failed_precondition (made by another tool), data_loss.
Result<isa::Program> neff_program(const Neff& neff);

}  // namespace lanewise::trace::record

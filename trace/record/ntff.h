// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// .ntff: what one execution of a program looked like inside the core (docs/formats/ntff.md, byte by byte).
//
//   0     128-byte header: magic, sizes, program hash, core, launch, checksums
//   128   metadata, a protobuf message
//   ...   16-byte records from a multiple of 16 on: u16, u8, u8 kind, u32, u64 picoseconds
//
// The record shape is that of real captures, the kinds are our own and start at 0xE0, above all kinds seen there. An
// instruction index has 32 bits, so streams may be longer than 65,535.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "trace/record/capture.h"
#include "trace/record/device_profile.h"
#include "trace/record/neff.h"

namespace lanewise::trace::record {

inline constexpr uint32_t kNtffVersion = 1;
inline constexpr size_t kNtffHeaderBytes = 128;
inline constexpr size_t kNtffRecordBytes = 16;

enum class NtffKind : uint8_t {
  iteration_high = 0xE0,      // upper half of the iteration of the group that follows
  instruction_ready = 0xE1,   // only when it differs from the begin
  instruction_begin = 0xE2,
  table_load = 0xE3,          // duration, only when there was one
  instruction_end = 0xE4,
  dma_trigger = 0xE5,
  dma_begin = 0xE6,
  dma_bytes = 0xE7,           // a count in the place of the time
  dma_descriptors = 0xE8,     // the same
  dma_end = 0xE9,
  dma_visible = 0xEA,
};

struct Ntff {
  uint32_t version = kNtffVersion;
  uint64_t program_hash = 0;
  PairId uuid{};
  uint16_t nc = 0;
  uint32_t instance = 0;
  uint64_t launch_id = 0;
  std::string program;             // name
  std::string neff;                // file name of its pair
  Producer producer;
  std::vector<std::string> engines;   // names, by InstructionSpan::engine
  DeviceProfile profile;
};

// Errors: invalid_argument for a time, size or engine that the format cannot hold; the message names the span.
Result<std::string> write_ntff(const Ntff& ntff);

// `out` holds what could be read before a damage; its profile only whole spans.
// Errors: data_loss with the byte offset; unimplemented for a newer version.
Status read_ntff(std::string_view bytes, Ntff* out);

}  // namespace lanewise::trace::record

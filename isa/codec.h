// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The binary form of a program (`program.bin`), version 1.
//
//   offset  bytes  what
//   0       6      "LWPROG"
//   6       2      format version, little endian
//   8       8      content_hash of everything after this header, little endian
//   16      ..     body: name, machine, buffers, parameters, semaphore count, five streams, debug map
//
// Values in the body are those of bytes.h. An instruction is opcode, engine, the set of fields that differ from their
// defaults (field.h) and those fields in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanewise::isa {

inline constexpr std::string_view kProgramMagic = "LWPROG";
inline constexpr uint16_t kProgramFormat = 1;
inline constexpr size_t kProgramHeaderBytes = 16;

// 64-bit hash of bytes; the same on every machine.
uint64_t content_hash(const std::byte* data, size_t size);

}  // namespace lanewise::isa

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Offsets, field numbers and bits of an .ntff, shared by its writer and its reader. docs/formats/ntff.md explains them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanewise::trace::record::ntff_layout {

inline constexpr std::string_view kMagic = "LANENTFF";
inline constexpr size_t kVersion = 8, kHeaderSize = 12, kMetadataOffset = 16, kMetadataSize = 24, kRecordsOffset = 32,
                        kRecordCount = 40, kProgramHash = 48, kNc = 56, kInstance = 60, kLaunchId = 64,
                        kDuration = 72, kMetadataCrc = 80, kRecordsCrc = 84, kHeaderCrc = 88;

enum Meta : uint32_t {
  kProducer = 1, kPreset = 2, kSpec = 3, kSimulator = 4, kCompiler = 5, kExecOverhead = 6, kCaptureOverhead = 7,
  kProgram = 8, kNeff = 9, kUuid = 10, kTickPs = 11, kEngine = 12, kInstructions = 13, kDmas = 14, kSimulated = 15,
};

// Byte 2 of a record: bits 0-2 engine; bit 3 throttled (instructions) or bits 3-6 queue (DMA).
inline constexpr int kEngineBits = 3, kQueueBits = 4;

constexpr size_t align16(size_t n) { return (n + 15) / 16 * 16; }

}  // namespace lanewise::trace::record::ntff_layout

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a real .ntff (docs/formats/ntff.md, "Real captures"), version 5:
//
//   0      128-byte header: version, size of the metadata
//   128    metadata, a protobuf message: pair id, versions, and for each core its instructions as the runtime loaded them,
//          its DMA rings, and where its records lie
//   ...    16-byte records, section after section as the metadata says
//
// Nothing official describes this format. What is known was read off captures; what is not stays countable and raw.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/instruction.h"

namespace lanewise::trace::ntff {

inline constexpr uint8_t kVersion = 5;
inline constexpr size_t kHeaderBytes = 128;
inline constexpr size_t kRecordBytes = 16;
inline constexpr size_t kInstructionBytes = 64;
inline constexpr size_t kPairIdBytes = 16;

// One notification of the chip.
struct Record {
  uint16_t id = 0;
  uint8_t flags = 0;
  uint8_t kind = 0;
  uint32_t payload = 0;
  uint64_t time = 0;        // ps since the chip started to count
};

// What a section's records come from, as the metadata numbers it.
enum class Unit : uint8_t { engine = 0, dma = 1, collective = 2 };
enum class Content : uint8_t { instructions = 0, semaphores = 1, errors = 2, dma = 4, throttle = 5 };

struct Section {
  Unit unit = Unit::engine;
  uint32_t content = 0;     // a Content, or a number that is not known
  uint64_t offset = 0;      // in the file
  uint64_t bytes = 0;       // whole records; what is left over is in Capture::skipped
};

// The instructions of one engine as they lay in device memory: the runtime's prologue, the program's body, the
// runtime's epilogue. Indexes count instructions of this image.
struct Image {
  isa::Engine engine = isa::Engine::sync;
  uint64_t address = 0;
  std::string_view bytes;   // of the file
  uint32_t body_begin = 0, body_end = 0;

  size_t size() const { return bytes.size() / kInstructionBytes; }
};

// One DMA ring: descriptors of one queue for one DMA engine, transfer by transfer.
struct Ring {
  uint32_t dma_engine = 0;  // of the chip
  uint32_t number = 0;      // of the queue on that engine
  std::string queue;        // "qSPIO0"
  struct Transfer {
    uint32_t id = 0;        // as the NEFF numbers the transfers of a queue
    uint32_t descriptors = 0;
  };
  std::vector<Transfer> transfers;   // in no order
};

struct Core {
  std::string subgraph;     // "sg00"
  uint32_t physical = 0;    // core of the chip
  std::vector<Image> images;
  std::vector<Section> sections;
  std::vector<Ring> rings;
};

struct Capture {
  std::string neff;         // file name the runtime loaded
  std::string pair_id;      // bytes of the id in the NEFF; cut at a zero byte, so at most 16 and perhaps fewer
  std::string instance_type;            // "trn2.3xlarge"
  std::string runtime_version, runtime_commit;
  uint64_t metadata_bytes = 0;
  uint64_t section_bytes = 0;           // of all sections together
  uint64_t skipped = 0;                 // bytes in no section
  std::vector<Core> cores;
  std::vector<std::string> sentences;   // damages, with byte offsets
  bool cut = false;                     // the file ends before its records do
};

// Reads header and metadata; views point into `bytes`. Sections that reach past the end are cut and said so.
// Errors: invalid_argument for what is no NTFF (a NEFF, our own captures, other bytes); unimplemented for another
// version; data_loss where header or metadata are cut or damaged.
Result<Capture> read_capture(std::string_view bytes);

// Record `index` of a section.
Record read_record(std::string_view bytes, const Section& section, uint64_t index);

}  // namespace lanewise::trace::ntff

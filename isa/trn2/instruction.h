// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One instruction of a real trn2 binary, as read. Nothing official describes these 64 bytes: docs/formats/neff.md has
// what was found, with the evidence. Decode only; our own programs have their own encoding (isa/codec.h).
//
// Every byte of an instruction is accounted for: known (its meaning and its value are understood), padding (zero, and no
// field of this opcode), or unknown. A field that is read by analogy, not proved on a file, is called inferred.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction.h"

namespace lanewise::isa::trn2 {

inline constexpr size_t kInstructionBytes = 64;

// The on-chip address space as instructions and DMA descriptors write it: SBUF partition p begins at p * 0x40000 (the
// step between partitions in DMA descriptors), PSUM follows the 128 partitions of SBUF.
inline constexpr uint32_t kSbufPartitionStep = 0x40000;
inline constexpr uint32_t kPsumBase = 128 * kSbufPartitionStep;
// PSUM partition to partition. Inferred: 16 KiB hold one partition; no known file starts a pattern at another one.
inline constexpr uint32_t kPsumPartitionStep = 0x4000;

enum class Evidence : uint8_t { observed, inferred };
enum class ByteUse : uint8_t { known, padding, unknown };
enum class Role : uint8_t { dst, src0, src1, stationary, moving };

struct Wait {
  uint8_t kind = 0;         // 0: none, 5: until at least `value`
  uint8_t semaphore = 0;
  uint32_t value = 0;
};
struct Update {
  uint8_t kind = 0;         // 0: none, 0x13: plus one
  uint8_t semaphore = 0;
};
inline constexpr uint8_t kWaitAtLeast = 0x05;
inline constexpr uint8_t kIncrement = 0x13;

struct Dim {
  int16_t step = 0;         // elements
  uint16_t count = 0;
};

// An access pattern on SBUF or PSUM. Dimensions as stored: innermost first.
struct Pattern {
  Role role = Role::dst;
  uint32_t address = 0;
  uint8_t rank = 0;
  std::array<Dim, 4> dims{};
  uint8_t dtype = 0;        // code, see dtype_row
  uint16_t partitions = 0;

  Space space() const;      // none: outside both memories
  int partition() const;    // first one
  uint32_t offset() const;  // bytes in the partition
  int64_t elements() const; // a partition; clamped to int64
};

struct OpcodeRow;

struct Instruction {
  uint8_t opcode = 0;
  const OpcodeRow* row = nullptr;   // null: an opcode that is not known
  std::array<uint8_t, kInstructionBytes> bytes{};
  std::array<ByteUse, kInstructionBytes> use{};
  Wait wait;
  Update update;
  std::vector<Pattern> patterns;
  uint8_t alu = 0;                  // code of TENSOR_TENSOR's operation
  uint8_t rows = 0, columns = 0;    // of the tensor engine's array
  uint8_t pass = 0;                 // f32 on the tensor engine; weights: 1 or 2, the pass
  bool transpose = false;
  uint8_t accumulate = 0;           // bit 0: first of a sum, bit 1: last
  std::string queue;                // DMA trigger
  uint32_t descriptor = 0;          // DMA trigger: id in the queue's list
  bool inferred = false;            // some field was read by analogy
  std::string not_understood;       // why it cannot be relied on, or empty: a sentence part, "opcode 0x43 is not known"

  const Pattern* pattern(Role role) const;
  int bytes_of(ByteUse which) const;
};

// `engine`: whose binary this stands in.
Instruction decode(const uint8_t* bytes, Engine engine);

// Of an opcode that is not known: the instruction read with the layout of a known one that fits, for display only.
// Empty when none fits or several do.
std::optional<Instruction> resembles(const Instruction& unknown, Engine engine);

// Operand as our instruction set has it: dimensions outermost first, ones dropped. Empty when dtype or address are not
// understood.
std::optional<Tile> tile(const Pattern& pattern);

// One line: opcode, operands, waits and updates.
std::string print(const Instruction& instruction);
std::string print(const Pattern& pattern);
std::string hex(const Instruction& instruction);   // 64 bytes in 16 groups

}  // namespace lanewise::isa::trn2

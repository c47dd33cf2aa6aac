// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One instruction of a real trn2 binary, as read: docs/formats/neff.md has what is known of these 64 bytes and from where.
// Decode only; our own programs have their own encoding (isa/codec.h).
//
// Every byte of an instruction is accounted for: known (its meaning and its value are understood), padding (zero, and no
// field of this opcode), or unknown. A field is observed (proved on a file), published (found in public descriptions of the
// vendor's headers, and seen in no file here) or inferred (read by analogy).
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

enum class Evidence : uint8_t { observed, published, inferred };
enum class ByteUse : uint8_t { known, padding, unknown };
enum class Role : uint8_t { dst, src0, src1, stationary, moving, predicate, scalar0, scalar1 };

struct Wait {
  uint8_t kind = 0;         // 0: none, 5: until at least `value`, 4: until greater
  uint8_t semaphore = 0;
  uint32_t value = 0;
};
struct Update {
  uint8_t kind = 0;         // 0: none, 0x13: plus one
  uint8_t semaphore = 0;
};
inline constexpr uint8_t kWaitGreater = 0x04, kWaitAtLeast = 0x05;
inline constexpr uint8_t kIncrement = 0x13;

// What the semaphore must reach; empty when the instruction waits for nothing, or in a way that is not understood.
std::optional<uint32_t> reaches(const Wait& wait);

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

// A value that comes with the instruction. A pointer is an on-chip address of one value a partition; it is a pattern as
// well, of role scalar0 or scalar1.
struct Immediate {
  enum class Source : uint8_t { none, value, pointer, register_pointer };
  Source source = Source::none;
  uint32_t bits = 0;        // value: an f32, of bit operations an integer
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
  uint8_t alu = 0, alu1 = 0;        // codes of the operation and of the second step
  uint8_t reverse = 0;              // bit 0: scalar0 op src0, bit 1: scalar1 op1 (first step)
  uint8_t reduced_dims = 0;         // of a reduction or pooling: innermost stored dimensions; 0: none
  bool negate = false;              // of a reduction: its results
  uint8_t pool = 0;                 // 1 maximum, 2 average: sum * scale
  float scale = 1;
  uint8_t function = 0;             // of ACTIVATE: code; of ACT_TABLE_LOAD: index of the table set
  uint8_t accumulator = 0;          // 0, 3: this instruction's own sum; others go on with the one before
  std::array<Immediate, 3> immediates;   // scalar0 (ACTIVATE: scale), scalar1 (bias), the function's parameter
  uint32_t fill = 0;                // of MEMSET: bits of the value
  int32_t base = 0, partition_step = 0;  // of IOTA
  std::array<Dim, 4> ramp{};        // of IOTA: added for each step of a dimension; innermost first
  uint8_t rows = 0, columns = 0;    // of the tensor engine's array
  uint8_t pass = 0;                 // f32 on the tensor engine; weights: 1 or 2, the pass
  bool transpose = false;
  uint8_t accumulate = 0;           // bit 0: first of a sum (overwrite), bit 1: last, bit 2: adds to what PSUM holds
  std::string queue;                // DMA trigger
  uint32_t descriptor = 0;          // DMA trigger: id in the queue's list
  bool inferred = false;            // some field was read by analogy
  bool published = false;           // some field is known from public descriptions only
  std::string not_understood;       // why it cannot be relied on, or empty: a sentence part, "opcode 0x43 is not known"

  const Pattern* pattern(Role role) const;
  int bytes_of(ByteUse which) const;
};

// `engine`: whose binary this stands in.
Instruction decode(const uint8_t* bytes, Engine engine);

// Operand as our instruction set has it: dimensions outermost first, ones dropped. Empty when dtype or address are not
// understood.
std::optional<Tile> tile(const Pattern& pattern);

// One line: opcode, operands, waits and updates.
std::string print(const Instruction& instruction);
std::string print(const Pattern& pattern);
std::string hex(const Instruction& instruction);   // 64 bytes in 16 groups

}  // namespace lanewise::isa::trn2

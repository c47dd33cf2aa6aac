// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes and overlaps of operands.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/device/profile.h"

namespace lanewise::trace::device_analysis {

// Bytes of one element by the public name of its type ("bfloat16" 2, "float8_e4m3" 1, "bool" 1): the first number in the
// name is its bits. 0: not known.
int64_t dtype_bytes(std::string_view dtype);

int64_t element_count(const device::Operand& operand);   // over all partitions
int64_t bytes_of(const device::Operand& operand);        // 0 when the type is not known
bool is_written(const device::Operand& operand);         // by its role: "dst", "dst2", ...

bool fills_psum(const device::Instruction& instruction);

// What an instruction reads and writes in a core's memories by its operands. A DMA trigger reads and writes nothing itself.
struct OnChipBytes {
  int64_t sbuf_read = 0, sbuf_written = 0, psum_read = 0, psum_written = 0;
};
OnChipBytes on_chip_bytes(const device::Instruction& instruction);

// The smallest box that holds the operand: partitions x bytes. Of HBM: bytes of the tensor, one partition.
struct Box {
  device::Space space = device::Space::none;
  std::string_view tensor;
  int32_t partition = 0, partition_end = 0;
  int64_t begin = 0, end = 0;

  bool overlaps(const Box& other) const {
    return space == other.space && tensor == other.tensor && partition < other.partition_end && other.partition < partition_end &&
           begin < other.end && other.begin < end;
  }
  bool operator==(const Box&) const = default;
  int64_t bytes() const { return (end - begin) * (partition_end - partition); }
};
// Of an operand in SBUF, PSUM or HBM; else a box that overlaps nothing. Views the operand's text.
Box box_of(const device::Operand& operand);

}  // namespace lanewise::trace::device_analysis

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// SBUF, PSUM and the bound device memory of one run, and operands resolved on them.
//
// Scratchpads are not cleared between programs, as on the chip: a program that reads what it did not write computes
// with whatever an earlier one left. The hazard checker names such reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "isa/program.h"
#include "machine/machine.h"
#include "sim/core/stream.h"
#include "sim/core/view.h"

namespace lanewise::sim::core {

struct HostBuffer {
  std::byte* data = nullptr;
  int64_t bytes = 0;
};

// A run-time parameter of the launch.
struct ParameterInput {
  bool integer = false;
  float f = 0;
  int64_t i = 0;
};

// One scratchpad: `partitions` rows of `bytes`, `pitch` apart on the host.
struct Scratchpad {
  std::byte* data = nullptr;
  int64_t partitions = 0;
  int64_t bytes = 0;
  int64_t pitch = 0;
};

struct Memory {
  Scratchpad sbuf, psum;
  std::span<const HostBuffer> buffers;
  std::span<const ParameterInput> parameters;
};

// Bytes of SBUF and PSUM per partition that a program can touch at most, loops included (not above the machine's).
struct Footprint {
  int64_t sbuf_bytes = 0;
  int64_t psum_bytes = 0;
};
Footprint footprint(const isa::Program& program, const machine::Machine& machine);

// Zeroed backing of both scratchpads for one run at a time on this thread; kept for the thread's next run.
void attach_scratchpads(const Footprint& footprint, const machine::Machine& machine, Memory* memory);

// Lowest and one past the highest byte of a pattern, counted from the address register's zero.
struct ByteRange {
  int64_t begin = 0, end = 0;
};
ByteRange free_range(const isa::Tile& tile);      // within a partition
ByteRange buffer_range(const isa::Hbm& pattern);  // without row_index

// Errors: out_of_range when the tile leaves its scratchpad or the pattern its buffer.
Status resolve(const Memory& memory, const isa::Tile& tile, const Registers& registers, View* view);
Status resolve(const Memory& memory, const isa::Hbm& pattern, const Registers& registers, View* view);

// What a Scalar stands for: one number, or one per partition.
struct ScalarInput {
  bool present = false;
  bool integer = false;
  bool per_partition = false;
  float f = 0;
  int64_t i = 0;
  View tile;      // per_partition
};
Status resolve(const Memory& memory, const isa::Scalar& scalar, const Registers& registers, ScalarInput* input);

}  // namespace lanewise::sim::core

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bytes an instruction touches, for ordering. Regions are SBUF, PSUM, and one a group of device-memory buffers
// that may share memory.
//
// SBUF and PSUM: byte range within a partition, and partition range. Device memory: in 64 equal parts of a buffer (64
// for the whole group when buffers alias at unknown offsets), since the strided patterns of different tiles interleave;
// accesses of one stage never conflict there (Linear::order). Buffers that no stage writes are left out.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/stage/stage.h"
#include "isa/instruction.h"

namespace lanewise::compiler::emit {

struct ByteAccess {
  int32_t region = 0;
  int64_t begin = 0, end = 0;
  bool write = false;
  uint16_t first_partition = 0, last_partition = 0;
  int32_t order = -1;               // stage order number; -1 in SBUF and PSUM, where all accesses count
};

class AccessLister {
 public:
  explicit AccessLister(const std::vector<stage::Buffer>& buffers);

  int32_t regions() const { return 2 + static_cast<int32_t>(buffers_.size()); }
  // Reads first. The result is good until the next call.
  const std::vector<ByteAccess>& list(const isa::Instruction& instruction, int32_t order);

 private:
  void tile(const isa::Tile& tile, bool write);
  void hbm(const isa::Hbm& hbm, bool write, int32_t order);

  const std::vector<stage::Buffer>& buffers_;
  std::vector<bool> written_;       // by alias group
  std::vector<int> members_;        // by alias group
  std::vector<ByteAccess> list_;
};

}  // namespace lanewise::compiler::emit

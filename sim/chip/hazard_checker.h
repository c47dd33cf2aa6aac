// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The hazard checker: every byte of SBUF, PSUM and HBM that two agents touch, one of them writing, must be ordered by a
// queue or a semaphore. It also names SBUF and PSUM bytes that are read without having been written in this program.
//
// Exact for direct accesses. Rows of an indexed DMA are exact when the checker runs beside the values (it then reads the
// index), and are left out of the static check, where they are not known. Buffers that the program never writes need no
// checking. Buffers bound to overlapping memory are checked as one.
#pragma once

#include <span>
#include <vector>

#include "sim/chip/execution.h"
#include "sim/core/shadow.h"

namespace lanewise::sim {

class HazardChecker final : public Executor {
 public:
  // `memory` (may be null: static check) must be what the program runs on.
  HazardChecker(const isa::Program& program, const core::Memory* memory);

  // Error failed_precondition: a hazard, with both instructions and the address range.
  Status execute(isa::Engine engine, const core::StreamCursor& at) override;

 private:
  struct Region {            // of HBM: one or more buffers that share memory
    int shadow = -1;         // index in hbm_, -1: never written, not checked
    int64_t base = 0;        // of the buffer in the region
  };

  void find_regions(const core::Memory* memory);
  Status touch(const isa::Tile& tile, bool write, const core::Registers& registers);
  Status touch(const isa::Hbm& pattern, bool write, const core::Registers& registers);
  Status touch_all(const isa::Instruction& in, const core::Registers& registers);
  Status report(const core::Conflict& conflict, bool write, const std::string& space) const;

  const isa::Program& program_;
  const core::Memory* memory_;
  core::HappensBefore order_;
  core::Shadow sbuf_, psum_;
  std::vector<core::Shadow> hbm_;
  std::vector<Region> regions_;   // by buffer
  core::Access now_;              // of the instruction being executed
};

}  // namespace lanewise::sim

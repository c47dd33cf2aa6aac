// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The linear instruction list that stages are emitted into, and the chip resources they share.
//
// Stages write instructions in one sequential order, as if one machine ran them one by one; `insert_semaphores` then
// makes the engines run them at once without changing what is computed. So an emitter only decides the order, the
// engine and the place of every instruction, and never thinks of another engine.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "compiler/ir/module.h"
#include "isa/program.h"
#include "machine/machine.h"

namespace lanewise::compiler::emit {

struct Linear {
  std::deque<isa::Instruction> code;   // large objects: never moved
  // By instruction: stage order number. Device-memory accesses of one number never conflict: a stage's stores touch
  // disjoint elements, and what it reads of a buffer it writes is ordered through SBUF.
  std::vector<int32_t> order;
};

class Writer {
 public:
  Writer(const ir::Module& module, const machine::Machine& machine, isa::Program& program);

  void begin_stage(int32_t order, isa::Engine store_engine);

  // Appends; the debug entry is that of the IR op.
  void add(isa::Instruction instruction, int32_t ir_op);
  // DMA triggers on the engine and queue for this direction. Loads are triggered by Sync, which does nothing else and
  // so runs ahead; stores by the stage's store engine, so that a store that waits never holds up a load.
  void load(const isa::Tile& dst, const isa::Hbm& src, int32_t ir_op);
  void store(const isa::Hbm& dst, const isa::Tile& src, int32_t ir_op);
  // From device memory to device memory, on the store engine.
  void copy(const isa::Hbm& dst, const isa::Hbm& src, int32_t ir_op);

  // A region of SBUF for one stage, bytes per partition. Regions follow each other round and round, so that a stage can
  // start while the one before still runs.
  uint32_t reserve_sbuf(int64_t bytes);
  // Byte offset of the next PSUM bank in turn for what goes through PSUM shortly (transposes). `keep` banks from 0 on
  // belong to the stage.
  uint32_t next_psum_bank();
  void keep_psum_banks(uint32_t keep) { kept_banks_ = keep; }

  const machine::Machine& machine() const { return machine_; }
  int64_t sbuf_bytes() const { return machine_.memory.sbuf_partition_bytes; }
  Linear& linear() { return linear_; }
  // By entry of the debug map: its IR op; -1 of entry 0.
  const std::vector<int32_t>& debug_ops() const { return debug_ops_; }

 private:
  uint32_t debug_entry(int32_t ir_op);

  const ir::Module& module_;
  const machine::Machine& machine_;
  isa::Program& program_;
  Linear linear_;
  std::vector<uint32_t> debug_;      // by IR op
  std::vector<int32_t> debug_ops_{-1};
  int32_t order_ = 0;
  isa::Engine store_engine_ = isa::Engine::gpsimd;
  uint32_t loads_ = 0, stores_ = 0, bank_ = 0, kept_banks_ = 0;
  int64_t next_sbuf_ = 0;
};

}  // namespace lanewise::compiler::emit

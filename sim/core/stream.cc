// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/stream.h"

#include <string>

namespace lanewise::sim::core {

Result<LoopMap> map_loops(const std::vector<isa::Instruction>& stream) {
  LoopMap map;
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < stream.size(); ++i) {
    const isa::Instruction& in = stream[i];
    if (in.wait.semaphore >= isa::kSemaphores || in.update.semaphore >= isa::kSemaphores)
      return invalid_argument("instruction " + std::to_string(i) + " names a semaphore above " +
                              std::to_string(isa::kSemaphores - 1));
    if (in.op == isa::Opcode::loop_begin) {
      if (in.loop_register < 0 || in.loop_step <= 0)
        return invalid_argument("loop_begin at instruction " + std::to_string(i) +
                                " needs a register and a step above zero");
      if (!map.has_loops) {
        map.has_loops = true;
        map.partner.resize(stream.size());
      }
      open.push_back(i);
    } else if (in.op == isa::Opcode::loop_end) {
      if (open.empty()) return invalid_argument("loop_end at instruction " + std::to_string(i) + " closes no loop");
      map.partner[i] = open.back();
      map.partner[open.back()] = i;
      open.pop_back();
    }
  }
  if (!open.empty())
    return invalid_argument("the loop at instruction " + std::to_string(open.back()) + " is never closed");
  return map;
}

StreamCursor::StreamCursor(const std::vector<isa::Instruction>& stream, const LoopMap& loops)
    : stream_(&stream), loops_(&loops) {
  if (loops.has_loops) runs_.resize(stream.size());
}

void StreamCursor::advance() {
  if (!loops_->has_loops) {
    ++at_;
    // An instruction is many cache lines long and is read once.
    if (at_ + 1 < stream_->size()) {
      const char* next = reinterpret_cast<const char*>(&(*stream_)[at_ + 1]);
      for (size_t line = 0; line < sizeof(isa::Instruction); line += 64) __builtin_prefetch(next + line);
    }
    return;
  }
  const isa::Instruction& in = instruction();
  ++runs_[at_];
  if (in.op == isa::Opcode::loop_begin) {
    registers_[in.loop_register] = 0;
    at_ = in.loop_end > 0 ? at_ + 1 : loops_->partner[at_] + 1;
  } else if (in.op == isa::Opcode::loop_end) {
    const uint32_t begin = loops_->partner[at_];
    const isa::Instruction& head = (*stream_)[begin];
    registers_[head.loop_register] += head.loop_step;
    at_ = registers_[head.loop_register] < head.loop_end ? begin + 1 : at_ + 1;
  } else {
    ++at_;
  }
}

}  // namespace lanewise::sim::core

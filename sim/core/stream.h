// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One engine's instruction stream with its hardware loops and address registers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "isa/instruction.h"

namespace lanewise::sim::core {

inline constexpr int kRegisters = 128;   // what an int8_t can name; the verifier is stricter
using Registers = std::array<int64_t, kRegisters>;

// Where every loop of a stream begins and ends. Errors (invalid_argument): a loop that is not closed, an end without a
// beginning, a semaphore number that a core does not have.
struct LoopMap {
  bool has_loops = false;
  std::vector<uint32_t> partner;   // by instruction: the other end of its loop; empty without loops
};
Result<LoopMap> map_loops(const std::vector<isa::Instruction>& stream);

// Position in a stream. The stream and the map must outlive it.
class StreamCursor {
 public:
  StreamCursor(const std::vector<isa::Instruction>& stream, const LoopMap& loops);

  bool done() const { return at_ >= stream_->size(); }
  const isa::Instruction& instruction() const { return (*stream_)[at_]; }
  uint32_t index() const { return at_; }
  uint32_t iteration() const { return loops_->has_loops ? runs_[at_] : 0; }
  const Registers& registers() const { return registers_; }

  // Past the present instruction; loop_begin and loop_end take effect here.
  void advance();

 private:
  const std::vector<isa::Instruction>* stream_;
  const LoopMap* loops_;
  uint32_t at_ = 0;
  Registers registers_{};
  std::vector<uint32_t> runs_;
};

}  // namespace lanewise::sim::core

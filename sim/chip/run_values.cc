// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <optional>
#include <string>

#include "isa/table.h"
#include "sim/chip/chip.h"
#include "sim/chip/execution.h"
#include "sim/chip/hazard_checker.h"
#include "sim/core/float_mode.h"
#include "sim/unit/dma/values.h"
#include "sim/unit/gpsimd/values.h"
#include "sim/unit/pe/values.h"
#include "sim/unit/scalar/values.h"
#include "sim/unit/vector/values.h"

namespace lanewise::sim {
namespace {

bool control_only(isa::Opcode op) {
  return op == isa::Opcode::semaphore_wait || op == isa::Opcode::semaphore_increment || op == isa::Opcode::loop_begin ||
         op == isa::Opcode::loop_end || op == isa::Opcode::load_table;
}

class ValueExecutor final : public Executor {
 public:
  // `checker` sees each instruction first; may be null.
  ValueExecutor(const core::Memory& memory, HazardChecker* checker) : memory_(memory), checker_(checker) {}

  Status execute(isa::Engine engine, const core::StreamCursor& at) override {
    if (checker_ != nullptr) LW_RETURN_IF_ERROR(checker_->execute(engine, at));
    const isa::Instruction& in = at.instruction();
    if (control_only(in.op)) return ok_status();
    if (in.op == isa::Opcode::dma_copy) return dma::run(memory_, in, at.registers());
    const core::Work work{memory_, in, at.registers()};
    switch (engine) {
      case isa::Engine::pe: return pe::run(work, &held_);
      case isa::Engine::vector: return vector::run(work);
      case isa::Engine::scalar: return scalar::run(work);
      case isa::Engine::gpsimd: return gpsimd::run(work);
      case isa::Engine::sync: break;
    }
    return unimplemented("the Sync engine has no datapath");
  }

 private:
  const core::Memory& memory_;
  HazardChecker* checker_;
  pe::Stationary held_;
};

}  // namespace

Status run_values(const isa::Program& program, const machine::Machine& machine, std::span<const Binding> buffers,
                  std::span<const ParameterValue> parameters, const RunOptions& options) {
  LW_ASSIGN_OR_RETURN(const Launch launch, bind_launch(program, buffers, parameters));
  core::Memory memory;
  memory.buffers = launch.buffers;
  memory.parameters = launch.parameters;
  core::attach_scratchpads(core::footprint(program, machine), machine, &memory);
  const core::DefaultFloatMode float_mode;
  std::optional<HazardChecker> checker;
  if (options.check_hazards) checker.emplace(program, &memory);
  ValueExecutor executor(memory, checker ? &*checker : nullptr);
  return execute_program(program, executor, std::numeric_limits<int64_t>::max());
}

}  // namespace lanewise::sim

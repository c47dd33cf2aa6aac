// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule_module.h"

#include "compiler/emit/emit.h"
#include "compiler/pass/prepare.h"
#include "compiler/stage/collapse.h"
#include "compiler/stage/find_copy.h"
#include "compiler/stage/partition.h"
#include "compiler/stage/place.h"

namespace lanewise::compiler {

namespace {

struct Preparation {
  std::string_view name;
  Status (*run)(ir::Module&);
};
constexpr Preparation kPreparations[] = {
    {"store_once", pass::store_once},
    {"split_reductions", pass::split_reductions},    // before: its second step is often a sum of columns
    {"sum_columns_on_pe", pass::sum_columns_on_pe},
};

}  // namespace

Result<isa::Program> schedule_module(const ir::Module& canonical, const machine::Machine& machine, const CompileOptions& options) {
  ir::Module module = canonical;
  for (const Preparation& pass : kPreparations) {
    LW_RETURN_IF_ERROR(pass.run(module));
    if (options.dump) options.dump(pass.name, ir::print_text(module));
  }
  if (Status verified = ir::verify(module); !verified.ok()) return internal_error(verified.message());
  if (options.graph_ir) *options.graph_ir = ir::print_text(module);
  const auto dump = [&](std::string_view pass, const stage::Schedule& schedule) {
    if (options.dump) options.dump(pass, stage::print_text(schedule));
  };
  stage::Schedule schedule = stage::partition(module);
  dump("partition", schedule);
  for (stage::Stage& s : schedule.stages) {
    stage::collapse_atoms(s);
    stage::find_copy(s);
  }
  dump("collapse_atoms", schedule);
  std::vector<stage::Stage> placed;
  for (stage::Stage& s : schedule.stages)
    for (stage::Stage& part : stage::place_atoms(std::move(s), machine)) placed.push_back(std::move(part));
  schedule.stages = std::move(placed);
  dump("place_atoms", schedule);
  LW_ASSIGN_OR_RETURN(isa::Program program, emit::emit_program(module, schedule, machine));
  program.name = options.name;
  const isa::VerifyLimits limits{machine.memory.sbuf_partition_bytes, machine.memory.psum_banks * machine.memory.psum_bank_bytes};
  if (Status verified = isa::verify(program, limits); !verified.ok())
    return internal_error("the compiler made a program that breaks a rule of the machine: " + verified.message());
  return program;
}

}  // namespace lanewise::compiler

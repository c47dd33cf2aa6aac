// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule_module.h"

#include <algorithm>

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

// Which node of the graph each op belongs to. What has none of its own (an input, a number) belongs to the first node that reads it: it
// is brought in for that one, and the others find it there.
std::vector<int32_t> nodes_of(const ir::Module& module, const std::vector<int32_t>& ops) {
  std::vector<int32_t> node(module.ops.size());
  for (size_t i = 0; i < node.size(); ++i) node[i] = module.ops[i].aten_node;
  // Readers come later, so a walk from the end has them settled; the earliest reader is the last that writes.
  for (size_t i = module.ops.size(); i-- > 0;) {
    if (node[i] < 0) continue;
    for (const int32_t operand : module.ops[i].operands) {
      if (module.ops[operand].aten_node < 0) node[operand] = node[operand] < 0 ? node[i] : std::min(node[operand], node[i]);
    }
  }
  std::vector<int32_t> found;
  for (const int32_t op : ops) found.push_back(op < 0 ? -1 : node[static_cast<size_t>(op)]);
  return found;
}

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
  std::vector<int32_t> debug_ops;
  LW_ASSIGN_OR_RETURN(isa::Program program, emit::emit_program(module, schedule, machine, &debug_ops));
  if (options.debug_nodes) *options.debug_nodes = nodes_of(module, debug_ops);
  program.name = options.name;
  const isa::VerifyLimits limits{machine.memory.sbuf_partition_bytes, machine.memory.psum_banks * machine.memory.psum_bank_bytes};
  if (Status verified = isa::verify(program, limits); !verified.ok())
    return internal_error("the compiler made a program that breaks a rule of the machine: " + verified.message());
  return program;
}

}  // namespace lanewise::compiler

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/emit.h"

#include "compiler/emit/copy_stage.h"
#include "compiler/emit/gather_stage.h"
#include "compiler/emit/matmul_stage.h"
#include "compiler/emit/reorder.h"
#include "compiler/emit/sync.h"
#include "compiler/emit/tile_stage.h"
#include "compiler/emit/writer.h"

namespace lanewise::compiler::emit {

Result<isa::Program> emit_program(const ir::Module& module, const stage::Schedule& schedule, const machine::Machine& machine,
                                  std::vector<int32_t>* debug_ops) {
  isa::Program program;
  program.machine = machine.name;
  for (const stage::Buffer& b : schedule.buffers) {
    isa::Buffer buffer;
    switch (b.kind) {
      case stage::Buffer::Kind::input: buffer.kind = isa::Buffer::Kind::input; break;
      case stage::Buffer::Kind::output: buffer.kind = isa::Buffer::Kind::output; break;
      case stage::Buffer::Kind::scratch: buffer.kind = isa::Buffer::Kind::scratch; break;
    }
    buffer.name = b.name;
    buffer.bytes = b.bytes;
    program.buffers.push_back(std::move(buffer));
  }
  for (size_t i = 0; i < module.parameters.size(); ++i) program.parameters.push_back({"$" + std::to_string(i), module.parameters[i]});
  Writer writer(module, machine, program);
  for (const stage::Stage& s : schedule.stages) {
    if (s.kind == stage::Stage::Kind::copy) {
      emit_copy_stage(s, writer);
    } else if (s.kind == stage::Stage::Kind::gather) {
      LW_RETURN_IF_ERROR(emit_gather_stage(s, writer));
    } else if (s.has_matmul()) {
      LW_RETURN_IF_ERROR(emit_matmul_stage(s, writer));
    } else {
      emit_tile_stage(s, writer);
    }
  }
  const std::vector<int32_t> order = reorder(writer.linear(), schedule.buffers, machine);
  insert_semaphores(std::move(writer.linear()), order, schedule.buffers, program);
  *debug_ops = writer.debug_ops();
  return program;
}

}  // namespace lanewise::compiler::emit

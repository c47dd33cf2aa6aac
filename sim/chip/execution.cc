// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/chip/execution.h"

#include <string>

#include "isa/table.h"
#include "sim/core/semaphores.h"

namespace lanewise::sim {

Status execute_program(const isa::Program& program, Executor& executor, int64_t turn) {
  std::array<core::LoopMap, isa::kEngineCount> loops;
  std::vector<core::StreamCursor> cursors;
  for (int e = 0; e < isa::kEngineCount; ++e) {
    auto map = core::map_loops(program.streams[e]);
    if (!map.ok()) return map.status().with_context(isa::engine_name(static_cast<isa::Engine>(e)));
    loops[e] = std::move(map).value();
    cursors.emplace_back(program.streams[e], loops[e]);
  }
  core::Semaphores semaphores;
  for (bool running = true; running;) {
    running = false;
    for (int e = 0; e < isa::kEngineCount; ++e) {
      core::StreamCursor& at = cursors[e];
      for (int64_t n = 0; n < turn && !at.done() && semaphores.satisfied(at.instruction().wait); ++n) {
        const isa::Instruction& in = at.instruction();
        if (Status s = executor.execute(static_cast<isa::Engine>(e), at); !s.ok())
          return s.with_context(std::string(isa::engine_name(static_cast<isa::Engine>(e))) + " instruction " +
                                std::to_string(at.index()) + " (" + isa::print_text(in) + ")");
        semaphores.apply(in.update);
        at.advance();
        running = true;
      }
    }
  }
  std::array<core::Waiter, isa::kEngineCount> waiting;
  int count = 0;
  for (int e = 0; e < isa::kEngineCount; ++e)
    if (!cursors[e].done()) {
      const isa::Instruction& in = cursors[e].instruction();
      waiting[count++] = {static_cast<isa::Engine>(e), cursors[e].index(), &in, semaphores.value(in.wait.semaphore)};
    }
  return count == 0 ? ok_status() : core::deadlock(waiting.data(), count);
}

Result<Launch> bind_launch(const isa::Program& program, std::span<const Binding> buffers,
                           std::span<const ParameterValue> parameters) {
  Launch launch;
  if (buffers.size() < program.buffers.size())
    return invalid_argument("the program has " + std::to_string(program.buffers.size()) + " buffers, " +
                            std::to_string(buffers.size()) + " are bound");
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const isa::Buffer& declared = program.buffers[i];
    if (buffers[i].data == nullptr && declared.bytes > 0)
      return invalid_argument("buffer " + std::to_string(i) + " (" + declared.name + ") is not bound");
    if (buffers[i].bytes < declared.bytes)
      return invalid_argument("buffer " + std::to_string(i) + " (" + declared.name + ") needs " +
                              std::to_string(declared.bytes) + " bytes, " + std::to_string(buffers[i].bytes) +
                              " are bound");
    launch.buffers.push_back({buffers[i].data, declared.bytes});
  }
  if (parameters.size() < program.parameters.size())
    return invalid_argument("the program has " + std::to_string(program.parameters.size()) + " parameters, " +
                            std::to_string(parameters.size()) + " are passed");
  for (size_t i = 0; i < program.parameters.size(); ++i)
    launch.parameters.push_back({program.parameters[i].dtype != isa::DType::f32, static_cast<float>(parameters[i].f),
                                 parameters[i].i});
  return launch;
}

}  // namespace lanewise::sim

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "isa/rules.h"
#include "isa/table.h"

namespace lanewise::isa {
namespace {

Status refused(const std::string& where, const std::string& rule) { return invalid_argument(where + ": " + rule); }

Status verify_tables(const Program& p) {
  for (char c : p.name)
    if (c < 0x20 || c > 0x7e) return refused("program", "its name must be printable ASCII");
  if (p.semaphores_used < 0 || p.semaphores_used > kSemaphores)
    return refused("program", "uses " + std::to_string(p.semaphores_used) + " semaphores; a core has " +
                                  std::to_string(kSemaphores));
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    const Buffer& b = p.buffers[i];
    const std::string where = "buffer " + std::to_string(i);
    if (b.bytes < 0) return refused(where, "a negative size");
    const auto held = static_cast<int64_t>(b.data.size());
    if (b.kind == Buffer::Kind::constant && held != b.bytes)
      return refused(where, "a constant of " + std::to_string(b.bytes) + " bytes with " + std::to_string(held) +
                                " bytes of data");
    if (b.kind != Buffer::Kind::constant && held != 0) return refused(where, "only constants carry data");
  }
  for (size_t i = 0; i < p.parameters.size(); ++i)
    if (p.parameters[i].dtype != DType::f32 && p.parameters[i].dtype != DType::i64)
      return refused("parameter " + std::to_string(i), "must be f32 or i64");
  if (p.debug.empty() || p.debug[0] != DebugEntry{}) return refused("debug map", "entry 0 must be the empty one");
  return ok_status();
}

Status verify_stream(const Program& p, const VerifyLimits& limits, Engine engine) {
  RuleContext context{p, limits, {}, {}};
  context.last_value.fill(-1);
  context.step.fill(-1);
  struct OpenLoop {
    size_t at;
    int8_t loop_register;
  };
  std::vector<OpenLoop> open;
  const auto& stream = p.streams[static_cast<size_t>(engine)];
  const auto where = [&](size_t at) {
    return std::string(engine_name(engine)) + " instruction " + std::to_string(at) + " (" +
           std::string(opcode_name(stream[at].op)) + ")";
  };
  for (size_t at = 0; at < stream.size(); ++at) {
    const Instruction& i = stream[at];
    if (i.engine != engine)
      return refused(where(at), "belongs to engine " + std::string(engine_name(i.engine)) + " but sits in this stream");
    if (Broken b = check_instruction(context, i); !b.empty()) return refused(where(at), b);
    if (i.op == Opcode::loop_begin) {
      int64_t& last = context.last_value[static_cast<size_t>(i.loop_register)];
      if (last >= 0)
        return refused(where(at), "loop register " + std::to_string(i.loop_register) + " is in use by an outer loop");
      last = (i.loop_end - 1) / i.loop_step * static_cast<int64_t>(i.loop_step);
      context.step[static_cast<size_t>(i.loop_register)] = i.loop_step;
      open.push_back({at, i.loop_register});
    } else if (i.op == Opcode::loop_end) {
      if (open.empty()) return refused(where(at), "ends no loop");
      context.last_value[static_cast<size_t>(open.back().loop_register)] = -1;
      open.pop_back();
    }
  }
  if (!open.empty()) return refused(where(open.back().at), "this loop is never closed");
  return ok_status();
}

}  // namespace

Status verify(const Program& program, const VerifyLimits& limits) {
  LW_RETURN_IF_ERROR(verify_tables(program));
  for (int e = 0; e < kEngineCount; ++e) LW_RETURN_IF_ERROR(verify_stream(program, limits, static_cast<Engine>(e)));
  return ok_status();
}

}  // namespace lanewise::isa

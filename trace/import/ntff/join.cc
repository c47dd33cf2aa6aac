// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/ntff/join.h"

#include <cstdlib>
#include <string>

#include "isa/table.h"
#include "trace/record/little_endian.h"

namespace lanewise::trace::ntff {
namespace {

using device::kNone;
using device::Program;

// Bytes 4 to 11 of every instruction (docs/formats/neff.md): what it waits for and what it updates.
constexpr uint8_t kWaitGreater = 0x04, kWaitAtLeast = 0x05;

uint16_t program_core(const Core& core, size_t position) {
  if (core.subgraph.size() > 2 && core.subgraph.starts_with("sg"))
    return static_cast<uint16_t>(std::strtoul(core.subgraph.c_str() + 2, nullptr, 10));
  return static_cast<uint16_t>(position);
}

// The runtime leaves out what only starts an engine, at the head of its binary, when it loads it.
std::vector<uint32_t> loaded(std::vector<uint32_t> all, const Program& program, size_t body) {
  size_t drop = 0;
  while (all.size() - drop > body && program.instructions[all[drop]].setup) ++drop;
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(drop));
  return all;
}

Status same_waits(const CoreJoin::Stream& stream, const Program& program, const std::string& where) {
  for (size_t n = 0; n < stream.program.size(); ++n) {
    const device::Instruction& in = program.instructions[stream.program[n]];
    const std::string_view bytes =
        stream.image->bytes.substr((stream.image->body_begin + n) * kInstructionBytes, kInstructionBytes);
    const auto kind = static_cast<uint8_t>(bytes[4]);
    const bool waits = kind == kWaitAtLeast || kind == kWaitGreater;
    const int semaphore = static_cast<uint8_t>(bytes[5]);
    const uint32_t value = record::load_le<uint32_t>(bytes, 8) + (kind == kWaitGreater ? 1 : 0);
    if (waits == !in.waits.empty() &&
        (!waits || (in.waits[0].number == semaphore && in.waits[0].value == value)))
      continue;
    const auto text = [](bool any, int number, uint32_t v) {
      return any ? "semaphore " + std::to_string(number) + " >= " + std::to_string(v) : std::string("nothing");
    };
    return invalid_argument("NEFF and NTFF do not belong together: instruction " + std::to_string(in.index) + " of " +
                            where + " waits for " +
                            text(!in.waits.empty(), in.waits.empty() ? 0 : in.waits[0].number,
                                 in.waits.empty() ? 0 : in.waits[0].value) +
                            " in the NEFF and for " + text(waits, semaphore, value) + " in the capture");
  }
  return ok_status();
}

}  // namespace

Result<CoreJoin> join_core(const Core& core, size_t position, const Program& program) {
  CoreJoin join;
  join.core = program_core(core, position);
  std::array<std::vector<uint32_t>, isa::kEngineCount> streams;
  for (uint32_t i = 0; i < program.instructions.size(); ++i)
    if (program.instructions[i].core == join.core)
      streams[static_cast<size_t>(program.instructions[i].engine)].push_back(i);
  for (const Image& image : core.images) {
    CoreJoin::Stream& stream = join.streams[static_cast<size_t>(image.engine)];
    stream.image = &image;
    if (program.instructions.empty()) continue;
    const size_t body = image.body_end - image.body_begin;
    stream.program = loaded(streams[static_cast<size_t>(image.engine)], program, body);
    const std::string where = std::string(isa::engine_name(image.engine)) + " of " + core.subgraph;
    if (stream.program.size() != body)
      return invalid_argument("NEFF and NTFF do not belong together: " + where + " has " +
                              std::to_string(stream.program.size()) + " instructions in the NEFF and " +
                              std::to_string(body) + " in the capture");
    LW_RETURN_IF_ERROR(same_waits(stream, program, where));
  }
  for (uint32_t q = 0; q < program.queues.size(); ++q)
    if (program.queues[q].core == join.core) join.queues[program.queues[q].name].index = q;
  // A queue's transfers are numbered as the NEFF lists them.
  for (uint32_t d = 0; d < program.descriptors.size(); ++d) {
    const device::DmaDescriptor& descriptor = program.descriptors[d];
    if (descriptor.core != join.core || descriptor.queue == kNone || descriptor.trigger == kNone) continue;
    CoreJoin::Queue& queue = join.queues[program.queues[descriptor.queue].name];
    const auto id = static_cast<uint32_t>(queue.id_of_trigger.size());
    const auto [entry, fresh] = queue.id_of_trigger.try_emplace(descriptor.trigger, id);
    if (fresh) queue.descriptor_of_id.emplace(id, d);
    queue.bytes_of_id[entry->second] += descriptor.bytes;
  }
  return join;
}

}  // namespace lanewise::trace::ntff

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/launch_line.h"

#include <string>

#include "trace/analysis/asked.h"
#include "trace/analysis/python_frames.h"

namespace lanewise::trace::device_analysis {
namespace {

using analysis::kNoRow;
using schema::Row;

// "Linear" of "Net_0/Linear_3".
std::string class_of(const std::string& path) {
  const std::string last = path.substr(path.rfind('/') + 1);
  const size_t end = last.find_last_not_of("0123456789");
  return end != last.npos && end + 1 < last.size() && last[end] == '_' ? last.substr(0, end) : last;
}

}  // namespace

void add_launch_line(const analysis::Model& model, schema::EventId execution, device::DeviceProfile* profile) {
  device::Program& program = profile->program;
  if (!program.sources.empty() || execution.part >= model.session().files().size()) return;
  const auto* launched = model.file(execution.part).links.device_event(execution.ordinal);
  if (launched == nullptr || (!launched->op && !launched->call)) return;
  const Row asker = launched->op ? launched->op.row : launched->call.row;
  const auto& nesting = model.file(execution.part).nesting;
  const auto& events = model.events(execution.part);
  device::Source source;
  source.op = model.name(execution.part, asker);
  source.module = analysis::module_path(model, execution.part, asker);
  source.module_class = class_of(source.module);
  // A backward operator has the line of its forward operator, which no frame around it is.
  const analysis::PythonLine own = analysis::AskerFinder(model).of_event(execution.part, *launched).line;
  bool around = false;
  for (Row row = asker; own && row != kNoRow; row = nesting.parent[row]) around |= row == own.row;
  for (Row row = around || !own ? asker : own.row; row != kNoRow; row = nesting.parent[row]) {
    if (events.role_of(row) != schema::Role::python) continue;
    const auto line = analysis::parse_frame(model.name(execution.part, row));
    if (!line) continue;
    if (own && row == own.row) source.own = static_cast<uint32_t>(source.stack.size());
    source.stack.push_back(static_cast<uint32_t>(program.frames.size()));
    program.frames.push_back({std::string(line->file), std::string(line->function), static_cast<int32_t>(line->line)});
  }
  if (source.stack.empty() && source.module.empty()) return;
  program.sources.push_back(std::move(source));
  for (device::Instruction& in : program.instructions) in.source = 0;
  profile->source_note.clear();
}

}  // namespace lanewise::trace::device_analysis

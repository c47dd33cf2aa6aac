// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/asked.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace lanewise::trace::analysis {
namespace {

using schema::Role;
using schema::Row;

// Folders whose functions stand between the user's line and the device, as the profiler shortens paths.
constexpr auto kOwnFolders = std::to_array<std::string_view>(
    {"torch/", "lanewise/neuron/", "lanewise/dynamo_backend/", "lanewise/profiling/", "torch_neuronx/", "<frozen ", "threading.py", "contextlib.py"});
constexpr auto kOwnParts = std::to_array<std::string_view>({"/site-packages/torch/", "/dist-packages/torch/", "torchinductor_"});

bool is_own_file(std::string_view file) {
  for (const std::string_view folder : kOwnFolders) {
    if (file.starts_with(folder)) return true;
  }
  for (const std::string_view part : kOwnParts) {
    if (file.find(part) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::optional<PythonLine> parse_frame(std::string_view name) {
  // The last "(digits): " splits place and function; a path may hold brackets itself.
  const size_t end = name.rfind("): ");
  if (end == std::string_view::npos) return std::nullopt;
  const size_t begin = name.rfind('(', end);
  if (begin == std::string_view::npos || begin == 0 || begin + 1 == end) return std::nullopt;
  PythonLine line;
  const char *first = name.data() + begin + 1, *last = name.data() + end;
  const auto [at, error] = std::from_chars(first, last, line.line);
  if (error != std::errc() || at != last) return std::nullopt;
  line.file = name.substr(0, begin);
  line.function = name.substr(end + 3);
  return line;
}

bool is_copy_op(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>({"aten::to", "aten::_to_copy", "aten::copy_", "aten::_copy_from", "aten::_copy_from_and_resize",
                                                           "aten::item", "aten::_local_scalar_dense", "aten::clone", "aten::contiguous",
                                                           "aten::lift_fresh", "aten::pin_memory", "aten::_pin_memory", "aten::cpu", "aten::cuda"});
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

AskerFinder::Class AskerFinder::class_of(store::StringId name, Role role) {
  if (name == store::kNoString) return kOtherName;
  uint8_t& known = classes_[name];
  if (known == kUnknown) {
    const std::string_view text = model_.session().text(name);
    if (role == Role::python) {
      const auto frame = parse_frame(text);
      known = !frame ? kNoFrame : is_own_file(frame->file) ? kOwnFrame : kUserFrame;
    } else {
      // "ProfilerStep#3", "Optimizer.step#SGD.step", "enumerate(DataLoader)#...": ranges that old files call operators.
      known = text.starts_with("aten::") ? kAten : text.find('#') != std::string_view::npos ? kRange : kOtherName;
    }
  }
  return static_cast<Class>(known);
}

PythonLine AskerFinder::frame_around(uint32_t part, Row row) {
  const auto& events = model_.events(part);
  const auto& parent = model_.file(part).nesting.parent;
  Row own = kNoRow, user = kNoRow;
  for (; row != kNoRow && user == kNoRow; row = parent[row]) {
    if (events.role_of(row) != Role::python) continue;
    const Class c = class_of(events.name[row], Role::python);
    if (c == kUserFrame) user = row;
    else if (c == kOwnFrame && own == kNoRow) own = row;
  }
  const Row found = user != kNoRow ? user : own;
  if (found == kNoRow) return {};
  PythonLine line = *parse_frame(model_.name(part, found));
  line.row = found;
  return line;
}

PythonLine AskerFinder::line_of(uint32_t part, Row row) {
  if (row == kNoRow) return {};
  if (const PythonLine line = frame_around(part, row)) return line;
  const FileModel& file = model_.file(part);
  for (; row != kNoRow; row = file.nesting.parent[row]) {
    if (const Link forward = file.links.forward_of(row)) return frame_around(part, forward.row);
  }
  return {};
}

Asker AskerFinder::of_host(uint32_t part, Row row) {
  const auto& events = model_.events(part);
  const auto& parent = model_.file(part).nesting.parent;
  Asker asker;
  asker.line = line_of(part, row);
  Row innermost = kNoRow;
  for (Row at = row; at != kNoRow; at = parent[at]) {
    if (events.role_of(at) != Role::cpu_op) continue;
    const Class c = class_of(events.name[at], Role::cpu_op);
    if (c == kRange) continue;
    if (innermost == kNoRow) innermost = at;
    if (c == kAten) asker.op = at;
    asker.outermost = at;
  }
  if (asker.op == kNoRow) asker.op = innermost;
  return asker;
}

Asker AskerFinder::of_event(uint32_t part, const DeviceEvent& event) {
  const Row row = event.op ? event.op.row : event.call ? event.call.row : kNoRow;
  return row == kNoRow ? Asker{} : of_host(part, row);
}

void add_asker(const Model& model, uint32_t part, const Asker& asker, Table::RowWriter* row) {
  asker.op == kNoRow ? row->null() : row->pooled(model.name(part, asker.op));
  if (asker.line) row->pooled(asker.line.file).integer(asker.line.line);
  else row->null().null();
}

}  // namespace lanewise::trace::analysis

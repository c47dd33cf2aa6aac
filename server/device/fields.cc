// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/device/fields.h"

#include <algorithm>
#include <cstdio>

#include "trace/device_analysis/names.h"

namespace lanewise::server::device {

using trace::device::kNone;
using trace::device::Operand;
using trace::device::Semaphore;
using trace::device::Space;

namespace {

void write_semaphores(JsonWriter& w, std::string_view key, const std::vector<Semaphore>& semaphores) {
  if (semaphores.empty()) return;
  w.key(key).begin_array();
  for (const Semaphore& s : semaphores) w.value("s" + std::to_string(s.number) + " " + s.relation + " " + std::to_string(s.value));
  w.end_array();
}

void write_text(JsonWriter& w, std::string_view key, const std::string& text) {
  if (!text.empty()) w.member(key, text);
}

void write_number(JsonWriter& w, std::string_view key, int64_t value) {
  if (value != 0) w.member(key, value);
}

// A moment that the capture tells.
void write_time(JsonWriter& w, std::string_view key, const DeviceView& view, Picos time) {
  if (time.value >= 0) w.member(key, view.time(time));
}

void write_program_side(JsonWriter& w, const trace::device::Program& program, const trace::device::Instruction& in) {
  w.member("engine", trace::device_analysis::lane_name(in.engine)).member("index", in.index).member("opcode", in.opcode);
  write_text(w, "instruction", in.text);
  write_text(w, "name", in.name);
  write_text(w, "ir_op", in.ir_op);
  write_text(w, "aten_node", in.aten_node);
  if (const trace::device::Source* source = program.source_of(&in)) {
    write_text(w, "source_node", source->node);
    write_text(w, "module", source->module);
    write_text(w, "module_class", source->module_class);
    if (source->backward) w.member("backward", true);
  }
}

}  // namespace

std::string operand_text(const Operand& o) {
  std::string text;
  char address[32];
  std::snprintf(address, sizeof(address), "0x%llx", static_cast<unsigned long long>(o.address));
  switch (o.space) {
    case Space::none: break;
    case Space::sbuf:
    case Space::psum:
      text = std::string(o.space == Space::sbuf ? "SBUF" : "PSUM") + " " + address;
      if (o.partitions > 0) text += ", partitions " + std::to_string(o.partition) + "-" + std::to_string(o.partition + o.partitions - 1);
      break;
    case Space::hbm: text = (o.tensor.empty() ? std::string("HBM ") : o.tensor + " + ") + address; break;
    case Space::immediate: text = "immediate"; break;
    case Space::register_: text = "register"; break;
  }
  std::string shape = o.partitions > 0 && (o.space == Space::sbuf || o.space == Space::psum) ? std::to_string(o.partitions) : "";
  // One element after the other: no news.
  bool plain = true;
  for (size_t i = std::min(o.steps.size(), o.sizes.size()), next = 1; i-- > 0; next *= static_cast<size_t>(o.sizes[i])) {
    plain &= o.sizes[i] == 1 || o.steps[i] == static_cast<int64_t>(next);
  }
  for (const int64_t size : o.sizes) shape += (shape.empty() ? "" : " x ") + std::to_string(size);
  if (!shape.empty() || !o.dtype.empty()) text += (text.empty() ? "" : ": ") + shape + (shape.empty() || o.dtype.empty() ? "" : " ") + o.dtype;
  if (!plain && !o.sizes.empty()) {
    text += ", steps";
    for (const int64_t step : o.steps) text += " " + std::to_string(step);
  }
  return text;
}

void write_stack(JsonWriter& w, const DeviceView& view, uint32_t event) {
  const trace::device::Program& program = view.profile().program;
  w.begin_array();
  if (const trace::device::Source* source = program.source_of(view.instruction(event))) {
    for (const uint32_t frame : source->stack) {
      const trace::device::SourceFrame& f = program.frames[frame];
      w.begin_object().member("name", f.function).member("file", f.file).member("line", f.line).end_object();
    }
  }
  w.end_array();
}

void write_fields(JsonWriter& w, const DeviceView& view, uint32_t event) {
  const auto& profile = view.profile();
  if (view.is_dma(event)) {
    const auto& run = view.dma_run(event);
    if (run.queue != kNone) w.member("queue", profile.program.queues[run.queue].name);
    if (run.dma_engine != UINT16_MAX) w.member("dma_engine", run.dma_engine);
    if (run.descriptor != kNone) {
      const auto& descriptor = profile.program.descriptors[run.descriptor];
      write_text(w, "descriptor", descriptor.name);
      w.member("from", operand_text(descriptor.from)).member("to", operand_text(descriptor.to));
    }
    w.member("bytes", run.bytes).member("descriptors", run.descriptors);
    write_number(w, "bytes_per_descriptor", run.descriptors > 0 ? run.bytes / run.descriptors : 0);
    const double length = static_cast<double>((run.end - run.begin).value) * 1e-12;
    if (length > 0) w.member("gb_per_s", static_cast<double>(run.bytes) / length * 1e-9);
    write_time(w, "triggered_ps", view, run.triggered);
    write_time(w, "visible_ps", view, run.visible);
    write_number(w, "iteration", run.iteration);
    if (const auto* in = view.instruction(event)) {
      w.key("ordered_by").begin_object();
      write_program_side(w, profile.program, *in);
      w.end_object();
    }
    return;
  }
  const auto& run = view.instruction_run(event);
  const auto* in = view.instruction(event);
  if (in == nullptr) {
    w.member("engine", trace::device_analysis::lane_name(run.engine)).member("note", "in no binary: the runtime's own work");
  } else {
    write_program_side(w, profile.program, *in);
    if (!in->operands.empty()) {
      w.key("operands").begin_array();
      for (const Operand& o : in->operands) w.value((o.role.empty() ? "" : o.role + ": ") + operand_text(o));
      w.end_array();
    }
    write_number(w, "elements", in->elements);
    write_number(w, "flops", in->flops);
    write_number(w, "bytes_read", in->bytes_read);
    write_number(w, "bytes_written", in->bytes_written);
    write_semaphores(w, "waits", in->waits);
    write_semaphores(w, "updates", in->updates);
    if (in->queue != kNone) w.member("queue", profile.program.queues[in->queue].name);
    if (in->setup) w.member("setup", true);
  }
  if (run.engine == isa::Engine::pe) w.member("throttled", run.throttled);
  write_time(w, "ready_ps", view, run.ready);
  write_number(w, "table_load_ps", run.table_load.value);
  write_number(w, "iteration", run.iteration);
}

}  // namespace lanewise::server::device

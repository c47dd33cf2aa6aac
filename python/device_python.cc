// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "python/device_python.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "machine/machine.h"
#include "python/status_python.h"
#include "trace/device_analysis/kernel_view.h"
#include "trace/device_analysis/launch_line.h"
#include "trace/device_analysis/public_schema.h"
#include "trace/device_analysis/public_tables.h"
#include "trace/device_analysis/questions.h"
#include "trace/export/table_arrow.h"
#include "trace/pair/file_kind.h"
#include "trace/session/device_files.h"

namespace lanewise::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;
using trace::analysis::Table;
using trace::exporting::Batches;
using trace::session::OpenedDevice;

struct Device {
  OpenedDevice opened;                        // the profile as it is asked
  trace::device::DeviceProfile captured;      // the whole capture, for the public tables
  machine::Machine machine;
  trace::device_analysis::Subject subject() const { return {opened.profile, machine}; }
};

std::shared_ptr<Device> open_device(const std::string& path, const std::string& ntff, const std::string& program, const std::string& event, int64_t nth,
                                    const std::string& machine, bool whole) {
  auto opened = [&] {
    nb::gil_scoped_release no_gil;
    auto found = trace::session::open_device({path, ntff, program, event, nth});
    if (found.ok() && found->execution && !found->profile.source_note.empty())
      trace::device_analysis::add_launch_line(*trace::analysis::Model::build(found->session), found->execution->event, &found->profile);
    return found;
  }();
  auto device = std::make_shared<Device>();
  device->opened = value_or_raise(std::move(opened), Subject::path);
  device->captured = device->opened.profile;
  if (!whole) device->opened.profile = trace::device_analysis::kernel_view(std::move(device->opened.profile)).profile;
  device->machine = value_or_raise(machine::load_machine(machine.empty() ? device->opened.profile.machine : machine), Subject::other);
  return device;
}

nb::dict as_batches(std::vector<Table> tables) {
  nb::dict out;
  for (Table& table : tables) {
    auto shared = std::make_shared<const Table>(std::move(table));
    const std::string key = shared->name();
    out[key.c_str()] = nb::cast(std::const_pointer_cast<Batches>(trace::exporting::table_batches(std::move(shared))));
  }
  return out;
}

nb::dict ask(const Device& self, std::string_view name, std::optional<std::pair<int64_t, int64_t>> between) {
  const auto* question = trace::device_analysis::find_question(name);
  if (question == nullptr) raise(not_found("no question " + std::string(name)), Subject::other);
  trace::device_analysis::Subject asked = self.subject();
  if (between) {
    if (!question->ranged) raise(invalid_argument(std::string(name) + " is about the program as a whole; ask it without between"), Subject::other);
    if (between->first >= between->second) raise(invalid_argument("the range is empty"), Subject::other);
    asked.range = {Picos(between->first), Picos(between->second)};
  }
  auto answer = [&] {
    nb::gil_scoped_release no_gil;
    return question->answer(asked);
  }();
  return as_batches(value_or_raise(std::move(answer)));
}

// (tables, columns that nothing filled by table, tables without rows and why)
nb::tuple public_tables(const Device& self) {
  auto all = [&] {
    nb::gil_scoped_release no_gil;
    return trace::device_analysis::public_tables({self.captured, self.machine});
  }();
  return nb::make_tuple(as_batches(std::move(all.tables)), all.empty, all.left_out);
}

nb::dict info(const Device& self) {
  const auto& p = self.opened.profile;
  nb::dict out;
  out["program"] = p.program.name;
  out["hash"] = p.program.hash.empty() ? self.opened.files.hash : p.program.hash;
  out["neff"] = self.opened.files.neff;
  out["ntff"] = self.opened.files.ntff;
  out["producer"] = p.producer;
  out["machine"] = self.machine.spec;
  out["simulated"] = p.simulated;
  out["duration_ps"] = p.duration.value;
  out["exec_overhead_ns"] = p.exec_overhead_ns;
  out["device_capture_overhead_ns"] = p.device_capture_overhead_ns;
  out["damage"] = p.ledger.sentences;
  out["source_note"] = p.source_note;
  if (self.opened.execution) {
    const auto& e = *self.opened.execution;
    out["event"] = e.event.to_string();
    out["begin_ns"] = e.begin_ns;
    out["program_begin_ns"] = e.program_begin_ns();
    out["end_ns"] = e.end_ns;
  }
  return out;
}

// Pairs below a folder, each with what `open_device` needs.
nb::list device_pairs(const std::string& folder) {
  nb::list out;
  for (const auto& pair : value_or_raise(trace::session::device_pairs(folder), Subject::path)) {
    nb::dict d;
    d["neff"] = pair.neff;
    d["ntff"] = pair.ntff;
    d["program"] = pair.program;
    d["hash"] = pair.hash;
    d["instance"] = pair.instance;
    d["nc"] = pair.nc;
    out.append(d);
  }
  return out;
}

// "neff", "ntff" or "other".
std::string_view device_file_kind(const std::string& path) {
  switch (trace::pair::kind_of_file(path)) {
    case trace::pair::FileKind::neff: return "neff";
    case trace::pair::FileKind::ntff: return "ntff";
    case trace::pair::FileKind::other: break;
  }
  return "other";
}

nb::list device_questions() {
  nb::list out;
  for (const auto& q : trace::device_analysis::questions()) out.append(nb::make_tuple(q.name, q.text, q.main_table));
  return out;
}

// table -> [(column, type, unit, required)]
nb::dict public_schema() {
  nb::dict out;
  for (const auto& table : trace::device_analysis::public_schema()) {
    nb::list columns;
    for (const auto& c : table.columns) columns.append(nb::make_tuple(c.name, c.type, c.unit, c.required));
    out[table.name.c_str()] = columns;
  }
  return out;
}

}  // namespace

void bind_device(nb::module_& module) {
  module.def("open_device", &open_device, "path"_a, "ntff"_a = "", "program"_a = "", "event"_a = "", "nth"_a = 0, "machine"_a = "", "whole"_a = false);
  module.def("device_pairs", &device_pairs, "folder"_a);
  module.def("device_file_kind", &device_file_kind, "path"_a);
  module.def("device_questions", &device_questions, "(name, text, main table) of each question about a device profile");
  module.def("public_schema", &public_schema, "table -> (column, type, unit, required) of the public schema of device profiles");
  nb::class_<Device>(module, "Device")
      .def("ask", &ask, "question"_a, "between"_a = nb::none())
      .def("public_tables", &public_tables)
      .def("info", &info);
}

}  // namespace lanewise::python

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/device_text.h"

#include "tools/table_text.h"

namespace lanewise::tools {

using trace::device::DeviceProfile;
using trace::session::DeviceExecution;
using trace::session::OpenedDevice;

std::string device_head(const OpenedDevice& opened, const machine::Machine& machine) {
  const DeviceProfile& p = opened.profile;
  std::string out = printable(p.program.name) + "  (" + (p.program.hash.empty() ? opened.files.neff : "program " + p.program.hash) + ", " + (p.simulated ? "simulated, " : "captured, ") + machine.spec + ")\n";
  out += picos_text(p.duration.value) + ", " + std::to_string(p.instructions.size()) + " instructions, " + std::to_string(p.dmas.size()) + " DMAs";
  const int64_t overhead = p.exec_overhead_ns + p.device_capture_overhead_ns;
  if (overhead > 0) {
    out += "; around it " + span_text(overhead);
    out += p.simulated ? " of overhead, " + span_text(p.device_capture_overhead_ns) + " of them by the device capture itself" : " of the runtime's prologue and epilogue (--whole shows them)";
  }
  out += "\n";
  if (opened.execution) {
    const DeviceExecution& e = *opened.execution;
    out += "execution " + e.event.to_string() + ": " + span_text(e.end_ns - e.begin_ns) + ", its program begins " + span_text(e.overhead_before_ns) +
           " after it; times below count from there\n";
  }
  return out + "\n";
}

void write_device_head(JsonWriter& w, const OpenedDevice& opened, const machine::Machine& machine) {
  const DeviceProfile& p = opened.profile;
  w.key("profile").begin_object();
  w.member("program", p.program.name).member("program_hash", p.program.hash).member("compiler", p.program.compiler).member("producer", p.producer);
  w.member("machine", machine.spec).member("simulated", p.simulated).member("simulator_version", p.simulator_version);
  w.member("cores", int64_t{p.program.cores}).member("first_core", int64_t{p.first_core});
  w.member("duration_ps", p.duration.value).member("first_ps", p.first.value).member("last_ps", p.last.value);
  w.member("exec_overhead_ns", p.exec_overhead_ns).member("device_capture_overhead_ns", p.device_capture_overhead_ns);
  w.member("neff", opened.files.neff).member("ntff", opened.files.ntff);
  p.source_note.empty() ? w.key("source_note").null() : w.member("source_note", p.source_note);
  w.end_object();
  if (opened.execution) {
    const DeviceExecution& e = *opened.execution;
    w.key("execution").begin_object().member("event", e.event.to_string()).member("begin_ns", e.begin_ns).member("end_ns", e.end_ns);
    w.member("program_begin_ns", e.program_begin_ns()).member("overhead_before_ns", e.overhead_before_ns).member("overhead_after_ns", e.overhead_after_ns).end_object();
  }
  const trace::device::Ledger& l = p.ledger;
  w.key("ledger").begin_object().member("bytes", l.bytes).member("header", l.header).member("metadata", l.metadata).member("record_bytes", l.record_bytes);
  w.member("padding", l.padding).member("skipped", l.skipped).member("records", l.records).member("unknown", l.unknown);
  w.key("kinds").begin_object();
  for (const auto& [kind, n] : l.kinds) w.member(kind, n);
  w.end_object();
  w.key("sentences").begin_array();
  for (const std::string& sentence : l.sentences) w.value(sentence);
  w.end_array();
  w.end_object();
}

}  // namespace lanewise::tools

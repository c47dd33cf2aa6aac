// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/trace_info.h"

#include "trace/record/proto_wire.h"

namespace lanewise::trace::record {
namespace {

// Field numbers, in the order of docs/formats/trace_info.md.
enum Field : uint32_t {
  kVersion = 1, kProducer = 2, kComplete = 3, kSimulated = 4,
  kPreset = 5, kSpec = 6, kSimulator = 7, kCompiler = 8, kTorch = 9, kExecOverhead = 10, kCaptureOverhead = 11,
  kInstance = 12, kHost = 13, kPid = 14, kStart = 15, kStop = 16,
  kClocks = 17, kCores = 18, kDropped = 19, kOpenLaunches = 20, kOptions = 21, kPrograms = 22, kProblems = 23,
};

ProtoMessage options_message(const CaptureOptions& o) {
  ProtoMessage m;
  m.uint(1, o.device).uint(2, o.runtime).uint(3, o.cpu_util).uint(4, o.host_memory).uint(5, o.correlate_device_time);
  m.uint(6, o.max_events_per_nc);
  for (int nc : o.cores) m.integer(7, nc);
  m.text(8, o.profile_output_dir).text(9, o.neff_cache_dir).uint(10, o.precache_node_info);
  return m;
}

Status read_options(std::string_view bytes, CaptureOptions* o) {
  std::vector<ProtoField> fields;
  LW_RETURN_IF_ERROR(read_proto(bytes, &fields));
  for (const ProtoField& f : fields) {
    switch (f.number) {
      case 1: o->device = f.value; break;
      case 2: o->runtime = f.value; break;
      case 3: o->cpu_util = f.value; break;
      case 4: o->host_memory = f.value; break;
      case 5: o->correlate_device_time = f.value; break;
      case 6: o->max_events_per_nc = f.value; break;
      case 7: o->cores.push_back(static_cast<int>(f.as_integer())); break;
      case 8: o->profile_output_dir = f.bytes; break;
      case 9: o->neff_cache_dir = f.bytes; break;
      case 10: o->precache_node_info = f.value; break;
    }
  }
  return ok_status();
}

ProtoMessage core_message(const CoreCounters& core) {
  const EventRing::Counters& c = core.counters;
  ProtoMessage m;
  m.integer(1, core.nc).uint(2, c.pushed).uint(3, c.overwritten).uint(4, c.launches_submitted);
  m.uint(5, c.launches_finished).integer(6, c.lost_begin_ns).integer(7, c.lost_end_ns);
  return m;
}

Status read_core(std::string_view bytes, CoreCounters* core) {
  std::vector<ProtoField> fields;
  LW_RETURN_IF_ERROR(read_proto(bytes, &fields));
  EventRing::Counters& c = core->counters;
  for (const ProtoField& f : fields) {
    switch (f.number) {
      case 1: core->nc = static_cast<int>(f.as_integer()); break;
      case 2: c.pushed = f.value; break;
      case 3: c.overwritten = f.value; break;
      case 4: c.launches_submitted = f.value; break;
      case 5: c.launches_finished = f.value; break;
      case 6: c.lost_begin_ns = f.as_integer(); break;
      case 7: c.lost_end_ns = f.as_integer(); break;
    }
  }
  return ok_status();
}

ProtoMessage program_message(const ProgramFiles& p) {
  ProtoMessage m;
  m.uint(1, p.hash).uint(2, p.nc).uint(3, p.instance).uint(4, p.launch_id);
  m.text(5, p.program).text(6, p.neff).text(7, p.ntff).uint(8, p.neff_from_cache);
  if (p.site != 0) m.uint(9, p.site);
  return m;
}

Status read_program(std::string_view bytes, ProgramFiles* p) {
  std::vector<ProtoField> fields;
  LW_RETURN_IF_ERROR(read_proto(bytes, &fields));
  for (const ProtoField& f : fields) {
    switch (f.number) {
      case 1: p->hash = f.value; break;
      case 2: p->nc = static_cast<uint16_t>(f.value); break;
      case 3: p->instance = static_cast<uint32_t>(f.value); break;
      case 4: p->launch_id = f.value; break;
      case 5: p->program = f.bytes; break;
      case 6: p->neff = f.bytes; break;
      case 7: p->ntff = f.bytes; break;
      case 8: p->neff_from_cache = f.value; break;
      case 9: p->site = static_cast<uint32_t>(f.value); break;
    }
  }
  return ok_status();
}

Status read_clocks_pair(std::string_view bytes, ClockPair* c) {
  std::vector<ProtoField> fields;
  LW_RETURN_IF_ERROR(read_proto(bytes, &fields));
  for (const ProtoField& f : fields) {
    switch (f.number) {
      case 1: c->realtime_ns = f.as_integer(); break;
      case 2: c->monotonic_ns = f.as_integer(); break;
      case 3: c->boottime_ns = f.as_integer(); break;
    }
  }
  return ok_status();
}

Status read_field(const ProtoField& f, TraceInfo* out) {
  Producer& p = out->producer;
  switch (f.number) {
    case kVersion: out->version = static_cast<uint32_t>(f.value); break;
    case kComplete: out->complete = f.value; break;
    case kPreset: p.machine_preset = f.bytes; break;
    case kSpec: p.machine_spec = f.bytes; break;
    case kSimulator: p.simulator_version = f.bytes; break;
    case kCompiler: p.compiler_version = f.bytes; break;
    case kTorch: p.torch_version = f.bytes; break;
    case kExecOverhead: p.exec_overhead_ns = f.as_integer(); break;
    case kCaptureOverhead: p.device_capture_overhead_ns = f.as_integer(); break;
    case kInstance: out->instance_id = f.bytes; break;
    case kHost: out->host_name = f.bytes; break;
    case kPid: out->pid = f.as_integer(); break;
    case kStart: out->start_ns = f.as_integer(); break;
    case kStop: out->stop_ns = f.as_integer(); break;
    case kClocks: return read_clocks_pair(f.bytes, &out->clocks.emplace_back());
    case kCores: return read_core(f.bytes, &out->cores.emplace_back());
    case kDropped: out->dropped = f.value; break;
    case kOpenLaunches: out->open_launches = f.value; break;
    case kOptions: return read_options(f.bytes, &out->options);
    case kPrograms: return read_program(f.bytes, &out->programs.emplace_back());
    case kProblems: out->problems.emplace_back(f.bytes); break;
  }
  return ok_status();
}

}  // namespace

std::string write_trace_info(const TraceInfo& info) {
  const Producer& p = info.producer;
  ProtoMessage m;
  m.uint(kVersion, info.version).text(kProducer, "lanewise").uint(kComplete, info.complete).uint(kSimulated, 1);
  m.text(kPreset, p.machine_preset).text(kSpec, p.machine_spec).text(kSimulator, p.simulator_version);
  m.text(kCompiler, p.compiler_version).text(kTorch, p.torch_version);
  m.integer(kExecOverhead, p.exec_overhead_ns).integer(kCaptureOverhead, p.device_capture_overhead_ns);
  m.text(kInstance, info.instance_id).text(kHost, info.host_name).integer(kPid, info.pid);
  m.integer(kStart, info.start_ns).integer(kStop, info.stop_ns);
  for (const ClockPair& c : info.clocks) {
    ProtoMessage pair;
    pair.integer(1, c.realtime_ns).integer(2, c.monotonic_ns).integer(3, c.boottime_ns);
    m.message(kClocks, pair);
  }
  for (const CoreCounters& core : info.cores) m.message(kCores, core_message(core));
  m.uint(kDropped, info.dropped).uint(kOpenLaunches, info.open_launches);
  m.message(kOptions, options_message(info.options));
  for (const ProgramFiles& program : info.programs) m.message(kPrograms, program_message(program));
  for (const std::string& problem : info.problems) m.text(kProblems, problem);
  return std::string(m.bytes());
}

Status read_trace_info(std::string_view bytes, TraceInfo* out) {
  *out = TraceInfo{};
  out->version = 0;
  std::vector<ProtoField> fields;
  const Status damage = read_proto(bytes, &fields);
  bool ours = false;
  for (const ProtoField& f : fields) {
    ours |= f.number == kProducer && f.bytes == "lanewise";
    const Status inner = read_field(f, out);
    if (!inner.ok()) return inner.with_context("field at byte " + std::to_string(f.offset));
  }
  if (!damage.ok()) return damage;
  if (!ours) return data_loss("no field at byte 0 on says that Lanewise wrote this trace_info.pb");
  if (out->version > kTraceInfoVersion)
    return unimplemented("trace_info.pb has version " + std::to_string(out->version) + ", this reader knows " +
                         std::to_string(kTraceInfoVersion) + "; use a newer Lanewise");
  return ok_status();
}

}  // namespace lanewise::trace::record

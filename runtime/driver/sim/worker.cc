// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/worker.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/driver/sim/device_profile.h"
#include "runtime/driver/sim/service_thread.h"
#include "trace/record/capture.h"

namespace lanewise::runtime::sim_driver {

using trace::record::Event;
using trace::record::EventKind;

Worker::Worker(std::shared_ptr<Core> core, const Options& options)
    : core_(std::move(core)), options_(options), timeline_(*core_->machine),
      pacer_(options.pacing, [this](Completion completion) { core_->inbox.finish(std::move(completion)); }),
      clock_offset_ns_(trace::record::clock_offset_ns()) {
  thread_ = start_service_thread("lw-worker", [this] { run(); });
}

Worker::~Worker() {
  core_->inbox.close();
  // Before the join: a host call may be waiting for the signal of the work before it.
  pacer_.close();
  thread_.join();
}

void Worker::run() {
  core_->inbox.bind_worker();
  Work work;
  while (core_->inbox.pop(&work)) {
    follow_clock(work);
    process(work);
    work = Work();   // lets go of buffers and executable before sleeping
  }
}

// When the clock's axis was moved to follow the wall clock, what is known of earlier work moves with it: a device must not
// seem busy for as long as the wall clock was set back.
void Worker::follow_clock(Work& work) {
  const int64_t offset_ns = trace::record::clock_offset_ns();
  if (const int64_t moved_ns = offset_ns - clock_offset_ns_; moved_ns != 0) {
    timeline_.shift(moved_ns);
    lag_end_ns_ += moved_ns;
    clock_offset_ns_ = offset_ns;
  }
  work.submitted_ns += offset_ns - work.clock_offset_ns;
  QueueState& queue = *work.queue;
  if (queue.clock_offset_ns == offset_ns) return;
  if (queue.device_ns != 0) queue.device_ns += offset_ns - queue.clock_offset_ns;
  queue.clock_offset_ns = offset_ns;
}

void Worker::process(Work& work) {
  if (core_->inbox.closed()) {
    Span span = timeline_.marker(work.queue->device_ns, work.submitted_ns);
    Status closed(StatusCode::cancelled, "the device was closed before this work began");
    return complete(work, with_names(work, std::move(closed)), span);
  }
  switch (work.kind) {
    case WorkKind::execute: return execute(work);
    case WorkKind::write:
    case WorkKind::read:
    case WorkKind::copy:
    case WorkKind::fill: return transfer(work);
    case WorkKind::marker: return complete(work, ok_status(), timeline_.marker(work.queue->device_ns, work.submitted_ns));
    case WorkKind::wait: return wait_for(work);
    case WorkKind::host_call: return call_host(work);
  }
}

Status Worker::execute_values(const Work& work) {
  const SimExecutable& executable = *work.executable;
  executable.bind(*core_->memory, work.buffers, work.scratch ? work.scratch->host() : nullptr, bindings_);
  parameters_.clear();
  for (const ParameterValue& value : work.parameters) parameters_.push_back({value.f, value.i});
  sim::RunOptions options;
  options.check_hazards = options_.check_hazards;
  return sim::run_values(executable.program(), *core_->machine, bindings_, parameters_, options);
}

void Worker::execute(Work& work) {
  Status status = with_names(work, execute_values(work));
  if (work.device_capture) store_profile(work);
  ExecuteSpan span = timeline_.execute(work.queue->device_ns, work.submitted_ns, work.executable->duration_ns(),
                                       work.device_capture);
  if (work.captured) {
    Event event = hardware_event(work, EventKind::nc_exec_running, span);
    event.name = work.executable->name();
    event.program_hash = work.executable->hash();
    event.exec_before_ns = span.exec_before_ns;
    event.exec_after_ns = span.exec_after_ns;
    event.capture_before_ns = span.capture_before_ns;
    event.capture_after_ns = span.capture_after_ns;
    keep(work, event);
  }
  keep_lag(work, span.end_ns);
  complete(work, std::move(status), span);
}

void Worker::transfer(Work& work) {
  const DeviceMemory& memory = *core_->memory;
  const auto size = static_cast<size_t>(work.bytes);
  auto track = Timeline::Track::hbm;
  EventKind kind = EventKind::dma_d2d;
  int64_t moved = work.bytes;
  switch (work.kind) {
    case WorkKind::write:
      track = Timeline::Track::h2d;
      kind = EventKind::dma_h2d;
      if (size) std::memcpy(memory.host_pointer(work.to), work.staging ? work.staging.get() : work.host, size);
      break;
    case WorkKind::read:
      track = Timeline::Track::d2h;
      kind = EventKind::dma_d2h;
      if (size) std::memcpy(work.host, memory.host_pointer(work.from), size);
      break;
    case WorkKind::copy:
      moved = 2 * work.bytes;   // read and written
      if (size) std::memmove(memory.host_pointer(work.to), memory.host_pointer(work.from), size);
      break;
    default:
      kind = EventKind::dma_fill;
      if (size) std::memset(memory.host_pointer(work.to), work.fill_value, size);
      break;
  }
  Span span = timeline_.transfer(work.queue->device_ns, track, work.submitted_ns, moved);
  if (work.captured) {
    Event event = hardware_event(work, kind, span);
    event.bytes = work.bytes;
    keep(work, event);
  }
  keep_lag(work, span.end_ns);
  complete(work, ok_status(), span);
}

void Worker::wait_for(Work& work) {
  // Work of another device is in submission order there as well, so this cannot become a circle; but a fence made by
  // hand may never come, and then closing the device must still end the wait.
  constexpr int64_t kLookUpNs = 20'000'000;
  while (!work.after->wait_planned(kLookUpNs))
    if (core_->inbox.closed()) return process(work);
  work.queue->device_ns = std::max(work.queue->device_ns, work.after->planned_end_ns());
  complete(work, work.after->planned_status(), timeline_.marker(work.queue->device_ns, work.submitted_ns));
}

void Worker::call_host(Work& work) {
  // Host code sees the world as it is after the work before: its fence is signalled, not only planned.
  if (work.queue->previous) (void)work.queue->previous->wait();
  Span span = timeline_.marker(work.queue->device_ns, std::max(work.submitted_ns, trace::record::now_ns()));
  Status status = work.function();
  work.function = nullptr;
  span.end_ns = std::max(span.start_ns, trace::record::now_ns());
  work.queue->device_ns = span.end_ns;
  complete(work, with_names(work, std::move(status)), span);
}

void Worker::store_profile(const Work& work) {
  auto capture = trace::record::active_capture();
  if (!capture) return;
  const SimExecutable& executable = *work.executable;
  const auto nc = static_cast<uint16_t>(core_->index);
  if (!capture->wants_program(executable.hash(), nc)) return;
  auto timing = sim::time_program(executable.program(), *core_->machine, {.records = true});
  LW_CHECK(timing.ok(), "a program that was timed when it was loaded can be timed again: " + timing.status().message());
  capture->add_program(executable.program(), executable.hash(), nc, work.launch_id, device_profile(*timing),
                       executable.graph_ir(), work.origin.site);
}

Status Worker::with_names(const Work& work, Status status) const {
  if (status.ok()) return status;
  std::string what(trace::record::interned(work.origin.name));
  if (what.empty()) what = work.kind == WorkKind::host_call ? "host call" : "work";
  if (work.executable) what += " (program " + work.executable->program().name + ")";
  return status.with_context(what + " on neuron:" + std::to_string(core_->index));
}

Event Worker::hardware_event(const Work& work, EventKind kind, const Span& span) const {
  Event event;
  event.kind = kind;
  event.nc = static_cast<uint16_t>(core_->index);
  event.stream = static_cast<uint16_t>(work.queue->id);
  event.start_ns = span.start_ns;
  event.end_ns = span.end_ns;
  event.launch_id = work.launch_id;
  event.external_id = work.origin.external_id;
  event.name = work.origin.name;
  event.site = work.origin.site;
  return event;
}

// Rows of a profile are chosen by submission, so work of before the capture leaves no trace in it.
void Worker::keep(const Work& work, const Event& event) const {
  if (work.captured && trace::record::capture_on()) trace::record::emit(event);
}

void Worker::keep_lag(const Work& work, int64_t end_ns) {
  int64_t ready_ns = trace::record::now_ns();
  if (ready_ns <= end_ns) return;
  Span span{std::max(end_ns, lag_end_ns_), ready_ns};
  lag_end_ns_ = std::max(lag_end_ns_, ready_ns);
  if (span.end_ns > span.start_ns) keep(work, hardware_event(work, EventKind::sim_lag, span));
}

void Worker::complete(Work& work, Status status, const Span& span) {
  // Who reads or waits builds on the work before, so a failure that nobody has collected is theirs as well. Settled here
  // and not at the signal: other devices look at the plan.
  if (!status.ok())
    core_->inbox.fail(*work.queue, status);
  else if (work.kind == WorkKind::read || work.kind == WorkKind::marker)
    status = core_->inbox.failure(*work.queue);
  work.queue->previous = work.fence;
  Completion completion;
  completion.queue = std::move(work.queue);
  completion.fence = std::move(work.fence);
  completion.status = std::move(status);
  completion.start_ns = span.start_ns;
  completion.end_ns = span.end_ns;
  completion.open_launch = work.open_launch;
  pacer_.add(std::move(completion), span.end_ns - clock_offset_ns_);
}

}  // namespace lanewise::runtime::sim_driver

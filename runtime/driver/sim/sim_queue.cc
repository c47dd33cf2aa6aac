// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/sim_queue.h"

#include <cstring>
#include <string>

#include "trace/record/capture.h"

namespace lanewise::runtime::sim_driver {

using trace::record::EventKind;

namespace {

// Built only when a launch is refused.
Status wrong_count(const SimExecutable& executable, const char* what, size_t wanted, size_t given) {
  return invalid_argument("program " + executable.program().name + " takes " + std::to_string(wanted) + " " + what +
                          ", the launch gives " + std::to_string(given));
}

}  // namespace

Result<std::shared_ptr<Fence>> SimQueue::execute(ExecuteRequest request) {
  CallEvent call(EventKind::nrta_execute_schedule, core_->index);
  auto refuse = [&call](Status status) {
    call.drop();
    return status;
  };
  auto executable = std::dynamic_pointer_cast<SimExecutable>(std::move(request.executable));
  if (!executable) return refuse(invalid_argument("a launch needs an executable that the sim driver loaded"));
  if (executable->device() != core_->index)
    return refuse(invalid_argument("program " + executable->program().name + " was loaded on neuron:" +
                                   std::to_string(executable->device()) + ", the queue is of neuron:" +
                                   std::to_string(core_->index)));
  const auto& bound = executable->bound_bytes();
  if (request.buffers.size() != bound.size())
    return refuse(wrong_count(*executable, "buffers", bound.size(), request.buffers.size()));
  if (request.parameters.size() != executable->program().parameters.size())
    return refuse(wrong_count(*executable, "parameters", executable->program().parameters.size(),
                              request.parameters.size()));
  for (size_t i = 0; i < bound.size(); ++i)
    if (!core_->memory->contains(request.buffers[i], bound[i])) [[unlikely]]
      return refuse(check_range(("buffer " + std::to_string(i) + " of program " + executable->program().name).c_str(),
                                request.buffers[i], bound[i]));

  Work work;
  work.kind = WorkKind::execute;
  if (executable->scratch_bytes() > 0) {
    auto scratch = core_->scratch(executable->scratch_bytes());
    if (!scratch.ok())
      return refuse(scratch.status().with_context("scratch memory of program " + executable->program().name));
    work.scratch = std::move(*scratch);
  }
  work.origin = request.origin;
  work.device_capture = trace::record::g_device_capture_on.load(std::memory_order_relaxed);
  if (call.on()) call.event.program_hash = executable->hash();
  work.executable = std::move(executable);
  work.buffers = std::move(request.buffers);
  work.parameters = std::move(request.parameters);
  return submit(std::move(work), &call);
}

Result<std::shared_ptr<Fence>> SimQueue::submit(Work work, CallEvent* call) {
  work.captured = call && call->on();
  work.submitted_ns = work.captured ? call->event.start_ns : trace::record::now_ns();
  work.clock_offset_ns = trace::record::clock_offset_ns();
  work.queue = state_;
  auto fence = std::make_shared<Fence>();
  work.fence = fence;
  if (call) work.launch_id = trace::record::new_launch_id();
  if (work.captured) {
    call->event.stream = static_cast<uint16_t>(state_->id);
    call->event.launch_id = work.launch_id;
    call->event.external_id = work.origin.external_id;
    call->event.name = work.origin.name;
    call->event.site = work.origin.site;
    call->event.bytes = work.bytes;
  }
  Inbox::Waited waited;
  Status status = core_->inbox.push(work, &waited);
  if (call && call->on() && waited.to_ns != 0) {
    trace::record::Event event = call->event;
    event.kind = EventKind::queue_full;
    event.start_ns = waited.from_ns;
    event.end_ns = waited.to_ns;
    trace::record::emit(event);
  }
  if (!status.ok()) {
    if (call) call->drop();
    return status;
  }
  return fence;
}

Result<std::shared_ptr<Fence>> SimQueue::submit_transfer(Work work, EventKind kind) {
  CallEvent call(kind, core_->index);
  if (work.kind == WorkKind::write && work.staging) {
    // The copy is part of what the call costs, so it lies inside the event.
    std::memcpy(work.staging.get(), work.host, static_cast<size_t>(work.bytes));
    work.host = nullptr;
  }
  return submit(std::move(work), &call);
}

Result<std::shared_ptr<Fence>> SimQueue::write(DeviceAddress to, const void* source, int64_t bytes, bool staged,
                                               Origin origin) {
  LW_RETURN_IF_ERROR(check_range("the target of a write", to, bytes));
  LW_RETURN_IF_ERROR(check_host("the source of a write", source, bytes));
  Work work;
  work.kind = WorkKind::write;
  work.to = to;
  work.host = const_cast<void*>(source);
  work.bytes = bytes;
  work.origin = origin;
  if (staged && bytes > 0) work.staging = std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(bytes));
  return submit_transfer(std::move(work), EventKind::nrt_tensor_write);
}

Result<std::shared_ptr<Fence>> SimQueue::read(void* to, DeviceAddress source, int64_t bytes, Origin origin) {
  LW_RETURN_IF_ERROR(check_range("the source of a read", source, bytes));
  LW_RETURN_IF_ERROR(check_host("the target of a read", to, bytes));
  Work work;
  work.kind = WorkKind::read;
  work.from = source;
  work.host = to;
  work.bytes = bytes;
  work.origin = origin;
  return submit_transfer(std::move(work), EventKind::nrt_tensor_read);
}

Result<std::shared_ptr<Fence>> SimQueue::copy(DeviceAddress to, DeviceAddress source, int64_t bytes, Origin origin) {
  LW_RETURN_IF_ERROR(check_range("the target of a copy", to, bytes));
  LW_RETURN_IF_ERROR(check_range("the source of a copy", source, bytes));
  Work work;
  work.kind = WorkKind::copy;
  work.to = to;
  work.from = source;
  work.bytes = bytes;
  work.origin = origin;
  return submit_transfer(std::move(work), EventKind::nrt_tensor_copy);
}

Result<std::shared_ptr<Fence>> SimQueue::fill(DeviceAddress to, uint8_t value, int64_t bytes, Origin origin) {
  LW_RETURN_IF_ERROR(check_range("the target of a fill", to, bytes));
  Work work;
  work.kind = WorkKind::fill;
  work.to = to;
  work.fill_value = value;
  work.bytes = bytes;
  work.origin = origin;
  return submit_transfer(std::move(work), EventKind::nrt_tensor_copy);
}

Result<std::shared_ptr<Fence>> SimQueue::marker() {
  Work work;
  work.kind = WorkKind::marker;
  return submit(std::move(work), nullptr);
}

Status SimQueue::wait_for(std::shared_ptr<Fence> fence) {
  if (!fence) return invalid_argument("a queue waits for a fence, not for nothing");
  Work work;
  work.kind = WorkKind::wait;
  work.after = std::move(fence);
  return submit(std::move(work), nullptr).status();
}

Result<std::shared_ptr<Fence>> SimQueue::host_call(std::function<Status()> function) {
  if (!function) return invalid_argument("a host call needs a function");
  Work work;
  work.kind = WorkKind::host_call;
  work.function = std::move(function);
  return submit(std::move(work), nullptr);
}

Status SimQueue::synchronize() {
  CallEvent call(EventKind::nrt_synchronize, core_->index);
  if (call.on()) call.event.stream = static_cast<uint16_t>(state_->id);
  return core_->inbox.drain(*state_);
}

Status SimQueue::check_range(const char* what, DeviceAddress address, int64_t bytes) const {
  if (core_->memory->contains(address, bytes)) return ok_status();
  char hex[32];
  std::snprintf(hex, sizeof hex, "0x%zx", static_cast<size_t>(address));
  return invalid_argument(std::string(what) + ": " + std::to_string(bytes) + " bytes at " + hex +
                          " are not memory of neuron:" + std::to_string(core_->index));
}

Status SimQueue::check_host(const char* what, const void* pointer, int64_t bytes) const {
  if (bytes > 0 && !pointer) return invalid_argument(std::string(what) + " is a null pointer");
  if (bytes > 0 && core_->memory->contains(reinterpret_cast<DeviceAddress>(pointer), 1))
    return invalid_argument(std::string(what) + " is device memory of neuron:" + std::to_string(core_->index) +
                            ", it must be host memory");
  return ok_status();
}

}  // namespace lanewise::runtime::sim_driver

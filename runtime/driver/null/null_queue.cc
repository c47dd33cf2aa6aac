// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/null/null_queue.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/driver/null/null_executable.h"
#include "trace/record/capture.h"

namespace lanewise::runtime::null_driver {

using trace::record::EventKind;

Books::~Books() {
  for (const auto& [address, bytes] : blocks) std::free(reinterpret_cast<void*>(address));
}

bool Books::contains(DeviceAddress address, int64_t bytes) {
  if (bytes == 0) return true;
  if (bytes < 0) return false;
  std::lock_guard lock(mutex);
  auto block = blocks.upper_bound(address);
  if (block == blocks.begin()) return false;
  --block;
  const auto offset = static_cast<int64_t>(address - block->first);
  return offset <= block->second && bytes <= block->second - offset;
}

// Every submission ends here. This driver is done before it returns, so the fence is signalled at once. A driver with
// work in flight makes the fence at submission, lets at most `queue_depth` be open, and signals from its own thread or
// interrupt, in queue order. Start and end are device time: where the chip has a clock, convert it to the host's axis.
std::shared_ptr<Fence> NullQueue::done(Status status) {
  {
    std::lock_guard lock(mutex_);
    if (!status.ok() && failure_.ok()) failure_ = status;
  }
  auto fence = std::make_shared<Fence>();
  const int64_t now = trace::record::now_ns();
  fence->signal(std::move(status), now, now);
  return fence;
}

// The failure that nobody has collected, for reads and markers: who waits for them builds on the work before.
Status NullQueue::failure() {
  std::lock_guard lock(mutex_);
  return failure_;
}

// Errors that the caller made are returned, not put on the fence: bad addresses, wrong counts, null pointers.
Status NullQueue::check(DeviceAddress address, int64_t bytes) const {
  if (books_->contains(address, bytes)) return ok_status();
  return invalid_argument(std::to_string(bytes) + " bytes at the given address are not memory of neuron:" +
                          std::to_string(books_->index));
}

// The runtime event of a submission. A driver also emits the hardware event (dma_h2d, nc_exec_running, ...) with the
// same launch_id when it knows the device times, if a capture was on at submission.
void NullQueue::describe(CallEvent& call, const Origin& origin, int64_t bytes) const {
  if (!call.on()) return;
  call.event.stream = static_cast<uint16_t>(id_);
  call.event.launch_id = trace::record::new_launch_id();
  call.event.external_id = origin.external_id;
  call.event.name = origin.name;
  call.event.site = origin.site;
  call.event.bytes = bytes;
}

// What the caller did wrong with a launch.
Status NullQueue::check(const ExecuteRequest& request) const {
  auto executable = dynamic_cast<const NullExecutable*>(request.executable.get());
  if (!executable) return invalid_argument("a launch needs an executable that the null driver loaded");
  const isa::Program& program = executable->program();
  const std::string name = "program " + program.name;
  if (executable->device() != books_->index)
    return invalid_argument(name + " was loaded on neuron:" + std::to_string(executable->device()) +
                            ", the queue is of neuron:" + std::to_string(books_->index));
  size_t bound = 0;
  for (const isa::Buffer& buffer : program.buffers) {
    if (buffer.kind != isa::Buffer::Kind::input && buffer.kind != isa::Buffer::Kind::output) continue;
    if (bound < request.buffers.size()) LW_RETURN_IF_ERROR(check(request.buffers[bound], buffer.bytes).with_context(name));
    ++bound;
  }
  if (request.buffers.size() != bound || request.parameters.size() != program.parameters.size())
    return invalid_argument(name + " takes " + std::to_string(bound) + " buffers and " +
                            std::to_string(program.parameters.size()) + " parameters, the launch gives " +
                            std::to_string(request.buffers.size()) + " and " +
                            std::to_string(request.parameters.size()));
  return ok_status();
}

// Check the launch against the program, hand program, addresses and parameters to the core, return. What goes wrong
// there travels on the fence, with a sentence that names op, program and reason.
Result<std::shared_ptr<Fence>> NullQueue::execute(ExecuteRequest request) {
  LW_RETURN_IF_ERROR(check(request));
  const isa::Program& program = request.executable->program();
  CallEvent call(EventKind::nrta_execute_schedule, books_->index);
  describe(call, request.origin, 0);
  if (call.on()) call.event.program_hash = request.executable->hash();
  return done(unimplemented(std::string(trace::record::interned(request.origin.name)) + " (program " + program.name +
                            ") on neuron:" + std::to_string(books_->index) +
                            ": the null driver executes nothing; use the sim driver"));
}

// With `staged`, the source is the caller's again when this returns: copy it first. Without, read it until the fence.
Result<std::shared_ptr<Fence>> NullQueue::write(DeviceAddress to, const void* source, int64_t bytes, bool staged,
                                                Origin origin) {
  LW_RETURN_IF_ERROR(check(to, bytes));
  if (bytes > 0 && !source) return invalid_argument("the source of a write is a null pointer");
  CallEvent call(EventKind::nrt_tensor_write, books_->index);
  describe(call, origin, bytes);
  if (bytes > 0) std::memcpy(reinterpret_cast<void*>(to), source, static_cast<size_t>(bytes));
  return done(ok_status());
}

// A read behind a failure that nobody has collected carries it: its bytes may be garbage, and this is where people look.
Result<std::shared_ptr<Fence>> NullQueue::read(void* to, DeviceAddress source, int64_t bytes, Origin origin) {
  LW_RETURN_IF_ERROR(check(source, bytes));
  if (bytes > 0 && !to) return invalid_argument("the target of a read is a null pointer");
  CallEvent call(EventKind::nrt_tensor_read, books_->index);
  describe(call, origin, bytes);
  if (bytes > 0) std::memcpy(to, reinterpret_cast<const void*>(source), static_cast<size_t>(bytes));
  return done(failure());
}

// Ranges may overlap: as if the source had been read completely first.
Result<std::shared_ptr<Fence>> NullQueue::copy(DeviceAddress to, DeviceAddress source, int64_t bytes, Origin origin) {
  LW_RETURN_IF_ERROR(check(to, bytes));
  LW_RETURN_IF_ERROR(check(source, bytes));
  CallEvent call(EventKind::nrt_tensor_copy, books_->index);
  describe(call, origin, bytes);
  if (bytes > 0)
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(source), static_cast<size_t>(bytes));
  return done(ok_status());
}

Result<std::shared_ptr<Fence>> NullQueue::fill(DeviceAddress to, uint8_t value, int64_t bytes, Origin origin) {
  LW_RETURN_IF_ERROR(check(to, bytes));
  CallEvent call(EventKind::nrt_tensor_copy, books_->index);
  describe(call, origin, bytes);
  if (bytes > 0) std::memset(reinterpret_cast<void*>(to), value, static_cast<size_t>(bytes));
  return done(ok_status());
}

// Signalled when the work before it on this queue is done. Events of a framework are made of these.
Result<std::shared_ptr<Fence>> NullQueue::marker() { return done(failure()); }

// Later work on this queue starts after the fence. Return at once and let the device wait; only a driver that does
// everything in the calling thread may wait here. Work after a failed fence runs, but its failure is this queue's now.
Status NullQueue::wait_for(std::shared_ptr<Fence> fence) {
  if (!fence) return invalid_argument("a queue waits for a fence, not for nothing");
  (void)done(fence->wait());
  return ok_status();
}

// Runs after the work before it is done on the wall clock too. May run on any thread; the function does not throw.
Result<std::shared_ptr<Fence>> NullQueue::host_call(std::function<Status()> function) {
  if (!function) return invalid_argument("a host call needs a function");
  return done(function());
}

// Wait for everything submitted so far, then return and clear the first failure.
Status NullQueue::synchronize() {
  CallEvent call(EventKind::nrt_synchronize, books_->index);
  if (call.on()) call.event.stream = static_cast<uint16_t>(id_);
  std::lock_guard lock(mutex_);
  return std::exchange(failure_, ok_status());
}

}  // namespace lanewise::runtime::null_driver

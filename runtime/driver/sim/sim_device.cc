// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/sim_device.h"

#include <algorithm>
#include <utility>

#include "runtime/hal/runtime_event.h"
#include "trace/record/capture.h"

namespace lanewise::runtime::sim_driver {

using trace::record::EventKind;

SimDevice::SimDevice(std::shared_ptr<Core> core, std::shared_ptr<TimingCache> timings, const Worker::Options& options)
    : core_(std::move(core)), timings_(std::move(timings)) {
  default_queue_ = std::make_shared<SimQueue>(core_, new_state());
  worker_ = std::make_unique<Worker>(core_, options);
}

SimDevice::~SimDevice() {
  worker_.reset();
  core_->set_pressure_hook(nullptr);
  core_->release_idle();
}

Result<DeviceAddress> SimDevice::allocate(int64_t bytes) {
  auto address = core_->memory->allocate(bytes);
  if (address.ok() || address.status().code() != StatusCode::resource_exhausted) return address;
  core_->release_idle();
  return core_->memory->allocate(bytes);
}

Result<Nanos> SimDevice::time(const isa::Program& program, uint64_t hash) {
  if (auto known = timings_->find(hash)) return *known;
  LW_ASSIGN_OR_RETURN(sim::Timing timing, sim::time_program(program, *core_->machine, {}));
  Nanos duration = round_up_to_nanos(timing.duration);
  timings_->insert(hash, duration);
  return duration;
}

Result<std::shared_ptr<Executable>> SimDevice::load(const isa::Program& program, std::string_view graph_ir) {
  const uint64_t hash = isa::program_hash(program);
  if (auto loaded = core_->programs.find(hash)) return std::shared_ptr<Executable>(std::move(loaded));
  CallEvent call(EventKind::nrt_load, core_->index);
  if (call.on()) {
    call.event.program_hash = hash;
    call.event.name = trace::record::intern(program.name);
  }
  auto made = SimExecutable::make(
      program, graph_ir, hash, core_->index, *core_->machine, [&] { return time(program, hash); },
      [&](int64_t bytes) { return core_->allocate_for_program(bytes); });
  if (!made.ok()) return made.status();
  if (call.on()) call.event.bytes = (*made)->constant_bytes();
  return std::shared_ptr<Executable>(core_->programs.insert(std::move(*made)));
}

Result<std::shared_ptr<Queue>> SimDevice::create_queue() {
  std::lock_guard lock(queues_mutex_);
  return std::shared_ptr<Queue>(std::make_shared<SimQueue>(core_, new_state()));
}

// Ids are small and reused, since they become stream numbers of a profile.
std::shared_ptr<QueueState> SimDevice::new_state() {
  std::erase_if(queues_, [this](const std::shared_ptr<QueueState>& state) {
    return state.use_count() == 1 && core_->inbox.forgettable(*state);
  });
  int id = 0;
  auto taken = [&](int candidate) {
    return std::any_of(queues_.begin(), queues_.end(), [&](const auto& state) { return state->id == candidate; });
  };
  while (taken(id)) ++id;
  queues_.push_back(std::make_shared<QueueState>(id));
  return queues_.back();
}

Status SimDevice::synchronize() {
  CallEvent call(EventKind::nrt_synchronize, core_->index);
  std::vector<std::shared_ptr<QueueState>> queues;
  {
    std::lock_guard lock(queues_mutex_);
    queues = queues_;
  }
  Status first;
  for (const auto& state : queues) {
    Status status = core_->inbox.drain(*state);
    if (first.ok()) first = std::move(status);
  }
  return first;
}

}  // namespace lanewise::runtime::sim_driver

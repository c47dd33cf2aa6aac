// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A queue of a simulated device: checks what the caller gave, writes the runtime event, hands the work to the inbox.
#pragma once

#include <memory>

#include "runtime/driver/sim/core.h"
#include "runtime/hal/runtime_event.h"

namespace lanewise::runtime::sim_driver {

class SimQueue final : public Queue {
 public:
  SimQueue(std::shared_ptr<Core> core, std::shared_ptr<QueueState> state)
      : core_(std::move(core)), state_(std::move(state)) {}

  int id() const override { return state_->id; }
  Result<std::shared_ptr<Fence>> execute(ExecuteRequest request) override;
  Result<std::shared_ptr<Fence>> write(DeviceAddress to, const void* source, int64_t bytes, bool staged,
                                       Origin origin) override;
  Result<std::shared_ptr<Fence>> read(void* to, DeviceAddress source, int64_t bytes, Origin origin) override;
  Result<std::shared_ptr<Fence>> copy(DeviceAddress to, DeviceAddress source, int64_t bytes, Origin origin) override;
  Result<std::shared_ptr<Fence>> fill(DeviceAddress to, uint8_t value, int64_t bytes, Origin origin) override;
  Result<std::shared_ptr<Fence>> marker() override;
  Status wait_for(std::shared_ptr<Fence> fence) override;
  Result<std::shared_ptr<Fence>> host_call(std::function<Status()> function) override;
  bool idle() const override { return core_->inbox.idle(*state_); }
  Status synchronize() override;

 private:
  // `call` is the event of the calling method, null for calls without one.
  Result<std::shared_ptr<Fence>> submit(Work work, CallEvent* call);
  Result<std::shared_ptr<Fence>> submit_transfer(Work work, trace::record::EventKind kind);
  Status check_range(const char* what, DeviceAddress address, int64_t bytes) const;
  Status check_host(const char* what, const void* pointer, int64_t bytes) const;

  const std::shared_ptr<Core> core_;
  const std::shared_ptr<QueueState> state_;
};

}  // namespace lanewise::runtime::sim_driver

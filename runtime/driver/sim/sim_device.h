// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/driver/sim/core.h"
#include "runtime/driver/sim/sim_queue.h"
#include "runtime/driver/sim/worker.h"

namespace lanewise::runtime::sim_driver {

class SimDevice final : public Device {
 public:
  SimDevice(std::shared_ptr<Core> core, std::shared_ptr<TimingCache> timings, const Worker::Options& options);
  ~SimDevice() override;

  int index() const override { return core_->index; }
  const machine::Machine& machine() const override { return *core_->machine; }
  Result<DeviceAddress> allocate(int64_t bytes) override;
  Status free(DeviceAddress address) override { return core_->memory->free(address); }
  MemoryInfo memory() const override { return core_->memory->info(); }
  void set_memory_pressure_hook(std::function<void()> hook) override { core_->set_pressure_hook(std::move(hook)); }
  Result<std::shared_ptr<Executable>> load(const isa::Program& program, std::string_view graph_ir) override;
  Result<std::shared_ptr<Queue>> create_queue() override;
  Queue& default_queue() override { return *default_queue_; }
  Status synchronize() override;
  bool on_device_thread() const override { return core_->inbox.on_worker(); }
  int64_t launches_open() const override { return core_->inbox.launches_open(); }
  std::vector<uint32_t> open_launch_names(size_t limit) const override { return core_->inbox.open_launch_names(limit); }

 private:
  std::shared_ptr<QueueState> new_state();
  Result<Nanos> time(const isa::Program& program, uint64_t hash);

  const std::shared_ptr<Core> core_;
  const std::shared_ptr<TimingCache> timings_;
  std::mutex queues_mutex_;
  std::vector<std::shared_ptr<QueueState>> queues_;   // also of queues that are gone, until their work is done
  std::shared_ptr<SimQueue> default_queue_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace lanewise::runtime::sim_driver

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/driver/null/null_queue.h"
#include "runtime/hal/device.h"

namespace lanewise::runtime::null_driver {

class NullDevice final : public Device {
 public:
  NullDevice(int index, const machine::Machine& machine);

  int index() const override { return books_->index; }
  const machine::Machine& machine() const override { return machine_; }
  Result<DeviceAddress> allocate(int64_t bytes) override;
  Status free(DeviceAddress address) override;
  MemoryInfo memory() const override;
  Result<std::shared_ptr<Executable>> load(const isa::Program& program, std::string_view graph_ir) override;
  Result<std::shared_ptr<Queue>> create_queue() override;
  Queue& default_queue() override { return *default_queue_; }
  Status synchronize() override;
  int64_t launches_open() const override { return 0; }   // everything is done when it is submitted
  std::vector<uint32_t> open_launch_names(size_t) const override { return {}; }

 private:
  const machine::Machine machine_;
  const std::shared_ptr<Books> books_;
  std::shared_ptr<NullQueue> default_queue_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<NullQueue>> queues_;
  std::map<uint64_t, std::weak_ptr<Executable>> programs_;
};

}  // namespace lanewise::runtime::null_driver

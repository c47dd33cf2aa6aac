// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/hal/device.h"
#include "runtime/hal/runtime_event.h"

namespace lanewise::runtime::null_driver {

// The memory of a device: blocks of host memory, so an address here is a host address. A driver for a chip of its own
// replaces this by whatever its addresses mean. Queues keep it alive.
struct Books {
  explicit Books(int index, int64_t capacity) : index(index), capacity(capacity) {}
  ~Books();
  bool contains(DeviceAddress address, int64_t bytes);

  const int index;
  const int64_t capacity;
  std::mutex mutex;
  std::map<DeviceAddress, int64_t> blocks;   // address -> bytes
  int64_t used = 0;
};

class NullQueue final : public Queue {
 public:
  NullQueue(std::shared_ptr<Books> books, int id) : books_(std::move(books)), id_(id) {}

  int id() const override { return id_; }
  Result<std::shared_ptr<Fence>> execute(ExecuteRequest request) override;
  Result<std::shared_ptr<Fence>> write(DeviceAddress to, const void* source, int64_t bytes, bool staged,
                                       Origin origin) override;
  Result<std::shared_ptr<Fence>> read(void* to, DeviceAddress source, int64_t bytes, Origin origin) override;
  Result<std::shared_ptr<Fence>> copy(DeviceAddress to, DeviceAddress source, int64_t bytes, Origin origin) override;
  Result<std::shared_ptr<Fence>> fill(DeviceAddress to, uint8_t value, int64_t bytes, Origin origin) override;
  Result<std::shared_ptr<Fence>> marker() override;
  Status wait_for(std::shared_ptr<Fence> fence) override;
  Result<std::shared_ptr<Fence>> host_call(std::function<Status()> function) override;
  bool idle() const override { return true; }
  Status synchronize() override;

 private:
  std::shared_ptr<Fence> done(Status status);
  Status failure();
  Status check(DeviceAddress address, int64_t bytes) const;
  Status check(const ExecuteRequest& request) const;
  void describe(CallEvent& call, const Origin& origin, int64_t bytes) const;

  const std::shared_ptr<Books> books_;
  const int id_;
  std::mutex mutex_;
  Status failure_;   // the first that nobody has collected
};

}  // namespace lanewise::runtime::null_driver

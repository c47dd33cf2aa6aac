// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/sim_driver.h"

#include <mutex>
#include <string>
#include <utility>

#include "runtime/driver/sim/forked_child.h"
#include "runtime/driver/sim/host_memory.h"
#include "runtime/driver/sim/sim_device.h"

namespace lanewise::runtime {
namespace {

using namespace sim_driver;

constexpr size_t kTimings = 16384;   // 40 bytes each

class SimDriver final : public Driver {
 public:
  SimDriver(const machine::Machine& machine, const SimDriverOptions& options)
      : machine_(std::make_shared<const machine::Machine>(machine)), options_(options),
        timings_(std::make_shared<TimingCache>(kTimings)), devices_(static_cast<size_t>(options.devices)) {
    options_.memory_bytes = device_capacity(options.memory_bytes, machine.chip.hbm_bytes_per_core,
                                            available_host_memory(), options.devices);
  }

  ~SimDriver() override {
    // Its threads are not here, and destroying what they waited on would wait for them: leave it to the end of the child.
    if (in_forked_child())
      for (auto& device : devices_) (void)device.release();
  }

  std::string_view name() const override { return "sim"; }
  int device_count() const override { return options_.devices; }

  Result<Device*> device(int index) override {
    if (index < 0 || index >= options_.devices)
      return out_of_range("there is no neuron:" + std::to_string(index) + "; devices are neuron:0 to neuron:" +
                          std::to_string(options_.devices - 1) + " (LANEWISE_DEVICES sets how many)");
    std::lock_guard lock(mutex_);
    auto& device = devices_[static_cast<size_t>(index)];
    if (!device) {
      watch_forks();
      LW_ASSIGN_OR_RETURN(auto memory, DeviceMemory::reserve(index, options_.memory_bytes));
      auto core = std::make_shared<Core>(index, machine_, std::move(memory), options_.queue_depth);
      device = std::make_unique<SimDevice>(std::move(core), timings_,
                                           Worker::Options{options_.pacing, options_.check_hazards});
    }
    return static_cast<Device*>(device.get());
  }

 private:
  const std::shared_ptr<const machine::Machine> machine_;
  SimDriverOptions options_;
  const std::shared_ptr<TimingCache> timings_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SimDevice>> devices_;
};

}  // namespace

Result<std::unique_ptr<Driver>> create_sim_driver(const machine::Machine& machine, const SimDriverOptions& options) {
  if (options.devices < 1 || options.devices > machine.chip.cores)
    return out_of_range(std::to_string(options.devices) + " devices: machine " + machine.name + " has " +
                        std::to_string(machine.chip.cores) + " cores, one device each");
  if (options.queue_depth < 1) return invalid_argument("a queue holds at least one piece of work");
  const std::pair<const char*, int64_t> rates[] = {{"host.h2d_bytes_per_second", machine.host.h2d_bytes_per_second},
                                                   {"host.d2h_bytes_per_second", machine.host.d2h_bytes_per_second},
                                                   {"dma.hbm_bytes_per_second", machine.dma.hbm_bytes_per_second}};
  for (const auto& [key, rate] : rates)
    if (rate <= 0) return invalid_argument("machine " + machine.name + ": " + key + " must be positive");
  return std::unique_ptr<Driver>(std::make_unique<SimDriver>(machine, options));
}

std::vector<KnownGap> sim_driver_gaps() { return {}; }

}  // namespace lanewise::runtime

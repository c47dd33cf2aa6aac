// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/null/null_driver.h"

#include <mutex>
#include <string>

#include "runtime/driver/null/null_device.h"

namespace lanewise::runtime {
namespace {

class NullDriver final : public Driver {
 public:
  NullDriver(const machine::Machine& machine, int devices)
      : machine_(machine), devices_(static_cast<size_t>(devices)) {}

  std::string_view name() const override { return "null"; }
  int device_count() const override { return static_cast<int>(devices_.size()); }

  // Made at first use: opening a device may be slow, counting them never is.
  Result<Device*> device(int index) override {
    if (index < 0 || index >= device_count())
      return out_of_range("there is no neuron:" + std::to_string(index) + "; devices are neuron:0 to neuron:" +
                          std::to_string(device_count() - 1) + " (LANEWISE_DEVICES sets how many)");
    std::lock_guard lock(mutex_);
    auto& device = devices_[static_cast<size_t>(index)];
    if (!device) device = std::make_unique<null_driver::NullDevice>(index, machine_);
    return static_cast<Device*>(device.get());
  }

 private:
  const machine::Machine machine_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<null_driver::NullDevice>> devices_;
};

}  // namespace

Result<std::unique_ptr<Driver>> create_null_driver(const machine::Machine& machine, int devices) {
  if (devices < 1 || devices > machine.chip.cores)
    return out_of_range(std::to_string(devices) + " devices: machine " + machine.name + " has " +
                        std::to_string(machine.chip.cores) + " cores, one device each");
  return std::unique_ptr<Driver>(std::make_unique<NullDriver>(machine, devices));
}

// Names of tests in runtime/conformance. A driver on its way lists what is missing and takes lines out as it grows.
std::vector<KnownGap> null_driver_gaps() {
  constexpr std::string_view kNoExecution = "the null driver executes nothing";
  constexpr std::string_view kAtOnce = "the null driver does everything in the calling thread, so nothing is in flight";
  return {
      {"execute_computes_values", kNoExecution},
      {"execute_passes_parameters", kNoExecution},
      {"execute_failure_names_op_program_and_reason", kNoExecution},
      {"failed_launch_does_not_stop_later_ones", kNoExecution},
      {"constants_and_scratch_are_bound", kNoExecution},
      {"execution_has_device_time", kNoExecution},
      {"many_threads_submit", kNoExecution},
      {"launch_failure_reaches_reader", kNoExecution},
      {"open_launches_are_counted_and_named", kAtOnce},
      {"bounded_queue_makes_submitter_wait", kAtOnce},
      {"host_call_finds_queue_full", kAtOnce},
      {"host_call_cannot_wait_for_its_device", kAtOnce},
      {"wait_for_returns_at_once", kAtOnce},
      {"destruction_ends_open_work", kAtOnce},
      {"queue_outlives_its_device", kAtOnce},
      {"queue_is_not_idle_while_work_runs", kAtOnce},
  };
}

}  // namespace lanewise::runtime

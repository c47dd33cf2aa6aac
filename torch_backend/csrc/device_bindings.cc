// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "torch_backend/csrc/bindings.h"
#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/generator.h"
#include "torch_backend/csrc/producer.h"
#include "torch_backend/csrc/tensor_python.h"

namespace nb = nanobind;

namespace lanewise::torch_backend {
namespace {

int checked(int index) { return index < 0 ? current_device() : index; }

nb::dict memory_counter(const runtime::AllocatorStats::Counter& counter) {
  nb::dict out;
  out["current"] = counter.current;
  out["peak"] = counter.peak;
  out["allocated"] = counter.allocated;
  out["freed"] = counter.freed;
  return out;
}

nb::dict memory_stats(int index) {
  const auto stats = device_state(checked(index)).allocator->stats();
  nb::dict out;
  out["allocated_bytes"] = memory_counter(stats.allocated_bytes);
  out["reserved_bytes"] = memory_counter(stats.reserved_bytes);
  out["allocation"] = memory_counter(stats.allocations);
  out["segment"] = memory_counter(stats.segments);
  out["num_ooms"] = stats.out_of_memory;
  out["num_alloc_retries"] = stats.retries;
  out["largest_free_block"] = stats.largest_free_block;
  return out;
}

nb::dict device_properties(int index) {
  DeviceState& state = device_state(checked(index));
  const machine::Machine& machine = state.device->machine();
  nb::dict out;
  out["name"] = "neuron:" + std::to_string(state.index);
  out["total_memory"] = state.device->memory().capacity;
  out["machine"] = machine.name;
  out["machine_spec"] = machine.spec;
  out["exec_overhead_ns"] = machine.host.exec_overhead_ns;
  out["device_capture_overhead_ns"] = machine.host.device_capture_overhead_ns;
  out["partitions"] = machine.memory.partitions;
  out["sbuf_bytes"] = machine.memory.partitions * machine.memory.sbuf_partition_bytes;
  return out;
}

nb::dict machine_info() {
  const auto producer = producer_of(current_machine());
  nb::dict out;
  out["preset"] = producer.machine_preset;
  out["spec"] = producer.machine_spec;
  out["exec_overhead_ns"] = producer.exec_overhead_ns;
  out["device_capture_overhead_ns"] = producer.device_capture_overhead_ns;
  out["simulator_version"] = producer.simulator_version;
  out["compiler_version"] = producer.compiler_version;
  out["torch_version"] = producer.torch_version;
  return out;
}

}  // namespace

void bind_device(nb::module_& module) {
  module.def("device_count", &device_count);
  module.def("current_device", &current_device);
  module.def("set_device", &set_current_device);
  module.def("is_initialized", &context_initialized);
  module.def("is_in_bad_fork", &in_bad_fork);
  module.def("init", [] { device_state(current_device()); }, nb::call_guard<nb::gil_scoped_release>());
  module.def("synchronize_all", [] { if (context_initialized()) synchronize_all(); }, nb::call_guard<nb::gil_scoped_release>(),
             "Waits for every device in use; raises the first failure.");
  module.def("machine_info", &machine_info);
  module.def("default_generator", [](int index) { return nb::steal(wrap_generator(default_generator(index))); });
  module.def("memory_stats", &memory_stats, nb::arg("device") = -1);
  module.def("device_properties", &device_properties, nb::arg("device") = -1);
  module.def("launches_open", [](int index) {
    index = checked(index);
    return device_initialized(index) ? device_state(index).device->launches_open() : 0;
  }, nb::arg("device") = -1);
}

}  // namespace lanewise::torch_backend

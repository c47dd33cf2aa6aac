// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/producer.h"

#include <torch/version.h>

#include "compiler/compile.h"
#include "sim/chip/chip.h"

namespace lanewise::torch_backend {

trace::record::Producer producer_of(const machine::Machine& machine) {
  return {.machine_preset = machine.name,
          .machine_spec = machine.spec,
          .simulator_version = std::string(sim::simulator_version()),
          .compiler_version = std::string(compiler::compiler_version()),
          .torch_version = TORCH_VERSION,
          .exec_overhead_ns = machine.host.exec_overhead_ns,
          .device_capture_overhead_ns = machine.host.device_capture_overhead_ns};
}

}  // namespace lanewise::torch_backend

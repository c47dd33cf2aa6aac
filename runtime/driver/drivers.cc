// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/drivers.h"

#include <string>

#include "runtime/driver/null/null_driver.h"
#include "runtime/driver/sim/sim_driver.h"

namespace lanewise::runtime {
namespace {

struct Entry {
  std::string_view name;
  Result<std::unique_ptr<Driver>> (*create)(const machine::Machine& machine, const DriverOptions& options);
  std::vector<KnownGap> (*gaps)();
};

Result<std::unique_ptr<Driver>> create_sim(const machine::Machine& machine, const DriverOptions& options) {
  SimDriverOptions sim;
  sim.devices = options.devices;
  sim.pacing = options.pacing;
  sim.check_hazards = options.check_hazards;
  sim.queue_depth = options.queue_depth;
  sim.memory_bytes = options.memory_bytes;
  return create_sim_driver(machine, sim);
}

Result<std::unique_ptr<Driver>> create_null(const machine::Machine& machine, const DriverOptions& options) {
  return create_null_driver(machine, options.devices);
}

// A new driver is one line here.
constexpr Entry kDrivers[] = {
    {"sim", create_sim, sim_driver_gaps},
    {"null", create_null, null_driver_gaps},
};

}  // namespace

Result<std::unique_ptr<Driver>> create_driver(std::string_view name, const DriverOptions& options) {
  DriverOptions complete = options;
  if (complete.machine.empty()) complete.machine = machine::default_spec();
  if (complete.devices == 0) {
    LW_ASSIGN_OR_RETURN(DriverOptions environment, options_from_environment());
    complete.devices = environment.devices;
  }
  std::string known;
  for (const Entry& entry : kDrivers) {
    if (entry.name == name) {
      LW_ASSIGN_OR_RETURN(machine::Machine machine, machine::load_machine(complete.machine));
      return entry.create(machine, complete);
    }
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  return not_found("there is no driver '" + std::string(name) + "'; drivers are " + known);
}

std::vector<std::string_view> driver_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kDrivers) names.push_back(entry.name);
  return names;
}

std::vector<KnownGap> driver_gaps(std::string_view name) {
  for (const Entry& entry : kDrivers)
    if (entry.name == name) return entry.gaps();
  return {};
}

}  // namespace lanewise::runtime

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>

#include "runtime/driver/drivers.h"

namespace lanewise::runtime {
namespace {

constexpr int kDefaultDevices = 2;
constexpr int kMostCores = 4096;   // keeps "0-999999999" from building a long list; the machine sets the real limit

// Empty counts as unset, as people write `VARIABLE= command`.
std::string_view variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

Status refused(const char* name, std::string_view value, std::string_view accepted) {
  return invalid_argument(std::string(name) + "='" + std::string(value) + "' is not accepted; use " +
                          std::string(accepted));
}

// The whole text as a number within [least, most]; false otherwise.
bool parse_number(std::string_view text, int64_t least, int64_t most, int64_t* value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && *value >= least && *value <= most;
}

Status read_count(const char* name, int* count) {
  std::string_view text = variable(name);
  int64_t value = 0;
  if (text.empty()) return ok_status();
  if (!parse_number(text, 1, kMostCores, &value)) return refused(name, text, "a number of devices from 1 on");
  *count = static_cast<int>(value);
  return ok_status();
}

Status read_visible_cores(int* count) {
  constexpr const char* kName = "NEURON_RT_VISIBLE_CORES";
  const std::string_view text = variable(kName);
  if (text.empty()) return ok_status();
  const Status bad = refused(kName, text, "core numbers and ranges, each core once: 0 or 0,1 or 0-3");
  std::set<int64_t> cores;
  for (size_t begin = 0; begin <= text.size();) {
    size_t comma = std::min(text.find(',', begin), text.size());
    std::string_view item = text.substr(begin, comma - begin);
    begin = comma + 1;
    size_t dash = item.find('-');
    int64_t first = 0, last = 0;
    if (!parse_number(item.substr(0, dash), 0, kMostCores - 1, &first)) return bad;
    if (dash == std::string_view::npos) {
      last = first;
    } else if (!parse_number(item.substr(dash + 1), first, kMostCores - 1, &last)) {
      return bad;
    }
    for (int64_t core = first; core <= last; ++core)
      if (!cores.insert(core).second) return bad;
  }
  *count = static_cast<int>(cores.size());
  return ok_status();
}

Status read_switch(const char* name, bool* value) {
  std::string_view text = variable(name);
  if (text.empty()) return ok_status();
  if (text == "on" || text == "1") *value = true;
  else if (text == "off" || text == "0") *value = false;
  else return refused(name, text, "on or off (1 or 0)");
  return ok_status();
}

Status read_bytes(const char* name, int64_t* bytes) {
  std::string_view text = variable(name);
  if (text.empty()) return ok_status();
  constexpr std::string_view kUnits = "kmgt";
  std::string_view digits = text;
  int shift = 0;
  if (size_t unit = kUnits.find(static_cast<char>(text.back() | 0x20)); unit != std::string_view::npos) {
    shift = 10 * static_cast<int>(unit + 1);
    digits.remove_suffix(1);
  }
  int64_t value = 0;
  // Address space ends at 2^47, and a device takes twice its capacity of it.
  if (!parse_number(digits, 1, (int64_t{1} << 45) >> shift, &value))
    return refused(name, text, "a number of bytes, or one with k, m, g or t behind it: 4g");
  *bytes = value << shift;
  return ok_status();
}

}  // namespace

Result<DriverOptions> options_from_environment() {
  DriverOptions options;
  options.machine = variable("LANEWISE_MACHINE");
  // From the weakest to the strongest; a bad one is an error even if a stronger one is set.
  options.devices = kDefaultDevices;
  LW_RETURN_IF_ERROR(read_count("NEURON_RT_NUM_CORES", &options.devices));
  LW_RETURN_IF_ERROR(read_visible_cores(&options.devices));
  LW_RETURN_IF_ERROR(read_count("LANEWISE_DEVICES", &options.devices));
  LW_RETURN_IF_ERROR(read_switch("LANEWISE_PACING", &options.pacing));
  LW_RETURN_IF_ERROR(read_switch("LANEWISE_CHECK_HAZARDS", &options.check_hazards));
  LW_RETURN_IF_ERROR(read_bytes("LANEWISE_DEVICE_MEMORY", &options.memory_bytes));
  return options;
}

}  // namespace lanewise::runtime

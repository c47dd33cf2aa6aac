// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/profile_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "trace/record/capture.h"

namespace lanewise::torch_backend {
namespace {

using trace::record::CaptureOptions;

constexpr int kLastCore = trace::record::kMaxCores - 1;

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Status wrong(std::string_view key, std::string_view value, std::string_view wanted) {
  return invalid_argument(std::string(key) + " is '" + std::string(value) + "', not " +
                          std::string(wanted));
}

Result<std::string> percent_decoded(std::string_view key, std::string_view value) {
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '%') {
      text.push_back(value[i]);
      continue;
    }
    const auto byte = parse_number<unsigned>(value.substr(i + 1, 2), 16);
    if (!byte || i + 2 >= value.size()) return wrong(key, value, "percent-encoded text");
    text.push_back(static_cast<char>(*byte));
    i += 2;
  }
  return text;
}

Result<bool> parse_flag(std::string_view key, std::string_view value) {
  if (value == "1" || value == "true" || value == "True") return true;
  if (value == "0" || value == "false" || value == "False") return false;
  return wrong(key, value, "true or false");
}

Status set_modes(std::string_view key, std::string_view value, CaptureOptions& options) {
  options.device = options.runtime = options.cpu_util = options.host_memory = false;
  for (std::string_view mode : split(value, ',')) {
    if (mode == "DEVICE") options.device = true;
    else if (mode == "RUNTIME") options.runtime = true;
    else if (mode == "CPU_UTIL") options.cpu_util = true;
    else if (mode == "HOST_MEMORY") options.host_memory = true;
    else return wrong(key, value, "a list of DEVICE, RUNTIME, CPU_UTIL, HOST_MEMORY");
  }
  return ok_status();
}

// Whether the key is one of ours.
Result<bool> set_option(std::string_view key, const std::string& value, CaptureOptions& options) {
  if (key == "modes") {
    LW_RETURN_IF_ERROR(set_modes(key, value, options));
  } else if (key == "max_events_per_nc") {
    LW_ASSIGN_OR_RETURN(options.max_events_per_nc, parse_count(key, value));
  } else if (key == "capture_enabled_for_nc") {
    LW_ASSIGN_OR_RETURN(options.cores, parse_cores(key, value));
  } else if (key == "profile_output_dir") {
    if (value.empty()) return wrong(key, value, "a path");
    options.profile_output_dir = value;
  } else if (key == "neff_cache_dir") {
    options.neff_cache_dir = value;
  } else if (key == "precache_node_info") {
    LW_ASSIGN_OR_RETURN(options.precache_node_info, parse_flag(key, value));
  } else if (key == "correlate_device_time") {
    LW_ASSIGN_OR_RETURN(options.correlate_device_time, parse_flag(key, value));
  } else if (key == "host_memory") {   // the older form has a key where the current one has a mode
    LW_ASSIGN_OR_RETURN(options.host_memory, parse_flag(key, value));
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<std::vector<int>> parse_cores(std::string_view key, std::string_view value) {
  std::vector<int> cores;
  for (std::string_view part : split(value, ',')) {
    const size_t dash = part.find('-');
    const auto first = parse_number<int>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > kLastCore) {
      return wrong(key, value, "a list of cores and ranges such as 0,1,2-5");
    }
    for (int core = *first; core <= *last; ++core) cores.push_back(core);
  }
  return cores;
}

Result<uint64_t> parse_count(std::string_view key, std::string_view value) {
  const auto count = parse_number<uint64_t>(value);
  if (!count || *count == 0) return wrong(key, value, "a count above 0");
  return *count;
}

std::string missing_cores_text(std::string_view key, const std::vector<int>& cores, int devices) {
  constexpr size_t kShown = 8;
  std::string names;
  size_t missing = 0;
  for (const int core : cores) {
    if (core < devices) continue;
    if (++missing <= kShown) names += (missing > 1 ? ", " : "") + std::to_string(core);
  }
  if (missing == 0) return {};
  if (missing > kShown) names += " and " + std::to_string(missing - kShown) + " more";
  const std::string there = devices == 1 ? "core 0 only" : "cores 0 to " + std::to_string(devices - 1);
  return std::string(key) + " names " + (missing == 1 ? "core " : "cores ") + names + "; this process has " + there +
         (missing == cores.size() ? ", so the capture holds no device" : "");
}

Result<ProfileSettings> parse_profile_text(std::string_view text) {
  ProfileSettings settings;
  bool asked = false;
  for (std::string_view part : split(text, ';')) {
    if (part.empty()) continue;
    const size_t colon = part.find(':');
    const std::string_view key = part.substr(0, colon);
    if (colon == std::string_view::npos) {
      settings.unknown.emplace_back(key);
      continue;
    }
    LW_ASSIGN_OR_RETURN(const std::string value, percent_decoded(key, part.substr(colon + 1)));
    LW_ASSIGN_OR_RETURN(const bool known, set_option(key, value, settings.options));
    asked |= known;
    if (!known) settings.unknown.emplace_back(key);
  }
  settings.options.write_files = asked;
  if (!asked) settings.options.device = false;
  return settings;
}

}  // namespace lanewise::torch_backend

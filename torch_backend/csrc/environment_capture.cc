// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/environment_capture.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "torch_backend/csrc/profile_text.h"

namespace lanewise::torch_backend {
namespace {

#define LW_INSPECT "NEURON_RT_INSPECT_"

Result<bool> flag(const Environment& environment, const char* variable, bool otherwise) {
  const auto value = environment(variable);
  if (!value || value->empty()) return otherwise;
  if (*value == "1" || *value == "true") return true;
  if (*value == "0" || *value == "false") return false;
  return invalid_argument(std::string(variable) + " is '" + *value + "', not 0 or 1");
}

Result<bool> device_profile(const Environment& environment) {
  const auto value = environment(LW_INSPECT "DEVICE_PROFILE");
  // The two kinds differ in what real hardware must keep; here a program's first execution stands for all.
  if (value && (*value == "model" || *value == "session")) return true;
  auto plain = flag(environment, LW_INSPECT "DEVICE_PROFILE", false);
  if (!plain.ok()) return invalid_argument(plain.status().message() + ", model or session");
  return plain;
}

// Process-wide owner: nobody else holds a capture that no profiler started. Never destroyed: captures end at exit.
struct EnvironmentCapture {
  std::mutex mutex;
  trace::record::CaptureOptions options;
  trace::record::Producer producer;
  std::shared_ptr<trace::record::Capture> capture;
};
EnvironmentCapture& environment_capture() {
  static auto* const capture = new EnvironmentCapture;
  return *capture;
}

}  // namespace

std::optional<std::string> process_environment(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

Result<std::optional<trace::record::CaptureOptions>> capture_from_environment(const Environment& environment) {
  LW_ASSIGN_OR_RETURN(const bool enabled, flag(environment, LW_INSPECT "ENABLE", false));
  if (!enabled) return std::optional<trace::record::CaptureOptions>();
  if (const auto types = environment(LW_INSPECT "EVENT_FILTER_TYPE"); types && !types->empty()) {
    return unimplemented(LW_INSPECT "EVENT_FILTER_TYPE is not served: capture all types and filter when reading");
  }
  trace::record::CaptureOptions options;
  LW_ASSIGN_OR_RETURN(options.runtime, flag(environment, LW_INSPECT "SYSTEM_PROFILE", true));
  LW_ASSIGN_OR_RETURN(options.device, device_profile(environment));
  LW_ASSIGN_OR_RETURN(options.cpu_util, flag(environment, LW_INSPECT "CPU_UTIL", false));
  LW_ASSIGN_OR_RETURN(options.host_memory, flag(environment, LW_INSPECT "HOST_MEMORY", false));
  if (const auto folder = environment(LW_INSPECT "OUTPUT_DIR"); folder && !folder->empty()) {
    options.profile_output_dir = *folder;
  }
  if (const auto cores = environment(LW_INSPECT "EVENT_FILTER_NC"); cores && !cores->empty()) {
    auto parsed = parse_cores(LW_INSPECT "EVENT_FILTER_NC", *cores);
    if (!parsed.ok()) return parsed.status();
    options.cores = std::move(parsed).value();
  }
  if (const auto events = environment(LW_INSPECT "SYS_TRACE_MAX_EVENTS_PER_NC"); events && !events->empty()) {
    LW_ASSIGN_OR_RETURN(options.max_events_per_nc, parse_count(LW_INSPECT "SYS_TRACE_MAX_EVENTS_PER_NC", *events));
  }
  return std::optional(std::move(options));
}

Status start_environment_capture(const trace::record::Producer& producer, int devices) {
  LW_ASSIGN_OR_RETURN(const auto options, capture_from_environment(process_environment));
  EnvironmentCapture& e = environment_capture();
  std::lock_guard lock(e.mutex);
  if (!options || e.capture != nullptr) return ok_status();
  const std::string missing = missing_cores_text(LW_INSPECT "EVENT_FILTER_NC", options->cores, devices);
  if (!missing.empty()) std::fprintf(stderr, "lanewise: %s\n", missing.c_str());
  e.options = *options;
  e.producer = producer;
  LW_ASSIGN_OR_RETURN(e.capture, trace::record::Capture::start(e.options, e.producer));
  return ok_status();
}

bool pause_environment_capture(Status* written) {
  EnvironmentCapture& e = environment_capture();
  std::lock_guard lock(e.mutex);
  if (e.capture == nullptr) return false;
  *written = e.capture->stop().write_status;
  e.capture.reset();
  return true;
}

Status resume_environment_capture() {
  EnvironmentCapture& e = environment_capture();
  std::lock_guard lock(e.mutex);
  LW_ASSIGN_OR_RETURN(e.capture, trace::record::Capture::start(e.options, e.producer));
  return ok_status();
}

}  // namespace lanewise::torch_backend

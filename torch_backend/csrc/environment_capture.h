// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A capture of the whole process that is asked for by environment variables and needs no change of the script:
//
//   NEURON_RT_INSPECT_ENABLE=1                          the switch
//   NEURON_RT_INSPECT_OUTPUT_DIR                        ./output
//   NEURON_RT_INSPECT_SYSTEM_PROFILE                    1: ntrace.pb, trace_info.pb
//   NEURON_RT_INSPECT_DEVICE_PROFILE                    0; 1, model or session: a NEFF and NTFF pair per program
//   NEURON_RT_INSPECT_CPU_UTIL, _HOST_MEMORY            0
//   NEURON_RT_INSPECT_EVENT_FILTER_NC                   all cores; a list such as 0,1,2-5
//   NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC       1000000
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "trace/record/capture.h"

namespace lanewise::torch_backend {

// Text of a variable, nothing when it is not set. Tests give their own.
using Environment = std::function<std::optional<std::string>(const char*)>;
std::optional<std::string> process_environment(const char* variable);

// Nothing when no capture is asked for. Errors: invalid_argument names the variable's setting; unimplemented for
// NEURON_RT_INSPECT_EVENT_FILTER_TYPE.
Result<std::optional<trace::record::CaptureOptions>> capture_from_environment(const Environment& environment);

// Starts it, if asked for, when the device is first used. It stops when the process ends. `devices`: how many the process has;
// cores beyond are named on stderr.
Status start_environment_capture(const trace::record::Producer& producer, int devices);

// There is one capture at a time, and a profile that the script asks for comes first: its folder is closed here (true), and
// `resume` starts another. Between the two the environment's capture sees nothing.
// `written`: whether its files are complete.
bool pause_environment_capture(Status* written);
Status resume_environment_capture();

}  // namespace lanewise::torch_backend

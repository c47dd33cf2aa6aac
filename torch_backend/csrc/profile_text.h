// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The text in which NeuronConfig reaches the plug-in: "key:value;key:value", values percent-encoded. It is written by
// lanewise/profiling/encoding.py; scripts of the older form write it by hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "trace/record/capture.h"

namespace lanewise::torch_backend {

struct ProfileSettings {
  trace::record::CaptureOptions options;
  std::vector<std::string> unknown;   // keys that mean nothing here; the caller warns
};

// Without a key of ours nobody asked for a capture: no files, no DEVICE stream and so no cost, events for the table only.
// Errors: invalid_argument names key and value.
Result<ProfileSettings> parse_profile_text(std::string_view text);

// "0,1,2-5" and a count above 0; `key` names the setting in the error.
Result<std::vector<int>> parse_cores(std::string_view key, std::string_view value);
// What to say when a capture is asked for of cores that a process with so many devices does not have; "" when it has all of them.
std::string missing_cores_text(std::string_view key, const std::vector<int>& cores, int devices);
Result<uint64_t> parse_count(std::string_view key, std::string_view value);

}  // namespace lanewise::torch_backend

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise view --output-format perfetto: one trace for the system and one for each device profile, as the public tool has it.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "trace/session/device_files.h"

namespace lanewise::tools {

// "n_<hash>", with instance and core where they are not 0; captures of one program are told apart by a number.
std::vector<std::string> block_names(const std::vector<trace::session::DeviceFiles>& devices);

struct ViewPerfetto {
  std::string out;      // OUT.pftrace
  std::string folder;   // with the system trace; empty: none is asked for
  std::vector<trace::session::DeviceFiles> devices;
  bool semaphores = false;   // their values as counters
};
// Writes the system trace to OUT.pftrace and each device profile to OUT_n_<hash>.pftrace beside it; of one device profile
// without a system trace, OUT.pftrace itself. A folder of pairs without a trace: the device profiles, and a line on stderr.
// What cannot be read is said on stderr and left out; false: something was. Errors: not_found (nothing to write), and those of writing;
// files that are written by then stay.
Result<bool> view_perfetto(const ViewPerfetto& asked);

// One line on stderr for what is left out.
void say_left_out(const std::string& path, const std::string& reason);

}  // namespace lanewise::tools

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The program alone, of a capture that also shows the runtime's work around it.
//
// A real capture begins with the runtime's prologue and ends with its epilogue, ten times as long as a small program. The
// questions are about the program, so its part is cut out: first..last becomes 0..duration, runs of the runtime's own go, and
// the rest of the capture becomes the execution's overhead, which the answers give apart. Of ours, where the capture is the
// program, nothing changes.
#pragma once

#include "trace/device/profile.h"

namespace lanewise::trace::device_analysis {

struct KernelView {
  device::DeviceProfile profile;
  Picos from;          // where time 0 of the view lies in the capture
  Picos captured;      // whole length of the capture
  bool cut = false;    // something lies around the program
};
KernelView kernel_view(device::DeviceProfile profile);

}  // namespace lanewise::trace::device_analysis

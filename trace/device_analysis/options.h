// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What all questions of the device level are asked about.
#pragma once

#include <vector>

#include "base/status.h"
#include "machine/machine.h"
#include "trace/analysis/table.h"
#include "trace/device/profile.h"

namespace lanewise::trace::device_analysis {

using analysis::ColumnType;
using analysis::Table;

struct Subject {
  const device::DeviceProfile& profile;
  const machine::Machine& machine;   // the numbers of peaks and hops
};

}  // namespace lanewise::trace::device_analysis

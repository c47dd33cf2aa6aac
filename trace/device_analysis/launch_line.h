// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The line of an eager launch: one operator, one program, so all its instructions come from the line that called it. The framework
// trace has it when it was recorded with Python stacks (with_stack), to the function: its line is the head of the function, as
// trace/analysis/asked.h says. Graphs of torch.compile tell each node's own
// (trace/session/launch_sources.h).
#pragma once

#include "trace/analysis/model.h"
#include "trace/device/profile.h"
#include "trace/schema/event_id.h"

namespace lanewise::trace::device_analysis {

// Gives the instructions of a profile without sources the stack and the module around the operator that launched `execution`, an
// nc_exec_running of the model. Without such a stack the profile stays as it is.
void add_launch_line(const analysis::Model& model, schema::EventId execution, device::DeviceProfile* profile);

}  // namespace lanewise::trace::device_analysis

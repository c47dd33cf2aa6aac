// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Who made a capture: machine, overheads and versions, for trace_info.pb and the label of every simulated number.
#pragma once

#include "machine/machine.h"
#include "trace/record/capture.h"

namespace lanewise::torch_backend {

trace::record::Producer producer_of(const machine::Machine& machine);

}  // namespace lanewise::torch_backend

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What every answer about a device profile says first: which files, which execution, whose numbers.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "machine/machine.h"
#include "trace/session/device_files.h"

namespace lanewise::tools {

std::string device_head(const trace::session::OpenedDevice& opened, const machine::Machine& machine);

// Members "profile", "execution" (when one was chosen) and "ledger" of the JSON form.
void write_device_head(JsonWriter& w, const trace::session::OpenedDevice& opened, const machine::Machine& machine);

}  // namespace lanewise::tools

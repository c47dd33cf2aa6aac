// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The folder of one capture: <profile_output_dir>/i-<machine id>_pid_<pid>/<timestamp>/.
#pragma once

#include <string>

#include "base/status.h"

namespace lanewise::trace::record {

// 17 hexadecimal digits, the shape of an EC2 instance id; the same in every process of a machine. Made from
// /etc/machine-id, or from the host's name where that file is missing; a hash, so that the id itself is not given away.
std::string machine_id();

// Makes the folder and gives its absolute path. The timestamp is UTC with microseconds (20261129_191429_123456), one
// more when that exists already. Errors: invalid_argument (empty path, a file is in the way), failed_precondition (no
// permission), resource_exhausted (no space), each with the path.
Result<std::string> make_session_folder(const std::string& profile_output_dir, int64_t now_ns);

}  // namespace lanewise::trace::record

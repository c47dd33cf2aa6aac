// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "trace/schema/producers.h"

namespace lanewise::trace::session {

// The built-in accelerators and those of the user's text file (docs/producers.md); null for "". not_found: it cannot be read;
// invalid_argument: it is a folder, holds no producer, has a line that cannot be understood, or is larger than such a file can be.
Result<std::unique_ptr<schema::Producers>> read_producers(const std::string& path);

}  // namespace lanewise::trace::session

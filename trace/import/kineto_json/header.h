// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The facts of a trace file from its root keys: base time, rank, devices.
#pragma once

#include "trace/schema/trace_file.h"

namespace lanewise::trace::kineto_json {

// Fills the fields of `file` that come from file->metadata. What is missing or has another form stays as it is.
void read_header(schema::TraceFile* file);

}  // namespace lanewise::trace::kineto_json

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise export FILE --csv DIR | --perfetto OUT: a trace in the form of other tools; --perfetto also takes a device pair. (--parquet starts Python: lanewise.cc.)
#pragma once

#include <string>

#include "base/status.h"
#include "trace/session/device_files.h"
#include "trace/session/session.h"

namespace lanewise::tools {

struct ExportArguments {
  std::string path, producers;
  std::string csv, perfetto, parquet;  // one of them
  bool semaphores = false;             // --perfetto of a device pair: their values as counters
};

// What --perfetto does, also for `view`: the file, and a line on stdout of what is in it.
Status export_perfetto(const trace::session::Session& session, const std::string& out);
// The same of a device profile; a line on stderr for each thing that is wrong with its files.
Status export_device_perfetto(const trace::session::OpenedDevice& opened, bool semaphores, const std::string& out);

int run_export(const ExportArguments& arguments);

}  // namespace lanewise::tools

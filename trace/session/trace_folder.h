// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which files of a folder are traces, and which should be but cannot be read.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace lanewise::trace::session {

// A file or folder that is no part of the session although it may hold a trace. `reason` is a sentence without the path.
struct UnreadFile {
  std::string path, reason;
};

struct TraceFiles {
  std::vector<std::string> files;   // sorted by path; a file that two names lead to is there once
  std::vector<UnreadFile> unread;   // sorted by path
  bool folder = false;              // found in a folder: then one that turns out unreadable does not spoil the others
};

// A file: itself. A folder: the trace files in it and in the folders below (at most 4 levels); told apart from other files
// by their content. Unread are: what may not be opened; compressed files without one byte of text; JSON that ends inside its
// first value, before any event (it is cut off); empty files that are named like a trace, since they have no content to tell;
// an ntrace.pb, the system trace of a capture, without a packet at its head.
// not_found: no such path, or a folder with neither a trace nor such a file; data_loss: a folder with only such files.
Result<TraceFiles> trace_files(const std::string& path);

}  // namespace lanewise::trace::session

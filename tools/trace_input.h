// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What all commands on traces share: opening with progress on stderr, Ctrl-C, and the line about damage.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "trace/session/session.h"

namespace lanewise::tools {

inline constexpr int kExitDone = 0, kExitLimit = 1, kExitUsage = 2, kExitInterrupted = 130;

struct TraceInput {
  std::shared_ptr<const trace::session::Session> session;
  std::unique_ptr<trace::schema::Producers> producers;
};

// Shows progress with rate and remaining time once it takes over a second and stderr is a terminal or `always_progress`.
// `producers_path`: "" or a file for schema::Producers::with.
Result<TraceInput> open_trace(const std::vector<std::string>& paths, const std::string& producers_path = {});

// Prints the failure and gives the exit code for it.
int exit_code_of(const Status& status);

// One line on stderr for each damaged file. True when there is one.
bool report_damage(const trace::session::Session& session);

}  // namespace lanewise::tools

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether files belong into one session. Files that have nothing to do with each other would be idle for each other's time.
//
// A system trace and the one framework trace beside it in its folder are one trace (a capture). Traces are of one run when all tell distinct ranks
// of one world size (distributedInfo), or when their spans of time overlap: each with another one, all connected, clocks off by at most
// kClockSlackNs. Never of one run are captures of one process (i-*_pid_N/<timestamp>/, two timestamps): a process is one rank, and they
// follow each other however close they lie.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "trace/session/session.h"

namespace lanewise::trace::session {

// Clocks of the hosts of one run, kept by NTP, differ by less.
inline constexpr int64_t kClockSlackNs = 1'000'000'000;

// invalid_argument: they are not of one run; the sentence lists the traces by their time and names the newest.
Status check_one_run(const std::vector<SessionFile>& files);

}  // namespace lanewise::trace::session

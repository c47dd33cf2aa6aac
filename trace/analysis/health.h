// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// health: what is wrong or missing in the file itself, before anybody draws a conclusion from it.
//
// Checks, by name (a check that finds nothing has count 0 and state "ok"; one that the file gives no ground for has state "not_known"):
//   kernel_before_launch    device events that start before their call began: the clocks of host and device disagree, or the link is wrong
//   clock_skew              files whose clock differs from that of the first by more than kSkewNs (value_ns: by how much)
//   missing_device_rows     calls launched work and the file has not one device event
//   silent_device           the file names a device (its properties, a device of its runtime calls, a communication backend of one) and
//                           has neither device events nor runtime calls of it
//   launch_without_kernel   launch calls that no device event belongs to, in a file that has device events
//   device_event_without_call  device events that nothing ties to a call
//   truncated               places where the file ends too early
//   lost_events             events dropped or skipped by the import, and events that the capture itself says it lost
//   repaired_events         events read although they are not valid JSON
//   missing_synchronize     work was launched after the last wait of the host, and the record stops within it: launches of the end have no device
//                           event, or device work ends after everything on the host
//   sync_before_end         a wait for the whole device, or for a stream, that returned before work submitted ahead of it had ended
//   overlap_on_lane         device events that start before an earlier one of their lane ended: sums are larger than busy time
//   crossing_slices         host slices that do not nest
//   negative_durations      slices whose duration is below 0
//   missing_memory_rows     profile_memory was on, and there is no memory event
//   missing_python_rows     with_stack was on, and there is no Python function
//   wait_without_record, record_after_wait, bare_collective, shared_sequence: consistency.h
//   sim_lag                 the simulator was slower than its device (value_ns: how long): that time is no one's fault
//
//   checks  check, state (ok, note, problem, not_known), count, of (null where it says nothing), text
//   rows    kind (the check), part, event (null: the whole file), value_ns (null: no time), text. One a finding, so --fail-on 'KIND>N' counts them
#pragma once

#include <string_view>
#include <vector>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

// Smaller differences are what the measurement itself is worth.
inline constexpr int64_t kSkewNs = 100'000;

// The names of all checks.
std::vector<std::string_view> health_checks();

Result<std::vector<Table>> health_tables(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis

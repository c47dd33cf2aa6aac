// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From what people have in their hands (a .neff, an .ntff, a capture folder, an event of a system trace) to a DeviceProfile.
//
//   X.neff Y.ntff   this pair
//   X.neff          with the .ntff beside it: by the pair id inside, others also by the name (same stem, or
//                   neff_<hash>_... and <hash>_instid_...)
//   Y.ntff          the same the other way round
//   FOLDER          its pair when there is one, else one of them by program (name or hash), or by an execution: an event
//                   of the trace in the folder
//
// Which half a file is its bytes say, not its name (trace/pair/file_kind.h).
//
// The pair of a program holds its first captured execution. Any other execution is that one shifted: the times of the
// profile stay, `Execution` says where in the trace they lie.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "trace/device/profile.h"
#include "trace/schema/event_id.h"
#include "trace/session/session.h"
#include "trace/session/trace_folder.h"

namespace lanewise::trace::session {

struct DeviceFiles {
  std::string neff, ntff;     // paths
  std::string program, hash;  // as the .neff's header says; of a foreign one: its name, and the number in its file name
  uint32_t instance = 0;
  uint16_t nc = 0;
  bool ours = false;
};

struct DeviceRequest {
  std::string path;
  std::string ntff;           // when `path` is a .neff
  std::string program;        // of a folder: a hash or a name
  std::string event;          // of a folder: an event id, as tables show it
  int64_t nth = 0;            // of a folder: the nth execution in order of time, from 1; 0 = not asked
};

// Which call site launched, as the capture in `folder` tells it (trace/record/source_sites.h).
struct LaunchSite {
  std::string folder;
  uint32_t site = 0;          // 0: the launch does not say
};

// One nc_exec_running of a trace. Times as the session has them, ns.
struct DeviceExecution {
  schema::EventId event;
  std::string hash, name;
  int64_t begin_ns = 0, end_ns = 0;          // overheads included
  int64_t overhead_before_ns = 0, overhead_after_ns = 0;
  LaunchSite launch;
  int64_t program_begin_ns() const { return begin_ns + overhead_before_ns; }
};

// Every execution of a program in the session, by time. A system trace that repeats the work of a framework trace counts only
// where the latter has none.
std::vector<DeviceExecution> device_executions(const Session& session);

// Every pair under a folder (at most 4 levels), by path. A .neff without .ntff is no pair.
Result<std::vector<DeviceFiles>> device_pairs(const std::string& folder);

// Captures under a folder, as deep, that are in none of `pairs`, each with the reason: without its program, of 0 bytes.
std::vector<UnreadFile> captures_alone(const std::string& folder, const std::vector<DeviceFiles>& pairs);

// The other half of a .neff or .ntff, from its own folder. not_found: there is none. data_loss: the file is neither, it is only called so.
Result<DeviceFiles> find_partner(const std::string& path);
// Two paths as a pair, in either order. invalid_argument: they are not a .neff and an .ntff.
Result<DeviceFiles> pair_up(const std::string& a, const std::string& b);

struct OpenedDevice {
  DeviceFiles files;
  device::DeviceProfile profile;
  std::optional<DeviceExecution> execution;   // when one was asked for
  std::shared_ptr<const Session> session;     // that holds it
};
// Errors: not_found (no such file, no partner, no such program: the sentence lists what there is), invalid_argument
// (several programs and none chosen, no such event), and those of the readers.
Result<OpenedDevice> open_device(const DeviceRequest& request);

// The pair as it is, by content: ours or another maker's.
Result<device::DeviceProfile> read_device_pair(const std::string& neff_path, const std::string& ntff_path);

}  // namespace lanewise::trace::session

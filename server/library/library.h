// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Library: the open traces, and what may be opened. A path may be opened when the user named it: on the command line, in a run
// before (recent), by an upload, or when it lies in a folder that he named. Links are followed first, so none leads out.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/library/open_trace.h"
#include "server/library/state_folder.h"
#include "trace/session/device_files.h"

namespace lanewise::server::library {

class Library {
 public:
  explicit Library(StateFolder* state);
  ~Library();

  // The user named this path: it may be opened, and it is opened. A folder without traces of its own but with capture folders below
  // opens each of them; a folder with neither is only listed. One whose traces are not of one run fails as a trace, with a sentence, and
  // stays in the list of folders: each of its files can be opened.
  Result<std::vector<std::shared_ptr<OpenTrace>>> name(const std::string& path);
  // A .neff and the .ntff of one of its executions, in either order, wherever they lie.
  Result<std::shared_ptr<OpenTrace>> name_pair(const std::string& a, const std::string& b);
  // As if the user had named it, without opening it: what the home page offers.
  void offer(const std::string& path);
  // Only what was named. failed_precondition: it was not.
  Result<std::shared_ptr<OpenTrace>> open(const std::string& path);
  // Of an upload: not remembered as recent.
  Result<std::shared_ptr<OpenTrace>> open_upload(const std::string& path, const std::string& name);

  // The device profile behind an event of an open trace, as `execution_behind` and `pair_of` (device_link.h) found it.
  // Seen from that execution: launches of one program from several call sites have their own lines, and so are traces of their own.
  Result<std::shared_ptr<OpenTrace>> open_device(const trace::session::DeviceFiles& files, const trace::session::DeviceExecution& execution);

  std::vector<std::shared_ptr<OpenTrace>> traces() const;
  std::shared_ptr<OpenTrace> find(const std::string& id) const;
  bool close(const std::string& id);
  // Folders that the user named in this run.
  std::vector<std::string> folders() const;
  // The real path of what may be looked at; failed_precondition when it was not named, not_found when it is not there.
  Result<std::string> allowed(const std::string& path) const;
  // Cancels all imports.
  void stop();

  // Counts up with every change of any trace; waits until it differs from `seen`, at most `seconds`.
  uint64_t wait_for_change(uint64_t seen, double seconds) const;
  bool busy() const;

 private:
  struct Target {
    std::string path, name;
    trace::session::TraceFiles files;
    TraceKind kind = TraceKind::session;
    std::optional<trace::session::LaunchSite> launch = std::nullopt;   // of a device profile that was opened from a launch
  };
  // What lies at a path: one trace, or a device profile each pair of a folder without traces.
  static Result<std::vector<Target>> targets_of(const std::string& path, const std::string& name);
  // The first of them.
  Result<std::shared_ptr<OpenTrace>> open_targets(const std::vector<Target>& targets, bool remember);
  Result<std::shared_ptr<OpenTrace>> open_target(const Target& target, bool remember);
  // Real paths of all that was named, in earlier runs too.
  std::vector<std::string> named() const;
  void changed();

  StateFolder* state_;
  mutable std::mutex mutex_;
  mutable std::condition_variable change_;
  uint64_t changes_ = 1;
  std::vector<std::shared_ptr<OpenTrace>> traces_;
  std::vector<std::string> named_, offered_;  // real paths of this run
};

}  // namespace lanewise::server::library

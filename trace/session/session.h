// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A session: one or more trace files (ranks, or the parts of a capture folder) on one clock, with one string pool.
// Ids, pids and flows belong to their file: (part, id) is the key, never the id alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "trace/schema/event_id.h"
#include "trace/schema/producers.h"
#include "trace/schema/trace_file.h"
#include "trace/session/trace_folder.h"

namespace lanewise::trace::session {

struct SessionFile {
  schema::TraceFile file;
  uint32_t part = 0;
  // Session time of an event = ts_ns + offset_ns. The session's clock starts at `origin_ns` of the epoch (or of the file's
  // own clock when there is no base time).
  int64_t offset_ns = 0;
  // How far this file's clock is ahead of that of part 0, and what that rests on ("" = not known). Measured, not applied:
  // times stay as the files have them.
  int64_t skew_ns = 0;
  std::string skew_method;
  // A system trace (ntrace.pb) beside the framework trace of the same capture shows the same executions again: the part whose
  // work it repeats. Sums over device work leave such files out; what only they have (sim_lag, lost events) they add.
  std::optional<uint32_t> repeats_part;
};

struct OpenOptions {
  schema::ImportOptions import;
  const schema::Producers* producers = nullptr;  // null = built-in; must outlive the session
  // Where the texts go; null: a new pool. With one's own, tables that import.publish gives can be read while the session is made.
  std::shared_ptr<store::StringPool> strings;
  // Called before each file is read, in order; what is published from then on is that file's.
  std::function<void(const std::string& path)> begin_file;
};

class Session {
 public:
  // A trace file, a capture folder, or a folder of ranks. not_found, data_loss (nothing readable), cancelled, invalid_argument (several
  // traces that are not ranks of one run: one_run.h). A file of a folder that cannot be read is left out and named in unread(), as
  // long as another one can.
  static Result<std::shared_ptr<const Session>> open(const std::string& path, const OpenOptions& options = {});
  static Result<std::shared_ptr<const Session>> open(const std::vector<std::string>& paths,
                                                     const OpenOptions& options = {});
  static Result<std::shared_ptr<const Session>> open(const TraceFiles& found, const OpenOptions& options = {});

  const std::vector<SessionFile>& files() const { return files_; }
  // What may hold a part of the same run and could not be read: the numbers are without it.
  const std::vector<UnreadFile>& unread() const { return unread_; }
  const store::StringPool& strings() const { return *strings_; }
  std::shared_ptr<const store::StringPool> shared_strings() const { return strings_; }
  const schema::Producers& producers() const { return *producers_; }
  std::string_view text(schema::StringId id) const { return strings_->text(id); }
  // The text of an encoded id: "12", "0x1f", "" for none.
  std::string id_text(int64_t id) const;
  // ns since the epoch of session time 0; 0 when the files have no base time.
  int64_t origin_ns() const { return origin_ns_; }
  const schema::EventTable& events(uint32_t part) const { return files_[part].file.events; }

 private:
  friend class SessionBuilder;
  std::shared_ptr<store::StringPool> strings_;
  const schema::Producers* producers_ = nullptr;
  std::vector<SessionFile> files_;
  std::vector<UnreadFile> unread_;
  int64_t origin_ns_ = 0;
};

}  // namespace lanewise::trace::session

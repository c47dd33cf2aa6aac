// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/session.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "trace/schema/encoded_id.h"
#include "trace/session/clock_skew.h"
#include "trace/session/formats.h"
#include "trace/session/one_run.h"
#include "trace/session/stray_times.h"
#include "trace/session/trace_folder.h"

namespace lanewise::trace::session {

// The year 2116; with the largest time of an event a sum still fits.
constexpr int64_t kLatestBase = int64_t{1} << 62;

class SessionBuilder {
 public:
  explicit SessionBuilder(const OpenOptions& options) : options_(options) {
    session_->strings_ = options.strings ? options.strings : std::make_shared<store::StringPool>();
    session_->producers_ = options.producers ? options.producers : &schema::Producers::builtin();
  }

  // In a folder a file without anything readable is left out; what went wrong while one was read (it became shorter, the user
  // interrupted) stays a failure.
  Status add(const TraceFiles& found) {
    auto& unread = session_->unread_;
    unread.insert(unread.end(), found.unread.begin(), found.unread.end());
    Status first = ok_status();
    size_t read = 0;
    for (const std::string& path : found.files) {
      const Status status = add(path);
      if (status.ok()) {
        ++read;
        continue;
      }
      if (!found.folder || status.code() != StatusCode::data_loss) return status;
      if (first.ok()) first = status;
      std::string reason = status.message();
      if (reason.starts_with(path + ": ")) reason.erase(0, path.size() + 2);
      unread.push_back({path, std::move(reason)});
    }
    return read > 0 ? ok_status() : first;
  }

  // A rank whose trace says that nothing happened is a file like others (launchers write them); a session of nothing else is none.
  Result<std::shared_ptr<const Session>> finish() {
    auto& files = session_->files_;
    const bool nothing = std::all_of(files.begin(), files.end(), [](const SessionFile& entry) { return entry.file.ledger.read == 0; });
    if (nothing && !files.empty()) return data_loss(files[0].file.path + ": the file holds no trace events");
    LW_RETURN_IF_ERROR(check_one_run(files));
    std::stable_sort(files.begin(), files.end(), [](const SessionFile& a, const SessionFile& b) {
      constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
      const int64_t rank_a = a.file.rank.value_or(kNone), rank_b = b.file.rank.value_or(kNone);
      return rank_a != rank_b ? rank_a < rank_b : a.file.path < b.file.path;
    });
    int64_t origin = std::numeric_limits<int64_t>::max();
    for (const SessionFile& entry : files) origin = std::min(origin, entry.file.base_time_ns);
    session_->origin_ns_ = files.empty() ? 0 : origin;
    for (size_t i = 0; i < files.size(); ++i) {
      files[i].part = static_cast<uint32_t>(i);
      files[i].offset_ns = files[i].file.base_time_ns - session_->origin_ns_;
    }
    for (SessionFile& entry : files) entry.repeats_part = framework_trace_beside(entry);
    measure_skew(*session_->strings_, *session_->producers_, &files);
    return std::shared_ptr<const Session>(session_);
  }

 private:
  // Files one after the other, each with all threads: so ids of strings do not depend on timing.
  Status add(const std::string& path) {
    if (options_.begin_file) options_.begin_file(path);
    LW_ASSIGN_OR_RETURN(schema::TraceFile file,
                        import_file(path, *session_->strings_, *session_->producers_, options_.import));
    SessionFile entry;
    entry.file = std::move(file);
    // A start that no clock shows (of a damaged file) would make sums of times overflow: its times are the file's own then.
    if (entry.file.base_time_ns < 0 || entry.file.base_time_ns > kLatestBase) {
      entry.file.base_time_ns = 0;
      entry.file.ledger.note("base_time_set_aside");
    }
    leave_out_strays(&entry.file.events);
    session_->files_.push_back(std::move(entry));
    return ok_status();
  }

  // The JSON trace in the folder of a system trace, when there is one.
  std::optional<uint32_t> framework_trace_beside(const SessionFile& entry) const {
    if (entry.file.format != "perfetto") return std::nullopt;
    const auto folder = std::filesystem::path(entry.file.path).parent_path();
    for (const SessionFile& other : session_->files_) {
      if (other.file.format == "kineto_json" && std::filesystem::path(other.file.path).parent_path() == folder) return other.part;
    }
    return std::nullopt;
  }

  const OpenOptions& options_;
  std::shared_ptr<Session> session_ = std::make_shared<Session>();
};

Result<std::shared_ptr<const Session>> Session::open(const std::string& path, const OpenOptions& options) {
  return open(std::vector<std::string>{path}, options);
}

Result<std::shared_ptr<const Session>> Session::open(const std::vector<std::string>& paths, const OpenOptions& options) {
  SessionBuilder builder(options);
  for (const std::string& path : paths) {
    LW_ASSIGN_OR_RETURN(const TraceFiles found, trace_files(path));
    LW_RETURN_IF_ERROR(builder.add(found));
  }
  return builder.finish();
}

Result<std::shared_ptr<const Session>> Session::open(const TraceFiles& found, const OpenOptions& options) {
  SessionBuilder builder(options);
  LW_RETURN_IF_ERROR(builder.add(found));
  return builder.finish();
}

std::string Session::id_text(int64_t id) const {
  if (id == schema::kNoId) return {};
  if (schema::is_text_id(id)) return std::string(text(schema::text_of_id(id)));
  return std::to_string(id);
}

}  // namespace lanewise::trace::session

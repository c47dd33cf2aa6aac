// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// OpenTrace: one trace that the page can look at. It is read by a thread of its own; a second one shows what is read so far. What
// requests look at is a View: immutable, taken once a request, so an import or a close never changes an answer half way.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/json_writer.h"
#include "base/status.h"
#include "server/device/device_view.h"
#include "server/timeline/arrows.h"
#include "server/timeline/selection.h"
#include "server/timeline/timeline.h"
#include "trace/analysis/model.h"
#include "trace/session/device_files.h"
#include "trace/session/session.h"

namespace lanewise::server::library {

enum class TraceState : uint8_t { importing, ready, failed };
// A device profile is one execution below a session: files are a .neff and its .ntff, a tick of all times is 1 ps and not 1 ns.
enum class TraceKind : uint8_t { session, device };

// Session, model and timeline belong together; a device profile has `device` in their place. While importing only the timeline is there.
struct View {
  std::shared_ptr<const trace::session::Session> session;
  std::shared_ptr<const trace::analysis::Model> model;
  std::shared_ptr<const device::DeviceView> device;
  std::shared_ptr<const timeline::Timeline> timeline;
  std::unique_ptr<timeline::MaskStore> masks = std::make_unique<timeline::MaskStore>();
  std::unique_ptr<timeline::FrameCache> frames = std::make_unique<timeline::FrameCache>();
  bool ready() const { return model != nullptr || device != nullptr; }
  // Made at the first use; only of a view that is ready.
  const timeline::ArrowIndex& arrows() const;
  // Executions of programs, by time; of a session, made at the first use.
  const std::vector<trace::session::DeviceExecution>& executions() const;

 private:
  mutable std::once_flag executions_once_;
  mutable std::vector<trace::session::DeviceExecution> executions_;
  mutable std::once_flag arrows_once_;
  mutable std::unique_ptr<const timeline::ArrowIndex> arrows_;
};

// What the page shows of a trace at any time.
struct TraceStatus {
  TraceState state = TraceState::importing;
  std::string error;
  uint64_t bytes_done = 0, bytes_total = 0, text_bytes = 0, events = 0;
  double seconds = 0;
  std::string health = "good", health_text;  // good, warnings, errors
  uint64_t read = 0, kept = 0, repaired = 0, dropped = 0;
  std::string simulated;  // "" = measured
};

class OpenTrace {
 public:
  // `changed` is called after each change of the status, from the threads of the trace.
  // `launch`: of a device profile that was opened from a launch, which; else that of its first execution.
  OpenTrace(std::string id, std::string name, std::string path, trace::session::TraceFiles files, std::function<void()> changed,
            TraceKind kind = TraceKind::session, std::optional<trace::session::LaunchSite> launch = std::nullopt);
  // Cancels the import and waits for its threads.
  ~OpenTrace();
  OpenTrace(const OpenTrace&) = delete;
  OpenTrace& operator=(const OpenTrace&) = delete;

  // Starts to read.
  void start();
  // Ends the import early. The trace stays failed.
  void cancel() { cancelled_ = true; }

  const std::string& id() const { return id_; }
  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  const std::vector<std::string>& files() const { return files_.files; }
  TraceKind kind() const { return kind_; }

  TraceStatus status() const;
  // Threads still work on it (its health is looked at after it is ready).
  bool busy() const { return busy_; }
  // Null before the first part can be shown.
  std::shared_ptr<const View> view() const;
  // Work of many threads on one trace takes turns here: answers are made one at a time and kept by their key.
  std::shared_ptr<const std::string> answer(const std::string& key, const std::function<Result<std::string>()>& make, Status* failure);

 private:
  void import();
  void import_device();
  void preview();
  void show(std::shared_ptr<const View> view);
  void change(const std::function<void(TraceStatus*)>& edit);
  void look_at_health(const trace::analysis::Model& model);

  const std::string id_, name_, path_;
  const trace::session::TraceFiles files_;
  const TraceKind kind_;
  const std::optional<trace::session::LaunchSite> launch_;
  const std::function<void()> changed_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::shared_ptr<trace::store::StringPool> strings_ = std::make_shared<trace::store::StringPool>();

  mutable std::mutex mutex_;  // of everything below
  TraceStatus status_;
  std::shared_ptr<const View> view_;
  std::vector<trace::schema::EventTable> growing_;  // by file, as published last
  bool grown_ = false, import_done_ = false;
  std::condition_variable wake_;

  std::atomic<bool> cancelled_ = false, busy_ = false;
  std::thread import_thread_, preview_thread_;

  std::mutex answers_mutex_, work_mutex_;
  std::map<std::string, std::shared_ptr<const std::string>> answers_;
  size_t answer_bytes_ = 0;
};

// The contract's Trace object.
void write_trace(JsonWriter& w, const OpenTrace& trace);

}  // namespace lanewise::server::library

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/capture.h"

#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include <pthread.h>
#include <unistd.h>

#include "trace/record/event_store.h"
#include "trace/record/session_folder.h"
#include "trace/record/session_writer.h"

namespace lanewise::trace::record {

std::atomic<bool> g_capture_on{false};
std::atomic<bool> g_device_capture_on{false};

struct Capture::Impl {
  Impl(const CaptureOptions& o, const Producer& p, int64_t start, uint64_t last_launch)
      : options(o), producer(p), start_ns(start), store(o.max_events_per_nc, o.cores, start, last_launch) {}

  const CaptureOptions options;
  const Producer producer;
  const int64_t start_ns;
  const pid_t pid = getpid();
  std::string directory;
  EventStore store;
  std::unique_ptr<SessionWriter> writer;                  // null when no files are written

  std::mutex mutex;                                       // of what follows
  bool stopped = true;                                    // until it has fully started
  std::set<std::pair<uint64_t, uint16_t>> programs;       // whose pair of files is stored or on its way
};

namespace {

// Where events go. An emitter announces itself before it reads the pointer, so that stop knows when the last one left.
std::atomic<EventStore*> g_store{nullptr};
std::atomic<SessionWriter*> g_writer{nullptr};
std::atomic<int64_t> g_emitters{0};

// Never destroyed: threads may still ask while the process ends.
struct Active {
  std::mutex mutex;
  std::shared_ptr<Capture> capture;
};
Active& active() {
  static Active* const instance = new Active;
  return *instance;
}

void before_fork() { active().mutex.lock(); }
void after_fork_in_parent() { active().mutex.unlock(); }
void after_fork_in_child() {
  active().mutex.unlock();
  // The child has no writer thread, and the files belong to its parent.
  g_capture_on = false;
  g_device_capture_on = false;
  g_store = nullptr;
  g_writer = nullptr;
  g_emitters = 0;
}

void stop_at_exit() {
  if (std::shared_ptr<Capture> capture = active_capture()) (void)capture->stop();
}

void install_process_hooks() {
  static const bool once = [] {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    std::atexit(stop_at_exit);
    return true;
  }();
  (void)once;
}

Status check(const CaptureOptions& options) {
  if (options.max_events_per_nc == 0) return invalid_argument("max_events_per_nc is 0; give at least 1");
  for (int nc : options.cores) {
    if (nc < 0 || nc >= kMaxCores)
      return invalid_argument("capture_enabled_for_nc names core " + std::to_string(nc) + "; cores are 0 to " +
                              std::to_string(kMaxCores - 1));
  }
  return ok_status();
}

}  // namespace

Capture::Capture() = default;

Capture::~Capture() {
  if (impl_) (void)stop();
}

Result<std::shared_ptr<Capture>> Capture::start(const CaptureOptions& options, const Producer& producer) {
  LW_RETURN_IF_ERROR(check(options));
  install_process_hooks();
  Active& a = active();
  std::lock_guard lock(a.mutex);
  if (a.capture && a.capture->impl_->pid != getpid()) a.capture.reset();   // of our parent, before a fork
  if (a.capture) return failed_precondition("a capture is active already; stop it before you start another");

  follow_wall_clock();
  const int64_t start_ns = now_ns();
  std::shared_ptr<Capture> capture(new Capture);
  capture->impl_ = std::make_unique<Impl>(options, producer, start_ns, last_launch_id());
  Impl& impl = *capture->impl_;
  if (options.write_files) {
    LW_ASSIGN_OR_RETURN(impl.directory, make_session_folder(options.profile_output_dir, start_ns));
    auto writer = SessionWriter::start({options, producer, impl.directory, start_ns, &impl.store});
    if (!writer.ok()) {
      std::error_code ignored;   // made a moment ago, holds nothing
      std::filesystem::remove_all(impl.directory, ignored);
      return writer.status();
    }
    impl.writer = std::move(writer).value();
  }
  impl.stopped = false;
  a.capture = capture;
  g_store = &impl.store;
  g_writer = impl.writer.get();
  g_device_capture_on = options.device;
  g_capture_on = true;
  return capture;
}

CaptureResult Capture::stop() {
  Impl& impl = *impl_;
  CaptureResult result;
  result.directory = impl.directory;
  if (impl.pid != getpid()) {
    (void)impl.writer.release();   // its thread is not here
    result.write_status = failed_precondition("this capture belongs to the process before the fork");
    return result;
  }
  {
    std::lock_guard lock(impl.mutex);
    if (impl.stopped) {
      result.write_status = failed_precondition("this capture was stopped already");
      return result;
    }
    impl.stopped = true;
  }
  g_capture_on = false;
  g_device_capture_on = false;
  g_store = nullptr;
  g_writer = nullptr;
  while (g_emitters != 0) std::this_thread::yield();
  if (impl.writer) result.write_status = impl.writer->finish(now_ns());

  result.events = impl.store.sorted();
  const EventRing::Counters totals = impl.store.totals();
  result.dropped = totals.overwritten;
  if (totals.launches_submitted > totals.launches_finished)
    result.open_launches = totals.launches_submitted - totals.launches_finished;

  // Last, so that a new capture cannot start before this one is closed.
  Active& a = active();
  std::shared_ptr<Capture> self;   // dropped after the lock: it may be the last owner
  {
    std::lock_guard lock(a.mutex);
    if (a.capture.get() == this) self = std::move(a.capture);
  }
  return result;
}

const std::string& Capture::directory() const { return impl_->directory; }
const CaptureOptions& Capture::options() const { return impl_->options; }

bool Capture::wants_program(uint64_t hash, uint16_t nc) const {
  if (!impl_->options.device || !impl_->options.write_files || !impl_->store.core_enabled(nc)) return false;
  std::lock_guard lock(impl_->mutex);
  return !impl_->stopped && !impl_->programs.contains({hash, nc});
}

void Capture::add_program(const isa::Program& program, uint64_t hash, uint16_t nc, uint64_t launch_id,
                          const DeviceProfile& profile, std::string_view graph_ir, uint32_t site) {
  if (!wants_program(hash, nc)) return;
  ProgramJob job{program, hash, nc, 0, launch_id, profile, std::string(graph_ir), site};
  std::lock_guard lock(impl_->mutex);
  // Stopping takes the same lock first, so the writer is still there.
  if (impl_->stopped || !impl_->programs.insert({hash, nc}).second) return;
  impl_->writer->add(std::move(job));
}

std::shared_ptr<Capture> active_capture() {
  Active& a = active();
  std::lock_guard lock(a.mutex);
  return a.capture;
}

bool emergency_flush(int timeout_ms) noexcept {
  g_emitters.fetch_add(1);
  SessionWriter* writer = g_writer.load();
  const bool flushed = writer == nullptr || writer->flush(timeout_ms);
  g_emitters.fetch_sub(1);
  return flushed;
}

void emit(const Event& event) {
  if (!capture_on()) return;
  g_emitters.fetch_add(1);
  if (EventStore* store = g_store.load()) store->keep(event);
  g_emitters.fetch_sub(1);
}

}  // namespace lanewise::trace::record

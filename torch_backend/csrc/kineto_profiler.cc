// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/kineto_profiler.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include <libkineto.h>
#include <output_base.h>
#include <torch/csrc/profiler/standalone/privateuse1_profiler.h>

#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/correlation.h"
#include "torch_backend/csrc/environment_capture.h"
#include "torch_backend/csrc/producer.h"
#include "torch_backend/csrc/profile_text.h"
#include "torch_backend/csrc/status.h"
#include "torch_backend/csrc/trace_rows.h"
#include "trace/record/capture.h"

namespace lanewise::torch_backend {
namespace {

using libkineto::ActivityType;
using trace::record::Capture;
using trace::record::CaptureResult;
using trace::record::Event;
using trace::record::EventKind;

constexpr size_t kNamesShown = 4;
constexpr size_t kFoldersKept = 64;

std::mutex g_mutex;                                    // guards the two below
class Session;
Session* g_running = nullptr;
struct Directories {
  std::string last, previous;
};
std::map<std::string, Directories, std::less<>> g_directories;   // by config text

void say(const std::string& sentence) { std::fprintf(stderr, "lanewise: %s\n", sentence.c_str()); }

// Submitted and not finished, over all devices: how many, and "3 x aten::mul.Tensor, aten::add.Tensor".
struct OpenLaunches {
  int64_t count = 0;
  std::string names;
};

OpenLaunches open_launches() {
  OpenLaunches open;
  std::vector<std::pair<std::string, int>> counted;
  for (int i = 0; i < kMaxDevices; ++i) {
    if (!device_initialized(i)) continue;
    const runtime::Device& device = *device_state(i).device;
    open.count += device.launches_open();
    for (const uint32_t id : device.open_launch_names(64)) {
      const std::string name(trace::record::interned(id));
      auto same = std::find_if(counted.begin(), counted.end(), [&](const auto& entry) { return entry.first == name; });
      if (same == counted.end()) counted.emplace_back(name, 1);
      else ++same->second;
    }
  }
  for (size_t i = 0; i < counted.size() && i < kNamesShown; ++i) {
    if (i > 0) open.names += ", ";
    if (counted[i].second > 1) open.names += std::to_string(counted[i].second) + " x ";
    open.names += counted[i].first;
  }
  if (counted.size() > kNamesShown) open.names += ", ...";
  return open;
}

// A folder that cannot be written to is an error before the run. Kineto survives what `configure` and `start` throw; the
// next profile works (one line of noise from Kineto).
void check_output_folder(const trace::record::CaptureOptions& options) {
  if (!options.write_files) return;
  std::error_code error;
  std::filesystem::create_directories(options.profile_output_dir, error);
  const bool writable = !error && ::access(options.profile_output_dir.c_str(), W_OK | X_OK) == 0;
  if (writable) return;
  check(invalid_argument("profile_output_dir '" + options.profile_output_dir + "' cannot be written to: " +
                         (error ? error.message() : std::string(std::strerror(errno)))));
}

ActivityType activity_type(RowKind kind) {
  switch (kind) {
    case RowKind::kernel: return ActivityType::CONCURRENT_KERNEL;
    case RowKind::memcpy: return ActivityType::GPU_MEMCPY;
    case RowKind::memset: return ActivityType::GPU_MEMSET;
    case RowKind::runtime: return ActivityType::PRIVATEUSE1_RUNTIME;
  }
  return ActivityType::PRIVATEUSE1_RUNTIME;
}

class Session final : public libkineto::IActivityProfilerSession {
 public:
  Session(std::string config_text, ProfileSettings settings)
      : config_text_(std::move(config_text)), settings_(std::move(settings)) {
    reset_external_ids();
  }

  ~Session() override {
    std::lock_guard lock(g_mutex);
    if (g_running == this) g_running = nullptr;
  }

  void start() override {
    // Without files a process that never touched the device need not make it.
    if (settings_.options.write_files || context_initialized()) producer_ = producer_of(current_machine());
    Status written;
    environment_paused_ = pause_environment_capture(&written);
    if (!written.ok()) say("the capture of NEURON_RT_INSPECT_ENABLE is not complete: " + written.message());
    auto started = Capture::start(settings_.options, producer_);
    if (!started.ok()) resume_environment();
    capture_ = take(std::move(started));
    std::lock_guard lock(g_mutex);
    g_running = this;
    if (capture_->directory().empty()) return;
    if (g_directories.size() >= kFoldersKept && !g_directories.contains(config_text_)) g_directories.clear();
    Directories& directories = g_directories[config_text_];
    directories.previous = std::exchange(directories.last, capture_->directory());
  }

  void stop() override {
    {
      std::lock_guard lock(g_mutex);
      if (g_running == this) g_running = nullptr;
    }
    if (capture_ == nullptr) return;
    pending_ = open_launches();
    result_ = capture_->stop();
    capture_.reset();
    resume_environment();
    forget_if_nothing_ran();
    // Only a complete list of events can tell a launch without an end from one whose end was overwritten.
    if (result_.dropped == 0) pending_.count = std::max<int64_t>(pending_.count, static_cast<int64_t>(result_.open_launches));
    // The capture was the window: it kept what was submitted between start and stop. Kineto's own window, given to
    // processTrace, is the same but for microseconds, and comes only after the metadata was asked for.
    rows_ = select_rows(result_.events, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
    report();
  }

  void note_open() { open_at_synchronize_ = open_launches(); }

  std::vector<std::string> errors() override { return errors_; }

  void processTrace(libkineto::ActivityLogger&) override {}   // the short form is never called by PyTorch

  void processTrace(libkineto::ActivityLogger& logger, libkineto::getLinkedActivityCallback linked, int64_t start,
                    int64_t end) override {
    buffer_ = std::make_unique<libkineto::CpuTraceBuffer>();
    buffer_->span = libkineto::TraceSpan(start, end, "Neuron");
    buffer_->gpuOpCount = 0;
    buffer_->span.opCount = static_cast<int>(rows_.rows.size());
    for (const Row& row : rows_.rows) add_row(row, linked, logger);
    add_notes(end, logger);
    for (const int nc : cores_) {
      // Kineto takes one device from getDeviceInfo; the others are announced here.
      if (nc != *cores_.begin()) logger.handleDeviceInfo(device_info(nc), start);
    }
  }

  std::unique_ptr<libkineto::DeviceInfo> getDeviceInfo() override {
    return std::make_unique<libkineto::DeviceInfo>(device_info(cores_.empty() ? 0 : *cores_.begin()));
  }

  std::vector<libkineto::ResourceInfo> getResourceInfos() override {
    std::vector<libkineto::ResourceInfo> infos;
    for (const auto& [nc, stream] : streams_) {
      infos.push_back({stream, stream, nc, stream == 0 ? "default stream" : "stream " + std::to_string(stream)});
    }
    return infos;
  }

  std::unique_ptr<libkineto::CpuTraceBuffer> getTraceBuffer() override { return std::move(buffer_); }

  void pushCorrelationId(uint64_t id) override { push_external_id(CorrelationKind::op, id); }
  void popCorrelationId() override { pop_external_id(CorrelationKind::op); }
  void pushUserCorrelationId(uint64_t id) override { push_external_id(CorrelationKind::user, id); }
  void popUserCorrelationId() override { pop_external_id(CorrelationKind::user); }

  std::string getDeviceProperties() override;
  std::unordered_map<std::string, std::string> getMetadata() override;

 private:
  // A schedule that ends in its warm-up starts and stops a capture on the way out. Scripts look for the one folder with
  // their data, so an empty one does not stay beside it.
  void forget_if_nothing_ran() {
    if (settings_.options.cpu_util || settings_.options.host_memory) return;   // samples are data too
    // The profiler itself waits for the device.
    const bool nothing = std::all_of(result_.events.begin(), result_.events.end(), [](const trace::record::Event& event) {
      return event.kind == trace::record::EventKind::nrt_synchronize;
    });
    if (!nothing || result_.dropped > 0 || result_.directory.empty()) return;
    std::lock_guard lock(g_mutex);
    const auto found = g_directories.find(config_text_);
    if (found == g_directories.end() || found->second.last != result_.directory || found->second.previous.empty()) return;
    std::error_code error;
    std::filesystem::remove_all(result_.directory, error);
    if (error) say("the empty capture " + result_.directory + " could not be removed: " + error.message());
    found->second.last = std::exchange(found->second.previous, {});
  }

  void resume_environment() {
    if (!std::exchange(environment_paused_, false)) return;
    if (Status status = resume_environment_capture(); !status.ok())
      say("the capture that NEURON_RT_INSPECT_ENABLE asked for does not go on after this profile: " + status.message());
  }

  void fail(std::string sentence) {
    say(sentence);
    errors_.push_back(std::move(sentence));
    status_ = libkineto::TraceStatus::ERROR;
  }

  void report() {
    if (pending_.count > 0) {
      say(std::to_string(pending_.count) + " launches (" + pending_.names +
          ") were still running when the profile stopped, so the device times of this profile are incomplete; call "
          "torch.neuron.synchronize() at the end of every profiled iteration.");
    } else if (open_at_synchronize_.count > 0) {
      say(std::to_string(open_at_synchronize_.count) + " launches (" + open_at_synchronize_.names +
          ") were still running when the profiled iteration ended; the profiler waited for them, but their device time "
          "lies outside the iteration: call torch.neuron.synchronize() in the loop before prof.step().");
    }
    if (result_.dropped > 0) {
      say(std::to_string(result_.dropped) + " events were overwritten because a core had more than max_events_per_nc = " +
          std::to_string(settings_.options.max_events_per_nc) + "; the device times of this profile are incomplete.");
    }
    if (!result_.write_status.ok()) fail("the capture could not be written: " + result_.write_status.message());
  }

  libkineto::DeviceInfo device_info(int nc) const {
    const std::string number = std::to_string(nc);
    return {nc, libkineto::kExceedMaxPid + nc, "neuron:" + number, "NC " + number + " (simulated " +
            producer_.machine_preset + ")"};
  }

  libkineto::GenericTraceActivity& add_activity(ActivityType type, const std::string& name) {
    buffer_->emplace_activity(buffer_->span, type, name);
    return *buffer_->activities.back();
  }

  void add_row(const Row& row, const libkineto::getLinkedActivityCallback& linked, libkineto::ActivityLogger& logger) {
    const Event& event = *row.event;
    const bool device = row.kind != RowKind::runtime;
    const bool correlate = !device || settings_.options.correlate_device_time;
    auto& activity = add_activity(activity_type(row.kind), row.name);
    activity.startTime = event.start_ns;
    activity.endTime = event.end_ns;
    activity.id = row.id;
    activity.threadId = static_cast<int32_t>(event.thread);
    if (device) {
      activity.device = event.nc;
      activity.resource = event.stream;
      cores_.insert(event.nc);
      streams_.insert({event.nc, event.stream});
      ++buffer_->gpuOpCount;
    } else {
      activity.device = static_cast<int32_t>(::getpid());
      activity.resource = static_cast<int32_t>(event.thread);
    }
    // External ids fit 32 bits: Kineto numbers operators from 1 in each session.
    if (correlate && event.external_id != 0) activity.linked = linked(static_cast<int32_t>(event.external_id));
    if (settings_.options.correlate_device_time && row.flow != FlowEnd::none) {
      activity.flow.id = static_cast<uint32_t>(row.id);
      activity.flow.type = libkineto::kLinkAsyncCpuGpu;
      activity.flow.start = row.flow == FlowEnd::start ? 1 : 0;
    }
    add_arguments(row, activity);
    logger.handleActivity(activity);
  }

  void add_arguments(const Row& row, libkineto::GenericTraceActivity& activity) const {
    const Event& event = *row.event;
    activity.addMetadata("correlation", row.id);
    activity.addMetadata("device", static_cast<int>(event.nc));
    activity.addMetadata("stream", static_cast<int>(event.stream));
    if (event.bytes != 0) activity.addMetadata("bytes", event.bytes);
    // 64 bits do not fit a JSON number everywhere.
    if (event.program_hash != 0) activity.addMetadataQuoted("program", std::to_string(event.program_hash));
    if (event.site != 0) activity.addMetadata("site", static_cast<int64_t>(event.site));
    if (row.kind == RowKind::runtime && event.name != 0) {
      activity.addMetadataQuoted("name", printable_name(trace::record::interned(event.name)));
    }
    if (event.kind == EventKind::nc_exec_running) {
      activity.addMetadata("exec overhead ns", event.exec_before_ns + event.exec_after_ns);
      activity.addMetadata("capture overhead ns", event.capture_before_ns + event.capture_after_ns);
      activity.addMetadata("overhead before ns", event.exec_before_ns + event.capture_before_ns);
      activity.addMetadata("overhead after ns", event.exec_after_ns + event.capture_after_ns);
    }
  }

  // A row of no length whose name is the sentence: the only place of the printed table where a plug-in can speak.
  void add_notes(int64_t at, libkineto::ActivityLogger& logger) {
    std::vector<std::string> notes;
    if (pending_.count > 0) notes.push_back("neuron: device times incomplete, " + std::to_string(pending_.count) + " launches open at stop");
    if (result_.dropped > 0) notes.push_back("neuron: device times incomplete, " + std::to_string(result_.dropped) + " events dropped");
    int32_t id = kFirstRowId - 1;
    for (const std::string& note : notes) {
      auto& activity = add_activity(ActivityType::PRIVATEUSE1_RUNTIME, note);
      activity.startTime = activity.endTime = at;
      activity.id = id--;
      activity.device = static_cast<int32_t>(::getpid());
      activity.resource = activity.threadId = static_cast<int32_t>(::getpid());
      logger.handleActivity(activity);
    }
  }

  const std::string config_text_;
  const ProfileSettings settings_;
  trace::record::Producer producer_;
  std::shared_ptr<Capture> capture_;
  bool environment_paused_ = false;
  CaptureResult result_;
  OpenLaunches open_at_synchronize_, pending_;
  RowSet rows_;
  std::unique_ptr<libkineto::CpuTraceBuffer> buffer_;
  std::vector<std::string> errors_;
  std::set<int> cores_;
  std::set<std::pair<int, int>> streams_;
};

std::string Session::getDeviceProperties() {
  std::string json;
  for (int i = 0; i < kMaxDevices; ++i) {
    if (!device_initialized(i)) continue;
    if (!json.empty()) json += ", ";
    json += "{\"id\": " + std::to_string(i) + ", \"name\": " + json_string("neuron:" + std::to_string(i)) +
            ", \"simulated\": true, \"preset\": " + json_string(producer_.machine_preset) +
            ", \"machine\": " + json_string(producer_.machine_spec) +
            ", \"exec_overhead_ns\": " + std::to_string(producer_.exec_overhead_ns) +
            ", \"device_capture_overhead_ns\": " + std::to_string(producer_.device_capture_overhead_ns) +
            ", \"device_capture\": " + (settings_.options.device ? "true" : "false") +
            ", \"simulator_version\": " + json_string(producer_.simulator_version) +
            ", \"compiler_version\": " + json_string(producer_.compiler_version) +
            ", \"torch_version\": " + json_string(producer_.torch_version) +
            ", \"totalGlobalMem\": " + std::to_string(device_state(i).device->memory().capacity) + "}";
  }
  return json;
}

std::unordered_map<std::string, std::string> Session::getMetadata() {
  std::unordered_map<std::string, std::string> metadata{
      {"neuron_config", json_string(config_text_)},
      {"neuron_capture_directory", json_string(result_.directory)},
      {"neuron_correlate_device_time", settings_.options.correlate_device_time ? "true" : "false"},
      {"neuron_dropped_events", std::to_string(result_.dropped)},
      {"neuron_outside_window", std::to_string(rows_.outside)},
      {"neuron_pending_at_stop", std::to_string(pending_.count)},
      {"neuron_open_at_iteration_end", std::to_string(open_at_synchronize_.count)},
      {"neuron_device_time_complete", pending_.count == 0 && result_.dropped == 0 ? "true" : "false"},
      {"neuron_launches", std::to_string(rows_.launches)},
      {"neuron_device_ns", std::to_string(rows_.device_ns)},
      {"neuron_sim_lag_ns", std::to_string(rows_.sim_lag_ns)},
  };
  if (!errors_.empty()) metadata["neuron_error"] = json_string(errors_.front());
  return metadata;
}

class Profiler final : public libkineto::IActivityProfiler {
 public:
  const std::string& name() const override { return name_; }
  const std::set<ActivityType>& availableActivities() const override { return activities_; }

  std::unique_ptr<libkineto::IActivityProfilerSession> configure(const std::set<ActivityType>& types,
                                                                 const libkineto::Config& config) override {
    // After the first profile of our device Kineto configures us for CPU-only profiles as well; only the device kinds
    // tell the two apart.
    if (!types.contains(ActivityType::CONCURRENT_KERNEL) && !types.contains(ActivityType::GPU_MEMCPY)) return nullptr;
    if (in_bad_fork()) return nullptr;
    const std::string& text = config.getCustomConfig();
    ProfileSettings settings = take(parse_profile_text(text));
    check_output_folder(settings.options);
    for (const std::string& key : settings.unknown) say("profiler configuration: unknown key '" + key + "' is left out");
    if (const std::string missing = missing_cores_text("capture_enabled_for_nc", settings.options.cores, device_count()); !missing.empty()) say(missing);
    return std::make_unique<Session>(text, std::move(settings));
  }

  std::unique_ptr<libkineto::IActivityProfilerSession> configure(int64_t, int64_t, const std::set<ActivityType>& types,
                                                                 const libkineto::Config& config) override {
    return configure(types, config);
  }

 private:
  const std::string name_ = "lanewise";
  const std::set<ActivityType> activities_{ActivityType::CONCURRENT_KERNEL, ActivityType::GPU_MEMCPY,
                                           ActivityType::GPU_MEMSET, ActivityType::PRIVATEUSE1_RUNTIME,
                                           ActivityType::PRIVATEUSE1_DRIVER};
};

}  // namespace

void register_kineto_profiler() {
  torch::profiler::impl::PrivateUse1ProfilerRegistry::instance().registerFactory(
      [] { return std::make_unique<Profiler>(); });
}

void note_open_launches() {
  std::lock_guard lock(g_mutex);
  if (g_running != nullptr) g_running->note_open();
}

std::string session_directory(std::string_view config_text) {
  std::lock_guard lock(g_mutex);
  const auto found = g_directories.find(config_text);
  return found == g_directories.end() ? std::string() : found->second.last;
}

}  // namespace lanewise::torch_backend

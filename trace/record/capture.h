// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A capture: which events are kept while it runs, where they are written, and what was lost.
//
// At most one capture is active in a process. When none is, `emit` is one relaxed load and a predicted branch.
// While one runs, events go to bounded per-core rings (max_events_per_nc, oldest overwritten and counted) and a writer
// thread appends them to ntrace.pb, so that a crash or kill -9 leaves a readable file with what happened before it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "trace/record/clock.h"
#include "trace/record/device_profile.h"
#include "trace/record/event.h"

namespace lanewise::isa { struct Program; }

namespace lanewise::trace::record {

inline constexpr int kMaxCores = 4096;  // cores a process can record; events of higher ones count as dropped

struct CaptureOptions {
  // Names follow NeuronConfig.
  bool device = true;                  // DEVICE: .neff/.ntff pairs, and the capture overhead on every execution
  bool runtime = true;                 // RUNTIME: ntrace.pb, trace_info.pb
  bool cpu_util = false;               // cpu_util.pb, 1 s samples
  bool host_memory = false;            // host_mem.pb
  bool correlate_device_time = true;
  bool write_files = true;             // false: no NeuronConfig was given; events are kept for the table only
  uint64_t max_events_per_nc = 1'000'000;
  std::vector<int> cores;              // capture_enabled_for_nc; empty = all; 0 .. kMaxCores-1
  std::string profile_output_dir = "./output";
  std::string neff_cache_dir;          // when set, .neff files are taken from there if present
  bool precache_node_info = true;
};

// What goes to trace_info.pb and the labels of every simulated number.
struct Producer {
  std::string machine_preset, machine_spec, simulator_version, compiler_version, torch_version;
  int64_t exec_overhead_ns = 0, device_capture_overhead_ns = 0;
};

struct CaptureResult {
  std::vector<Event> events;           // in order of end time per core and thread
  uint64_t dropped = 0;                // overwritten in a ring
  uint64_t open_launches = 0;          // nrta_execute_schedule inside the window without an nc_exec_running at stop
  std::string directory;               // absolute session folder; empty when no files were written
  Status write_status;                 // first failure of a file write (full disk); events are still here
};

class Capture {
 public:
  // Makes <dir>/i-<machine id>_pid_<pid>/<timestamp>/ at once, so that a bad folder is an error before the run.
  // Errors: failed_precondition (one is active), invalid_argument, not writable.
  static Result<std::shared_ptr<Capture>> start(const CaptureOptions& options, const Producer& producer);

  // Stops keeping events of new launches, writes the files, closes. Call after the devices are synchronized.
  // A second call, or one in a forked child, returns no events and failed_precondition as write_status.
  CaptureResult stop();

  const std::string& directory() const;
  const CaptureOptions& options() const;

  // Whether the program of this hash still needs its pair of files (DEVICE, core enabled, not stored yet).
  bool wants_program(uint64_t hash, uint16_t nc) const;
  // Stores neff_<hash>_vnc_<nc>.neff and <hash>_instid_<i>_vnc_<nc>.ntff of the first execution. Copies its arguments
  // and returns; the writer thread makes the files. `graph_ir`: text of the IR the program came from, or empty. `site`: as Event::site.
  void add_program(const isa::Program& program, uint64_t hash, uint16_t nc, uint64_t launch_id,
                   const DeviceProfile& profile, std::string_view graph_ir = {}, uint32_t site = 0);

  ~Capture();

 private:
  Capture();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The active capture or null. Hold the pointer while using it.
std::shared_ptr<Capture> active_capture();

// For the handler of a crash: the writer thread appends what it has and writes trace_info.pb; waits at most `timeout_ms`.
// Async-signal-safe. True: everything emitted before the call is in the files, or there is nothing to write.
bool emergency_flush(int timeout_ms) noexcept;

// Fast checks for the launch path.
extern std::atomic<bool> g_capture_on;
extern std::atomic<bool> g_device_capture_on;   // adds device_capture_overhead_ns to executions
inline bool capture_on() { return g_capture_on.load(std::memory_order_relaxed); }

// Keeps the event if a capture is on, its core is enabled, and it belongs to the window: an event with a launch id when
// that id was given after the start; a hardware event only if it also starts after the start of the capture.
// Any thread; never blocks on I/O.
void emit(const Event& event);

}  // namespace lanewise::trace::record

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What is inside a session folder, and when each file is written. One thread uses it (session_writer.h).
//
//   ntrace.pb       appended while the capture runs; written anew from the rings when they overflowed, so that the file
//                   shows the same events as the table and stays bounded on a capture that is left on
//   trace_info.pb   at the start, with each program, after a crash, and at the end
//   cpu_util.pb, host_mem.pb   a sample a second
//   neff_*.neff, *.ntff        one pair a program and core
//   launch_sources.pb          made with the first launch that knows its site; a table and a site as soon as a launch names them
//
// A failed write is a problem of that file only: the others go on, and appending is tried again, since room may come
// back. Nothing here fails the capture.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "isa/program.h"
#include "trace/record/capture.h"
#include "trace/record/event_store.h"
#include "trace/record/neff.h"
#include "trace/record/output_file.h"
#include "trace/record/perfetto_writer.h"
#include "trace/record/proc_sampler.h"
#include "trace/record/trace_info.h"

namespace lanewise::trace::record {

struct SessionSetup {
  CaptureOptions options;
  Producer producer;
  std::string directory;
  int64_t start_ns = 0;
  const EventStore* store = nullptr;   // outlives the files
};

struct ProgramJob {
  isa::Program program;
  uint64_t hash = 0;
  uint16_t nc = 0;
  uint32_t instance = 0;
  uint64_t launch_id = 0;
  DeviceProfile profile;
  std::string graph_ir;
  uint32_t site = 0;
};

class SessionFiles {
 public:
  explicit SessionFiles(const SessionSetup& setup);

  // Makes the files. An error here means that the folder cannot be used at all.
  Status open();
  void append_events();
  void write_program(ProgramJob job);
  void sample(int64_t now_ns);
  void write_info();
  // Everything that is left and the final trace_info.pb. Returns the first problem that is still one.
  Status finish(int64_t stop_ns);

 private:
  struct Stream {
    AppendFile file;
    std::string pending;
    Status problem;   // of the last attempt
    void flush() { problem = file.append(&pending); }
  };
  struct Cursor {
    uint64_t next = 0;
    int64_t last_end_ns = 0;
  };

  void write_batches(std::vector<Event>& events, PerfettoWriter* writer, Stream* stream);
  Status rewrite_events();
  // Puts the sites that these events name into launch_sources.pb, each once.
  void write_sites(const std::vector<Event>& events);
  void write_site(uint32_t site);
  void begin_trace(PerfettoWriter* writer, std::string* out) const;
  Result<bool> write_neff_file(const ProgramJob& job, const std::string& name, PairId* uuid);
  // What the last attempt at a file came to; a success takes its earlier failure back.
  void note(const std::string& file, const Status& status);
  Status write_pair(const ProgramJob& job);
  std::string path(const std::string& name) const { return setup_.directory + "/" + name; }

  const SessionSetup setup_;
  PerfettoWriter perfetto_;
  Stream ntrace_, cpu_, memory_, sources_;
  std::set<uint32_t> sites_written_, source_tables_written_;
  std::vector<Cursor> cursors_;
  uint64_t events_in_file_ = 0;
  std::unique_ptr<CpuSampler> cpu_sampler_;
  TraceInfo info_;
  std::vector<std::pair<std::string, Status>> problems_;   // by file, in order of appearance
  std::vector<ProgramJob> without_room_;                   // tried again at the end
};

}  // namespace lanewise::trace::record

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/session_files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <unistd.h>

#include "isa/table.h"
#include "trace/record/neff.h"
#include "trace/record/ntff.h"
#include "trace/record/session_folder.h"
#include "trace/record/source_sites.h"

namespace lanewise::trace::record {
namespace {

constexpr size_t kBatch = 4096;                  // events that become bytes before they are written
constexpr uint64_t kRewriteSlack = 20'000;       // events the file may hold beyond twice what the rings hold
constexpr size_t kLargestPendingSamples = 1 << 24;

std::string process_name() {
  char name[256] = {};
  if (FILE* file = std::fopen("/proc/self/comm", "r")) {
    if (std::fgets(name, sizeof name, file) == nullptr) name[0] = 0;
    std::fclose(file);
  }
  std::string text = name;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "process" : text;
}

}  // namespace

SessionFiles::SessionFiles(const SessionSetup& setup) : setup_(setup) {
  info_.producer = setup.producer;
  info_.options = setup.options;
  info_.instance_id = "i-" + machine_id();
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  info_.host_name = host;
  info_.pid = getpid();
  info_.start_ns = setup.start_ns;
  info_.clocks.push_back(read_clocks());
}

void SessionFiles::note(const std::string& file, const Status& status) {
  const auto found = std::find_if(problems_.begin(), problems_.end(), [&](const auto& p) { return p.first == file; });
  if (found == problems_.end()) {
    if (!status.ok()) problems_.emplace_back(file, status);
  } else if (status.ok()) {
    problems_.erase(found);
  }
}

Status SessionFiles::open() {
  if (setup_.options.runtime) {
    LW_RETURN_IF_ERROR(ntrace_.file.open(path("ntrace.pb")));
    begin_trace(&perfetto_, &ntrace_.pending);
    ntrace_.flush();
    LW_RETURN_IF_ERROR(ntrace_.problem);
  }
  if (setup_.options.cpu_util) {
    LW_RETURN_IF_ERROR(cpu_.file.open(path("cpu_util.pb")));
    cpu_sampler_ = std::make_unique<CpuSampler>();
  }
  if (setup_.options.host_memory) {
    LW_RETURN_IF_ERROR(memory_.file.open(path("host_mem.pb")));
    memory_.pending = host_memory_sample(now_ns());
    memory_.flush();
    LW_RETURN_IF_ERROR(memory_.problem);
  }
  return write_whole_file(path("trace_info.pb"), write_trace_info(info_));
}

void SessionFiles::begin_trace(PerfettoWriter* writer, std::string* out) const {
  const Producer& p = setup_.producer;
  TracedProcess process;
  process.pid = static_cast<int>(info_.pid);
  process.name = process_name();
  process.labels = {"simulated " + (p.machine_spec.empty() ? p.machine_preset : p.machine_spec),
                    "exec_overhead_ns=" + std::to_string(p.exec_overhead_ns),
                    "device_capture_overhead_ns=" + std::to_string(p.device_capture_overhead_ns),
                    "simulator " + p.simulator_version};
  process.clocks = info_.clocks.front();
  writer->begin(process, out);
}

void SessionFiles::write_batches(std::vector<Event>& events, PerfettoWriter* writer, Stream* stream) {
  // In order of end time, so that a batch holds what lies together.
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.end_ns < b.end_ns; });
  for (size_t at = 0; at < events.size(); at += kBatch) {
    const auto first = events.begin() + static_cast<ptrdiff_t>(at);
    const std::vector<Event> batch(first, first + static_cast<ptrdiff_t>(std::min(kBatch, events.size() - at)));
    writer->append(batch, &stream->pending);
    stream->flush();
  }
}

void SessionFiles::append_events() {
  if (!setup_.options.runtime) return;
  if (!ntrace_.pending.empty()) ntrace_.flush();
  if (!ntrace_.problem.ok()) return;   // what waits in the rings may be overwritten, which is counted
  cursors_.resize(static_cast<size_t>(std::max(setup_.store->core_limit(), static_cast<int>(cursors_.size()))));
  std::vector<Event> events;
  for (size_t nc = 0; nc < cursors_.size(); ++nc) {
    const EventRing* ring = setup_.store->ring(static_cast<int>(nc));
    if (ring == nullptr) continue;
    Cursor& cursor = cursors_[nc];
    uint64_t lost = 0;
    const size_t before = events.size();
    cursor.next = ring->read_from(cursor.next, &events, &lost);
    if (events.size() == before) continue;
    const int64_t first_start = events[before].start_ns;
    if (lost > 0)
      perfetto_.lost(static_cast<uint16_t>(nc), lost, cursor.last_end_ns ? cursor.last_end_ns : setup_.start_ns,
                     first_start, &ntrace_.pending);
    cursor.last_end_ns = events.back().end_ns;
  }
  write_sites(events);
  events_in_file_ += events.size();
  write_batches(events, &perfetto_, &ntrace_);

  const EventRing::Counters totals = setup_.store->totals();
  const uint64_t in_rings = totals.pushed - std::min(totals.pushed, totals.overwritten);
  if (events_in_file_ <= 2 * in_rings + kRewriteSlack) return;
  events_in_file_ = in_rings;   // also after a failure: the next attempt is as many events away
  note("ntrace.pb (rewrite)", rewrite_events());
}

void SessionFiles::write_sites(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (event.site != 0) write_site(event.site);
  }
  if (!sources_.pending.empty()) sources_.flush();
}

void SessionFiles::write_site(uint32_t id) {
  if (!sites_written_.insert(id).second) return;
  const std::shared_ptr<const SourceSite> site = source_site(id);
  if (site == nullptr) return;   // more were made than are kept; the launch then has a site that no file tells
  if (!sources_.file.is_open()) {
    sources_.problem = sources_.file.open(path(kSourcesFile));
    if (!sources_.problem.ok()) return;
    begin_sources(&sources_.pending);
  }
  if (source_tables_written_.insert(site->table).second) append_table(site->table, *source_table(site->table), &sources_.pending);
  append_site(id, *site, &sources_.pending);
}

Status SessionFiles::rewrite_events() {
  const std::string part = path("ntrace.pb.part");
  PerfettoWriter writer;
  Stream stream;
  LW_RETURN_IF_ERROR(stream.file.open(part));
  begin_trace(&writer, &stream.pending);
  std::vector<Event> events;
  std::vector<Cursor> cursors(static_cast<size_t>(setup_.store->core_limit()));
  for (size_t nc = 0; nc < cursors.size(); ++nc) {
    const EventRing* ring = setup_.store->ring(static_cast<int>(nc));
    if (ring == nullptr) continue;
    const EventRing::Counters counters = ring->counters();
    uint64_t lost = 0;
    cursors[nc].next = ring->read_from(0, &events, &lost);
    if (lost > 0)
      writer.lost(static_cast<uint16_t>(nc), lost, counters.lost_begin_ns, counters.lost_end_ns, &stream.pending);
    if (!events.empty()) cursors[nc].last_end_ns = events.back().end_ns;
  }
  stream.flush();
  write_batches(events, &writer, &stream);
  Status result = stream.problem;
  if (result.ok()) result = stream.file.close();
  if (result.ok() && std::rename(part.c_str(), path("ntrace.pb").c_str()) != 0)
    result = failed_precondition("cannot replace " + path("ntrace.pb"));
  if (!result.ok()) {
    unlink(part.c_str());   // the longer file stays; it has all events and more
    return result;
  }
  perfetto_ = std::move(writer);
  cursors_ = std::move(cursors);
  events_in_file_ = events.size();
  return ntrace_.file.reopen(path("ntrace.pb"));
}

void SessionFiles::sample(int64_t now_ns) {
  if (cpu_.file.is_open()) {
    if (cpu_.pending.size() < kLargestPendingSamples) cpu_.pending += cpu_sampler_->sample(now_ns);
    cpu_.flush();
  }
  if (memory_.file.is_open()) {
    if (memory_.pending.size() < kLargestPendingSamples) memory_.pending += host_memory_sample(now_ns);
    memory_.flush();
  }
}

Result<bool> SessionFiles::write_neff_file(const ProgramJob& job, const std::string& name, PairId* uuid) {
  *uuid = pair_id(job.hash, isa::encode(job.program));
  const std::string& cache = setup_.options.neff_cache_dir;
  if (!cache.empty()) {
    const Result<std::string> cached = read_whole_file(cache + "/" + name);
    Neff neff;
    // A cached file of another program or a damaged one is written anew.
    if (cached.ok() && read_neff(*cached, &neff).ok() && neff.header.uuid == *uuid) {
      LW_RETURN_IF_ERROR(write_whole_file(path(name), *cached));
      return true;
    }
  }
  LW_ASSIGN_OR_RETURN(const std::string bytes,
                      write_neff(job.program, job.hash, job.graph_ir, setup_.producer.compiler_version));
  LW_RETURN_IF_ERROR(write_whole_file(path(name), bytes));
  if (!cache.empty()) {
    std::error_code ignored;   // the write below says what is wrong with the folder
    std::filesystem::create_directories(cache, ignored);
    const Status cached = write_whole_file(cache + "/" + name, bytes);
    note("cached " + name, cached.ok() ? cached : cached.with_context("neff_cache_dir"));
  }
  return false;
}

Status SessionFiles::write_pair(const ProgramJob& job) {
  Ntff ntff;
  ntff.program_hash = job.hash;
  ntff.nc = job.nc;
  ntff.instance = job.instance;
  ntff.launch_id = job.launch_id;
  ntff.program = job.program.name;
  ntff.neff = neff_name(job.hash, job.nc);
  ntff.producer = setup_.producer;
  for (int e = 0; e < isa::kEngineCount; ++e) ntff.engines.emplace_back(isa::engine_name(static_cast<isa::Engine>(e)));
  ntff.profile = job.profile;

  LW_ASSIGN_OR_RETURN(const bool from_cache, write_neff_file(job, ntff.neff, &ntff.uuid));
  const std::string name = ntff_name(job.hash, job.instance, job.nc);
  const Result<std::string> bytes = write_ntff(ntff);
  if (!bytes.ok()) return bytes.status().with_context(name);
  LW_RETURN_IF_ERROR(write_whole_file(path(name), *bytes));
  info_.programs.push_back(
      {job.hash, job.nc, job.instance, job.launch_id, job.program.name, ntff.neff, name, from_cache, job.site});
  write_site(job.site);
  if (!sources_.pending.empty()) sources_.flush();
  return ok_status();
}

void SessionFiles::write_program(ProgramJob job) {
  const Status written = write_pair(job);
  note(neff_name(job.hash, job.nc), written);
  if (written.code() == StatusCode::resource_exhausted) without_room_.push_back(std::move(job));
}

void SessionFiles::write_info() {
  const EventRing::Counters totals = setup_.store->totals();
  info_.dropped = totals.overwritten;
  info_.open_launches = totals.launches_submitted - std::min(totals.launches_submitted, totals.launches_finished);
  info_.cores.clear();
  for (int nc = 0; nc < setup_.store->core_limit(); ++nc) {
    if (const EventRing* ring = setup_.store->ring(nc)) info_.cores.push_back({nc, ring->counters()});
  }
  info_.problems.clear();
  for (const auto& [file, status] : problems_) info_.problems.push_back(status.to_string());
  note("trace_info.pb", write_whole_file(path("trace_info.pb"), write_trace_info(info_)));
}

Status SessionFiles::finish(int64_t stop_ns) {
  append_events();
  if (setup_.options.runtime && setup_.store->totals().overwritten > 0) note("ntrace.pb (rewrite)", rewrite_events());
  for (ProgramJob& job : std::exchange(without_room_, {})) write_program(std::move(job));
  sample(now_ns());
  if (!setup_.options.runtime) write_sites(setup_.store->sorted());   // no one read the rings until now
  const std::pair<const char*, Stream*> streams[] = {
      {"ntrace.pb", &ntrace_}, {"cpu_util.pb", &cpu_}, {"host_mem.pb", &memory_}, {kSourcesFile, &sources_}};
  for (auto [name, stream] : streams) {
    if (stream->problem.ok()) stream->problem = stream->file.close();
    note(name, stream->problem);
  }
  info_.stop_ns = stop_ns;
  info_.clocks.push_back(read_clocks());
  info_.complete = problems_.empty() || (problems_.size() == 1 && problems_[0].first == "trace_info.pb");
  if (info_.complete) problems_.clear();   // only this file was in trouble, and it is written now
  write_info();
  return problems_.empty() ? ok_status() : problems_.front().second;
}

}  // namespace lanewise::trace::record

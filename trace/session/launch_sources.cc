// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/launch_sources.h"

#include <array>
#include <filesystem>

#include "trace/record/output_file.h"
#include "trace/record/source_sites.h"
#include "trace/record/trace_info.h"

namespace lanewise::trace::session {
namespace {

namespace fs = std::filesystem;

constexpr char kOtherMaker[] = "the files of another compiler name no Python lines and modules";
constexpr char kAlone[] =
    "no Python lines and modules: no launch record lies beside this pair; open it in the folder of its capture, or by an execution (--event, --nth)";
constexpr char kNoSite[] =
    "no Python lines and modules: this launch is of one operator, not of a graph of torch.compile; its line is known where one execution is asked for (--event, --nth) and the trace "
    "has Python stacks (with_stack=True)";

void fill(const record::SourceTable& table, device::Program* program) {
  for (const record::SourceFrame& f : table.frames) program->frames.push_back({f.file, f.function, f.line});
  for (const record::SourceNode& n : table.nodes)
    program->sources.push_back({n.name, n.op, n.module, n.module_class, n.backward, n.own == record::kNoNode ? device::kNone : n.own, n.frames});
}

// Instructions lie by core, engine, index: each engine's stream is a run of rows.
void place(const record::SourceSite& site, device::Program* program) {
  struct Walk {
    size_t run = 0;
    uint32_t used = 0;
  };
  std::array<Walk, isa::kEngineCount> walks;
  for (device::Instruction& in : program->instructions) {
    const auto& runs = site.streams[static_cast<size_t>(in.engine)];
    Walk& walk = walks[static_cast<size_t>(in.engine)];
    while (walk.run < runs.size() && walk.used >= runs[walk.run].count) walk = {walk.run + 1, 0};
    if (walk.run == runs.size()) continue;
    ++walk.used;
    if (runs[walk.run].node != record::kNoNode) in.source = runs[walk.run].node;
  }
}

}  // namespace

LaunchSite first_launch(const std::string& ntff_path) {
  const fs::path path = ntff_path;
  LaunchSite launch{path.parent_path().empty() ? "." : path.parent_path().string(), 0};
  const auto bytes = record::read_whole_file(launch.folder + "/trace_info.pb");
  record::TraceInfo info;
  // Another tool's file of that name, or a damaged one: then nobody says which launch it was.
  if (!bytes.ok() || !record::read_trace_info(*bytes, &info).ok()) return launch;
  for (const record::ProgramFiles& program : info.programs) {
    if (program.ntff == path.filename().string()) launch.site = program.site;
  }
  return launch;
}

void add_sources(const LaunchSite& launch, device::DeviceProfile* profile) {
  profile->source_note.clear();
  if (!profile->simulated) {
    profile->source_note = kOtherMaker;
    return;
  }
  std::error_code error;
  const std::string path = (launch.folder.empty() ? "." : launch.folder) + "/" + record::kSourcesFile;
  if (launch.site == 0) {
    profile->source_note = fs::exists(fs::path(path).parent_path() / "trace_info.pb", error) ? kNoSite : kAlone;
    return;
  }
  const auto bytes = record::read_whole_file(path);
  if (!bytes.ok()) {
    profile->source_note = "no Python lines and modules: " + bytes.status().message();
    return;
  }
  record::LaunchSources sources;
  const Status damage = record::read_sources(*bytes, &sources);   // what lies before the damage serves
  const auto site = sources.sites.find(launch.site);
  const auto table = site == sources.sites.end() ? sources.tables.end() : sources.tables.find(site->second.table);
  if (table == sources.tables.end()) {
    profile->source_note = "no Python lines and modules: " + path + (damage.ok() ? " does not hold call site " + std::to_string(launch.site) : ": " + damage.message());
    return;
  }
  if (std::to_string(site->second.program_hash) != profile->program.hash) {
    profile->source_note = "no Python lines and modules: call site " + std::to_string(launch.site) + " in " + path + " is of program " +
                           std::to_string(site->second.program_hash) + ", this is " + profile->program.hash;
    return;
  }
  fill(table->second, &profile->program);
  place(site->second, &profile->program);
}

}  // namespace lanewise::trace::session

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_export.h"

#include <cstdio>
#include <filesystem>

#include "machine/machine.h"
#include "tools/new_file.h"
#include "tools/table_text.h"
#include "tools/trace_input.h"
#include "trace/analysis/questions.h"
#include "trace/export/device_perfetto.h"
#include "trace/export/events_csv.h"
#include "trace/export/perfetto_export.h"
#include "trace/export/table_csv.h"
#include "trace/pair/file_kind.h"

namespace lanewise::tools {
namespace {

namespace fs = std::filesystem;
using trace::session::Session;

void say(uint64_t count, const char* text) {
  if (count > 0) std::printf("  %llu %s\n", static_cast<unsigned long long>(count), text);
}

Status write_table(const Session& session, const fs::path& path, const trace::analysis::Table& table) {
  LW_ASSIGN_OR_RETURN(NewFile file, NewFile::create(path, session));
  LW_RETURN_IF_ERROR(file.write(trace::exporting::table_csv(table)));
  LW_RETURN_IF_ERROR(file.close());
  std::printf("%-32s %zu rows\n", path.filename().c_str(), table.rows());
  return ok_status();
}

Status export_csv(const std::shared_ptr<const Session>& session, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return invalid_argument("cannot make the folder " + folder.string() + ": " + error.message());
  {
    LW_ASSIGN_OR_RETURN(NewFile file, NewFile::create(folder / "events.csv", *session));
    LW_ASSIGN_OR_RETURN(const uint64_t rows, trace::exporting::write_events_csv(*session, [&](std::string_view bytes) { return file.write(bytes); }));
    LW_RETURN_IF_ERROR(file.close());
    std::printf("%-32s %llu rows\n", "events.csv", static_cast<unsigned long long>(rows));
  }
  const auto model = trace::analysis::Model::build(session);
  for (const auto& question : trace::analysis::questions()) {
    if (question.about_one_event()) continue;
    LW_ASSIGN_OR_RETURN(const auto tables, question.answer(*model, {}));
    for (const auto& table : tables) {
      const std::string name = std::string(question.name) + (table.name() == question.main_table ? "" : "_" + table.name());
      LW_RETURN_IF_ERROR(write_table(*session, folder / (name + ".csv"), table));
    }
  }
  return ok_status();
}

}  // namespace

Status export_perfetto(const Session& session, const std::string& path) {
  LW_ASSIGN_OR_RETURN(NewFile file, NewFile::create(path, session));
  LW_ASSIGN_OR_RETURN(const auto report, trace::exporting::write_perfetto(session, [&](std::string_view bytes) { return file.write(bytes); }));
  LW_RETURN_IF_ERROR(file.close());
  std::printf("%s: %llu slices, %llu instants, %llu counters, %llu flow ends\n", path.c_str(), static_cast<unsigned long long>(report.slices),
              static_cast<unsigned long long>(report.instants), static_cast<unsigned long long>(report.counters),
              static_cast<unsigned long long>(report.flows));
  say(report.other_lanes, "slices cross another one of their track and are on a track beside it");
  say(report.loose_flows, "flow ends left out: no slice around them");
  say(report.backward_flows, "arrows end before they start and are drawn from end to start");
  say(report.without_time, "events left out: no time");
  say(report.other_phases, "events left out: async, object, sample and other phases");
  say(report.odd_counters, "counters left out: no number in them");
  say(static_cast<uint64_t>(report.moved_ns), "ns added to every time, since some were below zero");
  return ok_status();
}

Status export_device_perfetto(const trace::session::OpenedDevice& opened, bool semaphores, const std::string& out) {
  const auto machine = machine::load_machine(opened.profile.machine);
  if (!machine.ok()) return machine.status().with_context("the capture's machine");
  LW_ASSIGN_OR_RETURN(NewFile file, NewFile::create(out, std::vector<std::string>{opened.files.neff, opened.files.ntff}));
  LW_ASSIGN_OR_RETURN(const auto report, trace::exporting::write_device_perfetto(opened.profile, *machine, {.semaphores = semaphores}, [&](std::string_view bytes) { return file.write(bytes); }));
  LW_RETURN_IF_ERROR(file.close());
  for (const std::string& sentence : opened.profile.ledger.sentences) std::fprintf(stderr, "lanewise: %s: %s\n", opened.files.ntff.c_str(), sentence.c_str());
  std::printf("%s: %llu instructions, %llu DMAs on %llu tracks\n", out.c_str(), static_cast<unsigned long long>(report.instructions),
              static_cast<unsigned long long>(report.dmas), static_cast<unsigned long long>(report.tracks));
  std::printf("%llu arrows, %llu samples of %llu counters\n", static_cast<unsigned long long>(report.arrows), static_cast<unsigned long long>(report.samples),
              static_cast<unsigned long long>(report.counters));
  say(report.other_lanes, "runs overlap another one of their track and are on a track beside it");
  return ok_status();
}

int run_export(const ExportArguments& arguments) {
  if (!arguments.perfetto.empty() && trace::pair::kind_of_file(arguments.path) != trace::pair::FileKind::other) {
    const auto opened = trace::session::open_device({arguments.path, "", "", "", 0});
    const Status done = opened.ok() ? export_device_perfetto(*opened, arguments.semaphores, arguments.perfetto) : opened.status();
    return done.ok() ? kExitDone : exit_code_of(done);
  }
  auto input = open_trace({arguments.path}, arguments.producers);
  if (!input.ok()) return exit_code_of(input.status());
  const Status done = arguments.csv.empty() ? export_perfetto(*input->session, arguments.perfetto) : export_csv(input->session, arguments.csv);
  if (!done.ok()) return exit_code_of(done);
  report_damage(*input->session);
  return kExitDone;
}

}  // namespace lanewise::tools

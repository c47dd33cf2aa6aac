// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_view.h"

#include <cstdio>
#include <string>
#include <vector>

#include "tools/trace_input.h"
#include "tools/view_summary.h"

namespace lanewise::tools {

struct ViewCommand::Arguments {
  CLI::App* app = nullptr;
  std::string neff, ntff, folder, format, output_file, data_path, display_name;
  bool ingest_only = false, disable_ui = false, force = false, no_device = false, no_system = false;
  std::string ignored;                 // flags that change nothing here
  std::vector<std::string> ignored_list;
  bool ignored_flag = false;
};

namespace {

Status read_device(const trace::session::DeviceFiles& files, std::vector<SummaryBlock>* blocks) {
  auto block = device_block(files);
  if (!block.ok()) return block.status();
  blocks->push_back(std::move(block).value());
  return ok_status();
}

}  // namespace

ViewCommand::ViewCommand(CLI::App& app) : arguments_(std::make_unique<Arguments>()) {
  Arguments& a = *arguments_;
  a.app = app.add_subcommand("view", "Summaries under the flags and names of the public `view` (docs/device_level.md)");
  a.app->add_option("-n,--neff-path", a.neff, "The program of one device profile");
  a.app->add_option("-s,--session-file", a.ntff, "Its .ntff; not given: the one beside the .neff");
  a.app->add_option("-d,--session-dir", a.folder, "A capture folder, or a folder of them");
  a.app->add_option("--output-format", a.format, "summary-text, summary-json (json, parquet and perfetto: see lanewise export)");
  a.app->add_option("--output-file", a.output_file, "Not with summaries: they go to stdout");
  a.app->add_flag("--ignore-device-profile", a.no_device, "Only the system part");
  a.app->add_flag("--ignore-system-profile", a.no_system, "Only the device part");
  a.app->add_option("--data-path", a.data_path, "Of the store of --ingest-only");
  a.app->add_option("--display-name", a.display_name, "Of the store of --ingest-only");
  a.app->add_flag("--ingest-only", a.ingest_only, "Process into the store and exit");
  a.app->add_flag("--disable-ui", a.disable_ui, "Nothing is served by this command anyway");
  a.app->add_flag("--force", a.force, "Nothing is overwritten by this command");
  // Taken because people type them; they choose among things that are all read here, or ports that are not opened.
  for (const char* flag : {"--ignore-instruction-trace", "--ignore-dma-trace", "--ignore-event-trace", "--show-perfetto-flows", "--enable-memory-tracker"})
    a.app->add_flag(flag, a.ignored_flag)->group("Accepted, without effect");
  for (const char* option : {"-p,--port", "--api-server-port", "--system-trace-primary-group", "--system-trace-secondary-group", "--framework-source-root", "--nki-source-root",
                             "-v,--verbosity", "--terminology"})
    a.app->add_option(option, a.ignored)->group("Accepted, without effect");
  a.app->add_option("-F,--feature", a.ignored_list)->allow_extra_args(false)->group("Accepted, without effect");
}

ViewCommand::~ViewCommand() = default;

bool ViewCommand::parsed() const { return arguments_->app->parsed(); }

int ViewCommand::run() const {
  const Arguments& a = *arguments_;
  if (a.folder.empty() == a.neff.empty()) return exit_code_of(invalid_argument("view takes either -d FOLDER or -n FILE.neff [-s FILE.ntff]"));
  if (a.ingest_only) return exit_code_of(unimplemented("view --ingest-only is not built; lanewise export --parquet writes the tables"));
  if (a.format == "json" || a.format == "parquet" || a.format == "perfetto" || a.format.empty()) {
    return exit_code_of(unimplemented("view --output-format " + (a.format.empty() ? std::string("parquet (the default)") : a.format) +
                                      " is not built; take summary-text or summary-json, `lanewise export` for tables and Perfetto, `lanewise open` for the page"));
  }
  if (a.format != "summary-text" && a.format != "summary-json")
    return exit_code_of(invalid_argument("no output format '" + a.format + "'; there are summary-text and summary-json"));
  if (!a.output_file.empty()) return exit_code_of(invalid_argument("--output-file is not for summaries: they go to stdout (view ... > FILE)"));
  std::vector<SummaryBlock> blocks;
  if (!a.neff.empty()) {
    const auto opened = trace::session::open_device({a.neff, a.ntff, "", "", 0});
    if (!opened.ok()) return exit_code_of(opened.status());
    if (const Status status = read_device(opened->files, &blocks); !status.ok()) return exit_code_of(status);
  } else {
    std::string none;   // why there is no device part
    if (!a.no_system) {
      for (const std::string& folder : capture_folders(a.folder)) {
        auto block = system_block(folder);
        if (!block.ok()) return exit_code_of(block.status());
        blocks.push_back(std::move(block).value());
      }
    }
    if (!a.no_device) {
      const auto pairs = trace::session::device_pairs(a.folder);
      if (!pairs.ok()) none = pairs.status().message();
      else {
        for (const auto& pair : *pairs) {
          if (const Status status = read_device(pair, &blocks); !status.ok()) return exit_code_of(status);
        }
      }
    }
    if (blocks.empty()) return exit_code_of(not_found(none.empty() ? "no capture in " + a.folder : none));
    if (!none.empty()) std::fprintf(stderr, "lanewise: %s\n", none.c_str());
  }
  const std::string text = a.format == "summary-json" ? summary_json(blocks) : summary_text(blocks);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  return kExitDone;
}

}  // namespace lanewise::tools

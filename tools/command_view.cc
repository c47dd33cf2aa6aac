// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_view.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/new_file.h"
#include "tools/trace_input.h"
#include "tools/view_perfetto.h"
#include "tools/view_summary.h"

namespace lanewise::tools {

struct ViewCommand::Arguments {
  CLI::App* app = nullptr;
  std::string neff, ntff, folder, format, output_file, data_path, display_name;
  bool ingest_only = false, disable_ui = false, force = false, no_device = false, no_system = false;
  std::string ignored;                 // flags that change nothing here
  std::vector<std::string> ignored_list;
  bool ignored_flag = false;
  bool semaphores = false;

  // Of what is written: --display-name, else the name of the folder or file.
  std::string name() const {
    if (!display_name.empty()) return display_name;
    const std::filesystem::path given = neff.empty() ? folder : neff;
    return neff.empty() ? std::filesystem::absolute(given / "").parent_path().filename().string() : given.stem().string();
  }
};

ViewCommand::ViewCommand(CLI::App& app) : arguments_(std::make_unique<Arguments>()) {
  Arguments& a = *arguments_;
  a.app = app.add_subcommand("view", "Summaries under the flags and names of the public `view` (docs/device_level.md)");
  a.app->add_option("-n,--neff-path", a.neff, "The program of one device profile");
  a.app->add_option("-s,--session-file", a.ntff, "Its .ntff; not given: the one beside the .neff");
  a.app->add_option("-d,--session-dir", a.folder, "A capture folder, or a folder of them");
  a.app->add_option("--output-format", a.format, "parquet (default), perfetto, summary-text, summary-json, json");
  a.app->add_option("--output-file", a.output_file, "Where json (default: stdout) and perfetto (default: NAME.pftrace) go; summaries go to stdout");
  a.app->add_flag("--semaphores", a.semaphores, "Of perfetto: values of semaphores as counters too");
  a.app->add_flag("--ignore-device-profile", a.no_device, "Only the system part");
  a.app->add_flag("--ignore-system-profile", a.no_system, "Only the device part");
  a.app->add_option("--data-path", a.data_path, "Of the store of --ingest-only");
  a.app->add_option("--display-name", a.display_name, "Of the store of --ingest-only, and of the file of perfetto");
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

namespace {

// The device profiles that are asked for; `none` says why there are none.
Result<std::vector<trace::session::DeviceFiles>> device_files(const std::string& neff, const std::string& ntff, const std::string& folder, std::string* none) {
  if (!neff.empty()) {
    LW_ASSIGN_OR_RETURN(const auto opened, trace::session::open_device({neff, ntff, "", "", 0}));
    return std::vector<trace::session::DeviceFiles>{opened.files};
  }
  auto pairs = trace::session::device_pairs(folder);
  if (pairs.ok()) return pairs;
  *none = pairs.status().message();
  return std::vector<trace::session::DeviceFiles>();
}

Status write_out(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return written && std::fflush(stdout) == 0 ? ok_status() : resource_exhausted("cannot write all of the answer: is the disk full?");
}

// `inputs`: what it must not be written over.
Status write_file(const std::string& text, const std::string& path, const std::vector<trace::session::DeviceFiles>& inputs) {
  std::vector<std::string> paths;
  for (const auto& files : inputs) paths.insert(paths.end(), {files.neff, files.ntff});
  LW_ASSIGN_OR_RETURN(NewFile file, NewFile::create(path, paths));
  LW_RETURN_IF_ERROR(file.write(text));
  return file.close();
}

}  // namespace

Result<int> ViewCommand::answer() const {
  const Arguments& a = *arguments_;
  if (a.folder.empty() == a.neff.empty()) return invalid_argument("view takes either -d FOLDER or -n FILE.neff [-s FILE.ntff]");
  const bool summary = a.format == "summary-text" || a.format == "summary-json";
  if (!summary && a.format != "json" && a.format != "perfetto")
    return invalid_argument("no output format '" + a.format + "'; there are parquet, perfetto, summary-text, summary-json and json");
  if (summary && !a.output_file.empty()) return invalid_argument("--output-file is not for summaries: they go to stdout (view ... > FILE)");

  std::string none;
  std::vector<trace::session::DeviceFiles> devices;
  if (!a.no_device) {
    LW_ASSIGN_OR_RETURN(devices, device_files(a.neff, a.ntff, a.folder, &none));
  }
  // One that cannot be read does not stop the others; of a pair that was named alone its failure is the answer.
  bool complete = true;
  const auto left_out = [&](const std::string& path, const Status& why) {
    say_left_out(path, why.message());
    complete = false;
  };
  if (!devices.empty() && !a.folder.empty()) {
    for (const auto& file : trace::session::captures_alone(a.folder, devices)) left_out(file.path, not_found(file.reason));
  }
  if (a.format == "perfetto") {
    const std::string out = a.output_file.empty() ? arguments_->name() + ".pftrace" : a.output_file;
    LW_ASSIGN_OR_RETURN(const bool all, view_perfetto({out, a.no_system ? "" : a.folder, devices, a.semaphores}));
    return all && complete ? kExitDone : kExitUsage;
  }
  if (a.format == "json") {
    if (devices.empty()) return not_found(none.empty() ? "json holds device tables; --ignore-device-profile leaves nothing" : none);
    JsonWriter w(1);
    w.begin_object();
    const std::vector<std::string> names = block_names(devices);
    size_t written = 0;
    for (size_t i = 0; i < devices.size(); ++i) {
      const Status status = write_device_tables(w, names[i], devices[i]);
      if (!status.ok() && !a.neff.empty()) return status;
      status.ok() ? static_cast<void>(++written) : left_out(devices[i].ntff, status);
    }
    w.end_object();
    if (written > 0)
      LW_RETURN_IF_ERROR(a.output_file.empty() ? write_out(w.text() + "\n") : write_file(w.text() + "\n", a.output_file, devices));
    return complete ? kExitDone : kExitUsage;
  }
  std::vector<SummaryBlock> blocks;
  if (!a.folder.empty() && !a.no_system) {
    for (const std::string& folder : capture_folders(a.folder)) {
      auto block = system_block(folder);
      block.ok() ? blocks.push_back(std::move(*block)) : left_out(folder, block.status());
    }
  }
  for (const auto& files : devices) {
    auto block = device_block(files);
    if (!block.ok() && !a.neff.empty()) return block.status();
    block.ok() ? blocks.push_back(std::move(*block)) : left_out(files.ntff, block.status());
  }
  if (blocks.empty() && !complete) return kExitUsage;
  if (blocks.empty()) return not_found(none.empty() ? "no capture in " + a.folder : none);
  if (!none.empty()) std::fprintf(stderr, "lanewise: %s\n", none.c_str());
  LW_RETURN_IF_ERROR(write_out(a.format == "summary-json" ? summary_json(blocks) : summary_text(blocks)));
  return complete ? kExitDone : kExitUsage;
}

std::vector<std::string> ViewCommand::python_words() const {
  const Arguments& a = *arguments_;
  const bool parquet = a.ingest_only || a.format.empty() || a.format == "parquet";
  if (!parquet || a.folder.empty() == a.neff.empty()) return {};   // run() says what is wrong
  std::vector<std::string> words = {"view", "--store=" + (!a.data_path.empty() ? a.data_path : !a.output_file.empty() ? a.output_file : std::string(".")), "--name=" + a.name(),
                                    "--neff=" + a.neff, "--ntff=" + a.ntff, "--folder=" + a.folder};
  if (a.no_device) words.push_back("--no-devices");
  if (a.no_system) words.push_back("--no-system");
  return words;
}

int ViewCommand::run() const {
  const auto code = answer();
  return code.ok() ? *code : exit_code_of(code.status());
}

}  // namespace lanewise::tools

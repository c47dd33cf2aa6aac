// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_device.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "machine/machine.h"
#include "tools/command_line.h"
#include "tools/device_text.h"
#include "tools/limits.h"
#include "tools/table_text.h"
#include "tools/trace_input.h"
#include "trace/device_analysis/kernel_view.h"
#include "trace/device_analysis/launch_line.h"
#include "trace/device_analysis/questions.h"

namespace lanewise::tools {
namespace {

using trace::device_analysis::Question;
using trace::session::OpenedDevice;

void add_options(CLI::App* sub, const Question& question, DeviceArguments* arguments) {
  sub->add_option("path", arguments->request.path, "A .neff, an .ntff (the partner beside it is found), or a capture folder")->required();
  sub->add_option("ntff", arguments->request.ntff, "The .ntff, when PATH is a .neff and its partner lies elsewhere");
  sub->add_option("--program", arguments->request.program, "Of a folder: the program, by hash or name");
  sub->add_option("--event", arguments->request.event, "Of a folder: this execution (an event id, as `lanewise kernels` and `chain` show it)");
  sub->add_option("--nth", arguments->request.nth, "Of a folder: the nth execution in order of time, from 1")->check(whole_number(1));
  sub->add_option("--machine", arguments->machine, "Numbers of the chip instead of the capture's: NAME[,key=value...]");
  if (question.ranged) sub->add_option("--between", arguments->between, "FROM,TO from the begin of the program: 2us,2.5us");
  sub->add_flag("--json", arguments->json, "The machine answer: all rows, integers in full (docs/device_level.md)");
  sub->add_flag("--csv", arguments->csv, "One table with commas");
  sub->add_option("--table", arguments->table, "Which table --csv writes");
  sub->add_option("--sort", arguments->sort, "COLUMN[:asc|:desc] of the main table");
  sub->add_option("--top", arguments->top, "Rows to show, 0 for all (text: 20; JSON is never cut)")->check(whole_number(0));
  sub->add_flag("--whole", arguments->whole, "Of a real capture: with the runtime's prologue and epilogue, which else count as overhead");
  sub->add_flag("--strict", arguments->strict, "Exit 2 when the input is damaged");
  sub->add_option("--fail-if", arguments->fail_if, "COLUMN>VALUE: exit 1 when a row exceeds it")->allow_extra_args(false);
}

// One line on stderr for each sentence of the ledger. True when there is one.
bool report_damage(const OpenedDevice& opened) {
  for (const std::string& sentence : opened.profile.ledger.sentences) std::fprintf(stderr, "lanewise: %s: %s\n", opened.files.ntff.c_str(), sentence.c_str());
  return !opened.profile.ledger.sentences.empty();
}

Result<int> answer(const Question& question, const DeviceArguments& arguments, const OpenedDevice& opened) {
  const std::string spec = arguments.machine.empty() ? opened.profile.machine : arguments.machine;
  auto machine = machine::load_machine(spec);
  if (!machine.ok()) return arguments.machine.empty() ? machine.status().with_context("the capture's machine (choose another with --machine)") : machine.status();
  trace::device_analysis::Subject subject{opened.profile, *machine};
  if (!arguments.between.empty()) {
    LW_ASSIGN_OR_RETURN(const auto ns, parse_between(arguments.between));
    constexpr int64_t kFar = INT64_MAX / 4000;   // ns: beyond every profile, and in ps still to be added to one
    subject.range = {to_picos(Nanos(std::min(ns.first, kFar - 1))), to_picos(Nanos(std::min(ns.second, kFar)))};
  }
  LW_ASSIGN_OR_RETURN(std::vector<trace::analysis::Table> tables, question.answer(subject));
  AnswerForm form;
  form.json_head = [&](JsonWriter& w) { write_device_head(w, opened, *machine); };
  if (question.main_table == "metrics") form.text_rows = INT64_MAX / 2;   // a list of different things has no top
  if (!arguments.json && !arguments.csv) {
    std::fputs(device_head(opened, *machine).c_str(), stdout);
    if (question.name == "instructions" && !opened.profile.source_note.empty()) std::printf("%s\n\n", printable(opened.profile.source_note).c_str());
  }
  return print_answer("device " + std::string(question.name), {std::move(tables), question.main_table}, arguments, form);
}

int run_question(const Question& question, DeviceArguments arguments) {
  arguments.top = rows_of_top(arguments.top);
  auto opened = trace::session::open_device(arguments.request);
  if (!opened.ok()) return exit_code_of(opened.status());
  if (!arguments.whole) opened->profile = trace::device_analysis::kernel_view(std::move(opened->profile)).profile;
  // Of an eager launch the line is that of the call, which the trace knows.
  if (opened->execution && !opened->profile.source_note.empty())
    trace::device_analysis::add_launch_line(*trace::analysis::Model::build(opened->session), opened->execution->event, &opened->profile);
  const bool damaged = report_damage(*opened);
  const auto code = answer(question, arguments, *opened);
  if (!code.ok()) return exit_code_of(code.status());
  return damaged && arguments.strict ? kExitUsage : *code;
}

}  // namespace

struct DeviceCommand::Parts {
  CLI::App* group = nullptr;
  DeviceArguments arguments;
  std::vector<CLI::App*> questions;   // by row of the list
};

DeviceCommand::DeviceCommand(CLI::App& app) : parts_(std::make_unique<Parts>()) {
  parts_->group = app.add_subcommand("device", "Below the system trace: what one execution looked like inside the core (docs/device_level.md)");
  parts_->group->require_subcommand(1);
  for (const Question& question : trace::device_analysis::questions()) {
    CLI::App* sub = parts_->group->add_subcommand(std::string(question.name), std::string(question.text));
    add_options(sub, question, &parts_->arguments);
    parts_->questions.push_back(sub);
  }
}

DeviceCommand::~DeviceCommand() = default;

CLI::App& DeviceCommand::group() { return *parts_->group; }

bool DeviceCommand::parsed() const {
  for (const CLI::App* sub : parts_->questions) {
    if (sub->parsed()) return true;
  }
  return false;
}

int DeviceCommand::run() const {
  for (size_t i = 0; i < parts_->questions.size(); ++i) {
    if (parts_->questions[i]->parsed()) return run_question(trace::device_analysis::questions()[i], parts_->arguments);
  }
  return kExitUsage;
}

}  // namespace lanewise::tools

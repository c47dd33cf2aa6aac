// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/device_whatif.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "lab/whatif.h"
#include "tools/answer.h"
#include "tools/command_line.h"
#include "tools/trace_input.h"
#include "trace/record/neff.h"
#include "trace/session/device_files.h"

namespace lanewise::tools {

struct DeviceWhatIf::Arguments : OutputArguments {
  CLI::App* app = nullptr;
  trace::session::DeviceRequest request;
  std::string machine;
  std::vector<std::string> changes;
};

namespace {

Result<isa::Program> program_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  trace::record::Neff neff;
  LW_RETURN_IF_ERROR(trace::record::read_neff(bytes, &neff).with_context(path));
  if (!neff.ours())
    return unimplemented(path + " is a program of another compiler, which whatif does not time anew; `lanewise validate NEFF NTFF --machine trn2,key=value` replays it on other numbers");
  return trace::record::neff_program(neff);
}

Result<int> answer(const trace::session::DeviceRequest& request, const std::string& machine, const std::vector<std::string>& changes, const OutputArguments& output) {
  if (machine.empty() && changes.empty()) return invalid_argument("whatif needs a change: --set dma.hbm_bytes_per_second=736000000000, or --machine trn3; `lanewise machine` lists the numbers");
  LW_ASSIGN_OR_RETURN(const auto opened, trace::session::open_device(request));
  LW_ASSIGN_OR_RETURN(const isa::Program program, program_in(opened.files.neff));
  const std::string after = lab::changed_spec(opened.profile.machine, machine, changes);
  LW_ASSIGN_OR_RETURN(lab::WhatIf result, lab::what_if(program, opened.profile.machine, after));
  AnswerForm form;
  form.json_head = [&](JsonWriter& w) { w.member("before", result.before.machine).member("after", result.after.machine).member("sentence", result.sentence); };
  if (!output.json && !output.csv) std::printf("%s on %s instead of %s\n%s\n\n", program.name.c_str(), result.after.machine.c_str(), result.before.machine.c_str(), result.sentence.c_str());
  return print_answer("device whatif", {std::move(result.tables), "parts"}, output, form);
}

}  // namespace

DeviceWhatIf::DeviceWhatIf(CLI::App& device) : arguments_(std::make_unique<Arguments>()) {
  Arguments& a = *arguments_;
  a.app = device.add_subcommand("whatif", "The same program on changed machine numbers, timed anew by the simulator, the difference explained");
  a.app->add_option("path", a.request.path, "A .neff, an .ntff (the partner beside it is found), or a capture folder")->required();
  a.app->add_option("ntff", a.request.ntff, "The .ntff, when PATH is a .neff and its partner lies elsewhere");
  a.app->add_option("--program", a.request.program, "Of a folder: the program, by hash or name");
  a.app->add_option("--set", a.changes, "key=value: a number of the capture's machine, as `lanewise machine` names it")->allow_extra_args(false);
  a.app->add_option("--machine", a.machine, "Another machine: NAME[,key=value...]");
  a.app->add_flag("--json", a.json, "The machine answer");
  a.app->add_flag("--csv", a.csv, "One table with commas");
  a.app->add_option("--table", a.table, "Which table --csv writes");
  a.app->add_option("--sort", a.sort, "COLUMN[:asc|:desc] of the table parts");
  a.app->add_option("--top", a.top, "Rows to show, 0 for all")->check(whole_number(0));
}

DeviceWhatIf::~DeviceWhatIf() = default;

bool DeviceWhatIf::parsed() const { return arguments_->app->parsed(); }

int DeviceWhatIf::run() const {
  arguments_->top = rows_of_top(arguments_->top);
  const auto code = answer(arguments_->request, arguments_->machine, arguments_->changes, *arguments_);
  return code.ok() ? *code : exit_code_of(code.status());
}

}  // namespace lanewise::tools

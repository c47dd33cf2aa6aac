// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_validate.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "base/json_writer.h"
#include "lab/validate.h"
#include "tools/validate_text.h"
#include "trace/pair/open_pair.h"

namespace lanewise::tools {
namespace {

constexpr int kDone = 0, kFailed = 2;

int fail(const std::string& sentence) {
  std::fprintf(stderr, "lanewise: %s\n", sentence.c_str());
  return kFailed;
}

Result<std::vector<trace::pair::PairPaths>> pairs_of(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (paths.size() == 2) return std::vector<trace::pair::PairPaths>{{fs::path(paths[1]).stem().string(), paths[0], paths[1]}};
  if (!fs::is_directory(paths[0], error))
    return invalid_argument("give a NEFF and its NTFF, or a folder that holds both; " + paths[0] + " is no folder");
  std::vector<std::string> alone;
  LW_ASSIGN_OR_RETURN(auto pairs, trace::pair::pairs_in(paths[0], &alone));
  for (const std::string& path : alone) std::fprintf(stderr, "lanewise: %s has no partner and is left out\n", path.c_str());
  if (pairs.empty()) return not_found("no .neff with its .ntff in " + paths[0]);
  return pairs;
}

void print_json(const std::vector<lab::Validation>& all) {
  JsonWriter w(1);
  int64_t records = 0, unknown = 0;
  w.begin_object().member("schema", 1).key("kernels").begin_array();
  for (const lab::Validation& v : all) {
    records += v.records;
    unknown += v.unknown;
    for (const lab::KernelRow& kernel : v.kernels) {
      w.begin_object().member("name", kernel.name).member("ours_ns", kernel.ours_ns);
      w.member("captured_ns", kernel.captured_ns).member("error", kernel.error()).key("kinds").begin_array();
      for (const lab::KindRow& kind : kernel.kinds) {
        w.begin_object().member("kind", kind.kind).member("n", kind.n).member("ours_ns", kind.ours_ns)
            .member("captured_ns", kind.captured_ns).member("mae_pct", kind.mae_pct);
        if (kind.floor_pct >= 0) w.member("floor_pct", kind.floor_pct);
        w.end_object();
      }
      w.end_array().end_object();
    }
  }
  w.end_array().key("ledger").begin_object().member("records", records).member("unknown", unknown).end_object().end_object();
  std::printf("%s\n", w.text().c_str());
}

}  // namespace

ValidateCommand::ValidateCommand(CLI::App& app)
    : command_(app.add_subcommand("validate", "The timing model against captures of a real chip: NEFF NTFF, or a folder of pairs")),
      arguments_(std::make_unique<ValidateArguments>()) {
  command_->add_option("paths", arguments_->paths, "NEFF and NTFF, or a folder that holds pairs")->required()->expected(1, 2);
  command_->add_option("--machine", arguments_->machine, "NAME[,key=value...]: the machine to compare")->capture_default_str();
  auto* json = command_->add_flag("--json", arguments_->json, "The machine answer");
  command_->add_flag("--markdown", arguments_->markdown, "The page docs/fidelity.md")->excludes(json);
}

bool ValidateCommand::parsed() const { return command_->parsed(); }

int ValidateCommand::run() const {
  const auto machine = machine::load_machine(arguments_->machine);
  if (!machine.ok()) return fail(machine.status().message());
  const auto pairs = pairs_of(arguments_->paths);
  if (!pairs.ok()) return fail(pairs.status().message());
  std::vector<lab::Validation> all;
  int code = kDone;
  for (const trace::pair::PairPaths& pair : *pairs) {
    const auto profile = trace::pair::open_pair(pair.neff, pair.ntff);
    if (!profile.ok()) {
      code = fail(profile.status().message());
      continue;
    }
    for (const std::string& sentence : profile->ledger.sentences) std::fprintf(stderr, "lanewise: %s: %s\n", pair.name.c_str(), sentence.c_str());
    if (profile->ledger.cut) {
      code = fail(pair.name + ": a pair that is not whole is not compared; copy it again, or capture it again");
      continue;
    }
    auto validation = lab::validate(*profile, *machine, pair.name);
    if (!validation.ok()) {
      code = fail(pair.name + ": " + validation.status().message());
      continue;
    }
    all.push_back(std::move(validation).value());
  }
  if (arguments_->json) print_json(all);
  else if (arguments_->markdown) std::fputs(validate_markdown(all, *machine).c_str(), stdout);
  else std::fputs(validate_text(all).c_str(), stdout);
  return code;
}

ValidateCommand add_validate(CLI::App& app) { return ValidateCommand(app); }

}  // namespace lanewise::tools

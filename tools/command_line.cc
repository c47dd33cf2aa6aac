// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_line.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string_view>

#include "base/near_word.h"
#include "tools/trace_input.h"

namespace lanewise::tools {
namespace {

// CLI11 throws for a name that is none.
const CLI::App* find_command(const CLI::App& app, std::string_view name) {
  const auto all = app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  return all.empty() ? nullptr : all.front();
}

}  // namespace

std::optional<int> answer_first_word(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || *argv[1] == '-' || find_command(app, argv[1]) != nullptr) return std::nullopt;
  const std::string word = argv[1];
  if (word == "help" && argc == 2) {
    std::fputs(app.help().c_str(), stdout);
    return kExitDone;
  }
  const std::string asked = word == "help" ? argv[2] : word;
  if (const CLI::App* command = find_command(app, asked); command != nullptr) {
    std::fputs(command->help(app.get_name()).c_str(), stdout);
    return kExitDone;
  }
  std::error_code ignored;
  if (std::filesystem::exists(asked, ignored)) {
    std::fprintf(stderr, "lanewise: no command '%s', but a file of that name; did you mean `lanewise summary %s`?\n", asked.c_str(), asked.c_str());
    return kExitUsage;
  }
  const auto commands = app.get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  const std::vector<std::string_view> words(names.begin(), names.end());
  const std::string_view near = near_word(asked, words);
  const std::string hint = near.empty() ? "`lanewise help` lists them" : "did you mean '" + std::string(near) + "'?";
  std::fprintf(stderr, "lanewise: no command '%s'; %s\n", asked.c_str(), hint.c_str());
  return kExitUsage;
}

Result<std::string> one_trace(const std::string& command, const std::vector<std::string>& paths) {
  if (paths.size() == 1) return paths[0];
  std::string text = command + " takes one trace and was given " + std::to_string(paths.size()) + ":";
  for (const std::string& path : paths) text += "\n  " + path;
  // By the time they were written: nothing is read yet.
  const auto written = [](const std::string& path) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(path, error);
    return error ? std::filesystem::file_time_type::min() : time;
  };
  const std::string& newest = *std::max_element(paths.begin(), paths.end(), [&](const std::string& a, const std::string& b) { return written(a) < written(b); });
  return invalid_argument(text + "\nName one of them, the newest is " + newest + "; a folder of ranks is one trace. `lanewise compare A B` takes several");
}

CLI::Validator whole_number(int64_t least, const std::string& zero) {
  const std::string takes = "takes a whole number" + (zero.empty() ? " from " + std::to_string(least) + " on" : ", 0 " + zero) + ", not '";
  return CLI::Validator(
      [least, takes](std::string& text) {
        const bool digits = !text.empty() && text.size() <= 18 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
        int64_t value = 0;
        if (digits) std::from_chars(text.data(), text.data() + text.size(), value);
        return digits && value >= least ? std::string() : takes + text + "'";
      },
      "");
}

int64_t rows_of_top(int64_t top) { return top == 0 ? std::numeric_limits<int64_t>::max() : top; }

}  // namespace lanewise::tools

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "machine/keys.h"
#include "machine/machine.h"
#include "machine/machine_file.h"
#include "machine/presets.h"

namespace lanewise::machine {
namespace {

struct Loaded {
  Machine machine;
  std::vector<std::string> sources;   // by key
};

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> split_commas(std::string_view s) {
  std::vector<std::string_view> parts;
  for (size_t start = 0;;) {
    const size_t comma = s.find(',', start);
    parts.push_back(trimmed(s.substr(start, comma == std::string_view::npos ? comma : comma - start)));
    if (comma == std::string_view::npos) return parts;
    start = comma + 1;
  }
}

std::string unknown_key(std::string_view typed) {
  const std::string_view nearest = nearest_key(typed);
  if (!nearest.empty()) return "unknown key; the nearest is " + std::string(nearest);
  std::string text = "unknown key; there are ";
  for (const Key& key : keys()) text += (&key == keys().data() ? "" : ", ") + std::string(key.path);
  return text;
}

size_t index_of(const Key& key) { return static_cast<size_t>(&key - keys().data()); }

bool is_path(std::string_view name) { return name.find('/') != std::string_view::npos || name.ends_with(".toml"); }

Result<std::string> read_text(const std::string& path) {
  constexpr size_t kMostBytes = 1 << 20;  // a machine file has a few kilobytes; a device file would never end
  std::ifstream in(path, std::ios::binary);
  if (!in) return not_found(path + ": cannot open this machine file");
  std::string text(kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return not_found(path + ": cannot read this machine file");
  const auto got = static_cast<size_t>(in.gcount());
  if (got > kMostBytes) return invalid_argument(path + ": larger than 1 MiB, so not a machine file");
  text.resize(got);
  return text;
}

Result<Loaded> load_file(std::string_view text, const std::string& file) {
  LW_ASSIGN_OR_RETURN(const MachineFile parsed, read_machine_file(text, file));
  Loaded loaded;
  loaded.machine.name = parsed.name;
  loaded.sources.resize(keys().size());
  for (const FileEntry& entry : parsed.entries) {
    const std::string where = file + ":" + std::to_string(entry.line) + ": " + entry.key;
    const Key* key = find_key(entry.key);
    if (key == nullptr) return invalid_argument(where + ": " + unknown_key(entry.key));
    const Status set = std::holds_alternative<bool>(entry.value)
                           ? set_flag(*key, loaded.machine, std::get<bool>(entry.value))
                           : set_number(*key, loaded.machine, std::get<int64_t>(entry.value));
    if (!set.ok()) return set.with_context(where);
    loaded.sources[index_of(*key)] = entry.source;
  }
  for (const Key& key : keys())
    if (loaded.sources[index_of(key)].empty()) return invalid_argument(file + ": " + std::string(key.path) + ": missing");
  if (Status s = check_together(loaded.machine); !s.ok()) return s.with_context(file);
  return loaded;
}

Status set_from_text(const Key& key, Machine& machine, std::string_view text) {
  if (key.flag != nullptr) {
    if (text == "true" || text == "false") return set_flag(key, machine, text == "true");
    return invalid_argument("must be true or false, is '" + std::string(text) + "'");
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    return invalid_argument("'" + std::string(text) + "' does not fit a 64-bit integer");
  if (error != std::errc{} || end != text.data() + text.size())
    return invalid_argument("must be an integer, is '" + std::string(text) + "'");
  return set_number(key, machine, value);
}

Result<Loaded> load(std::string_view spec) {
  const std::vector<std::string_view> parts = split_commas(spec);
  const std::string name(parts[0]);
  std::optional<Result<Loaded>> base;
  if (is_path(name)) {
    LW_ASSIGN_OR_RETURN(const std::string text, read_text(name));
    base = load_file(text, name);
  } else {
    for (const Preset& preset : presets())
      if (preset.name == name) base = load_file(preset.text, "preset " + name);
  }
  if (!base) {
    std::string names;
    for (const Preset& preset : presets()) names += (names.empty() ? "" : ", ") + std::string(preset.name);
    return not_found("machine '" + name + "': no such preset; there are " + names + ", or give a path to a .toml file");
  }
  LW_ASSIGN_OR_RETURN(Loaded loaded, std::move(*base));

  std::vector<bool> overridden(keys().size());
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    const std::string_view typed = trimmed(parts[i].substr(0, equals));
    const std::string where = "machine '" + std::string(spec) + "': " + (typed.empty() ? "override" : std::string(typed));
    if (equals == std::string_view::npos || typed.empty()) return invalid_argument(where + ": must be key=value");
    const Key* key = find_key(typed);
    if (key == nullptr) return invalid_argument(where + ": " + unknown_key(typed));
    if (overridden[index_of(*key)]) return invalid_argument(where + ": is given twice");
    const std::string before = value_text(*key, loaded.machine);
    if (Status s = set_from_text(*key, loaded.machine, trimmed(parts[i].substr(equals + 1))); !s.ok())
      return s.with_context(where);
    overridden[index_of(*key)] = true;
    std::string& source = loaded.sources[index_of(*key)];
    source = "override; " + name + " has " + before + " (" + source + ")";
  }
  if (Status s = check_together(loaded.machine); !s.ok()) return s.with_context("machine '" + std::string(spec) + "'");

  loaded.machine.spec = name;
  for (const Key& key : keys())
    if (overridden[index_of(key)])
      loaded.machine.spec += "," + std::string(key.path) + "=" + value_text(key, loaded.machine);
  return loaded;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

Result<Machine> load_machine(std::string_view spec) {
  LW_ASSIGN_OR_RETURN(Loaded loaded, load(spec));
  return std::move(loaded.machine);
}

std::string default_spec() {
  const char* spec = std::getenv("LANEWISE_MACHINE");
  return spec != nullptr && *spec != '\0' ? spec : "trn2";
}

Result<std::vector<Parameter>> describe_machine(std::string_view spec) {
  LW_ASSIGN_OR_RETURN(const Loaded loaded, load(spec));
  std::vector<Parameter> parameters;
  for (const Key& key : keys())
    parameters.push_back({std::string(key.path), value_text(key, loaded.machine), loaded.sources[index_of(key)]});
  return parameters;
}

}  // namespace lanewise::machine

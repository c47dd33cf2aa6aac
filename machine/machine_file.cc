// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/machine_file.h"

#include <sstream>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace lanewise::machine {
namespace {

std::string type_name(const toml::node& node) {
  std::ostringstream out;
  out << node.type();
  return out.str();
}

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  Status read(const toml::table& root, MachineFile& out) {
    for (const auto& [key, node] : root) {
      if (key.str() == "name") {
        const auto* name = node.as_string();
        if (name == nullptr || name->get().empty()) return error(node, "name", "must be a text");
        out.name = name->get();
        continue;
      }
      const auto* section = node.as_table();
      if (section == nullptr || section->is_inline())
        return error(node, key.str(), "must be a section such as [dma], not a value of its own");
      for (const auto& [inner, value] : *section)
        LW_RETURN_IF_ERROR(read_entry(std::string(key.str()) + "." + std::string(inner.str()), value, out));
    }
    if (out.name.empty()) return invalid_argument(std::string(file_) + ": name: missing");
    return ok_status();
  }

 private:
  Status error(const toml::node& node, std::string_view key, const std::string& reason) const {
    return invalid_argument(std::string(file_) + ":" + std::to_string(node.source().begin.line) + ": " +
                            std::string(key) + ": " + reason);
  }

  Status read_entry(const std::string& key, const toml::node& node, MachineFile& out) {
    const auto* pair = node.as_table();
    if (pair == nullptr)
      return error(node, key, "must be { value = ..., source = \"...\" }, is " + type_name(node));
    FileEntry entry;
    entry.key = key;
    entry.line = static_cast<int>(node.source().begin.line);
    const toml::node *value = nullptr, *source = nullptr;
    for (const auto& [field, content] : *pair) {
      if (field.str() == "value") value = &content;
      else if (field.str() == "source") source = &content;
      else return error(content, key, "has a field '" + std::string(field.str()) + "'; only value and source are known");
    }
    if (value == nullptr) return error(node, key, "has no value");
    if (const auto* number = value->as_integer()) entry.value = number->get();
    else if (const auto* flag = value->as_boolean()) entry.value = flag->get();
    else return error(*value, key, "value must be an integer or a boolean, is " + type_name(*value));
    if (source == nullptr || source->as_string() == nullptr || source->as_string()->get().empty())
      return error(node, key, "has no source; say where the number comes from, or \"assumed: reason\"");
    entry.source = source->as_string()->get();
    out.entries.push_back(std::move(entry));
    return ok_status();
  }

  std::string_view file_;
};

}  // namespace

Result<MachineFile> read_machine_file(std::string_view text, std::string_view file) {
  const toml::parse_result parsed = toml::parse(text, file);
  if (!parsed) {
    const toml::parse_error& e = parsed.error();
    return invalid_argument(std::string(file) + ":" + std::to_string(e.source().begin.line) + ": not valid TOML: " +
                            std::string(e.description()));
  }
  MachineFile out;
  LW_RETURN_IF_ERROR(Reader(file).read(parsed.table(), out));
  return out;
}

}  // namespace lanewise::machine

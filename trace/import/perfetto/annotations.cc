// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/perfetto/annotations.h"

#include "base/json_writer.h"
#include "trace/import/perfetto/fields.h"
#include "trace/import/perfetto/wire.h"

namespace lanewise::trace::perfetto {
namespace {

namespace a = fields::annotation;
namespace n = fields::nested;
constexpr int kMaxDepth = 64;

std::string quoted(std::string_view text) {
  JsonWriter w;
  w.value(text);
  return w.text();
}
std::string number(double value) {
  JsonWriter w;
  w.value(value);
  return w.text();
}
std::string joined(const std::vector<std::string>& parts, char open, char close) {
  std::string out(1, open);
  for (size_t i = 0; i < parts.size(); ++i) out += (i > 0 ? "," : "") + parts[i];
  return out + close;
}

// The older form of dictionaries and arrays.
bool nested_value(std::string_view message, std::string* json, int depth) {
  if (depth > kMaxDepth) return false;
  uint64_t type = 0;
  std::vector<std::string> keys, values;
  std::string scalar = "null";
  WireReader reader(message);
  while (reader.next()) {
    switch (reader.field()) {
      case n::type: type = reader.value(); break;
      case n::dict_keys: keys.push_back(quoted(reader.data())); break;
      case n::dict_values:
      case n::array_values:
        if (!nested_value(reader.data(), &values.emplace_back(), depth + 1)) return false;
        break;
      case n::int_value: scalar = std::to_string(reader.integer()); break;
      case n::double_value: scalar = number(reader.number()); break;
      case n::bool_value: scalar = reader.value() != 0 ? "true" : "false"; break;
      case n::string_value: scalar = quoted(reader.data()); break;
      default: break;
    }
  }
  if (!reader.ok()) return false;
  if (type == 1) {  // DICT
    for (size_t i = 0; i < values.size() && i < keys.size(); ++i) values[i] = keys[i] + ":" + values[i];
    *json = joined(values, '{', '}');
  } else if (type == 2) {  // ARRAY
    *json = joined(values, '[', ']');
  } else {
    *json = scalar;
  }
  return true;
}

bool annotation(std::string_view message, const Sequence& sequence, std::string* name, std::string* json, int depth) {
  if (depth > kMaxDepth) return false;
  *json = "null";
  std::vector<std::string> entries, elements;
  bool is_dict = false, is_array = false;
  WireReader reader(message);
  while (reader.next()) {
    switch (reader.field()) {
      case a::name_iid: *name = std::string(Sequence::find(sequence.annotation_names, reader.value())); break;
      case a::name: *name = std::string(reader.data()); break;
      case a::bool_value: *json = reader.value() != 0 ? "true" : "false"; break;
      case a::uint_value: *json = std::to_string(reader.value()); break;
      case a::int_value: *json = std::to_string(reader.integer()); break;
      case a::pointer_value: *json = std::to_string(reader.value()); break;
      case a::double_value: *json = number(reader.number()); break;
      case a::string_value: *json = quoted(reader.data()); break;
      case a::string_value_iid: *json = quoted(Sequence::find(sequence.annotation_texts, reader.value())); break;
      // Nobody has checked that it is JSON, and one bad value would spoil the whole object: it stays a text.
      case a::legacy_json_value: *json = quoted(reader.data()); break;
      case a::nested_value:
        if (!nested_value(reader.data(), json, depth + 1)) return false;
        break;
      case a::dict_entries:
      case a::array_values: {
        std::string key, value;
        if (!annotation(reader.data(), sequence, &key, &value, depth + 1)) return false;
        if (reader.field() == a::dict_entries) is_dict = true, entries.push_back(quoted(key) + ":" + value);
        else is_array = true, elements.push_back(value);
        break;
      }
      default: break;
    }
  }
  if (is_dict) *json = joined(entries, '{', '}');
  else if (is_array) *json = joined(elements, '[', ']');
  return reader.ok();
}

}  // namespace

bool add_annotation(std::string_view message, const Sequence& sequence, Args* args) {
  auto& [name, json] = args->emplace_back();
  return annotation(message, sequence, &name, &json, 0);
}

std::string args_json(const Args& args) {
  JsonWriter w;
  w.begin_object();
  for (const auto& [key, json] : args) w.key(key).raw(json);
  w.end_object();
  return w.text();
}

}  // namespace lanewise::trace::perfetto

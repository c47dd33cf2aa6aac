// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/header.h"

#include "trace/import/kineto_json/decimal.h"
#include "trace/import/kineto_json/json_walk.h"

namespace lanewise::trace::kineto_json {
namespace {

std::optional<int64_t> integer_of(std::string_view json) {
  DecimalValue value;
  if (!parse_decimal(json_text(json), 0, &value) || value.clipped) return std::nullopt;
  return value.value;
}

}  // namespace

void read_header(schema::TraceFile* file) {
  if (const auto base = integer_of(file->metadata_json("baseTimeNanoseconds"))) file->base_time_ns = *base;
  file->display_time_unit = json_text(file->metadata_json("displayTimeUnit"));
  for (const auto& [key, value] : json_members(file->metadata_json("distributedInfo"))) {
    if (key == "rank") file->rank = integer_of(value);
    if (key == "world_size") file->world_size = integer_of(value);
    if (key == "backend") file->backend = json_text(value);
  }
  for (const std::string& device : json_elements(file->metadata_json("deviceProperties"))) {
    schema::DeviceProperties properties;
    for (const auto& [key, value] : json_members(device)) {
      if (key == "id") properties.id = integer_of(value).value_or(0);
      if (key == "name") properties.name = json_text(value);
    }
    file->devices.push_back(std::move(properties));
  }
}

}  // namespace lanewise::trace::kineto_json

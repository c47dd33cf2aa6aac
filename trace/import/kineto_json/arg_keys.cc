// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/arg_keys.h"

namespace lanewise::trace::kineto_json {

using schema::OptionalColumn;

const ArgKeyTable& ArgKeyTable::instance() {
  static const ArgKeyTable table;
  return table;
}

ArgKeyTable::ArgKeyTable() {
  for (size_t i = 0; i < schema::kArgKeys; ++i) {
    const auto& column = schema::arg_column(static_cast<schema::ArgKey>(i));
    add(column.key, {static_cast<uint8_t>(i), column.kind == schema::ArgKind::number ? ArgForm::number : ArgForm::text});
  }
  add("correlation", {target_of(OptionalColumn::correlation), ArgForm::id});
  add("External id", {target_of(OptionalColumn::external_id), ArgForm::id});
  add("external id", {target_of(OptionalColumn::external_id), ArgForm::id});
  add("device", {target_of(OptionalColumn::device), ArgForm::id});
  add("stream", {target_of(OptionalColumn::stream), ArgForm::id});
  // 2021 files.
  add("Input dims", {static_cast<uint8_t>(schema::ArgKey::input_dims), ArgForm::text});
}

void ArgKeyTable::add(std::string_view key, ArgTarget target) {
  char padded[kMaxSize + 8] = {};
  std::memcpy(padded, key.data(), key.size());
  size_t i = slot(padded, key.size());
  while (entries_[i].target.form != ArgForm::none) i = (i + 1) % kSlots;
  entries_[i] = {key, target};
}

}  // namespace lanewise::trace::kineto_json

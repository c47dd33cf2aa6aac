// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/perfetto/sequence.h"

#include "trace/import/perfetto/fields.h"
#include "trace/import/perfetto/wire.h"

namespace lanewise::trace::perfetto {

void Sequence::clear() {
  categories.clear();
  names.clear();
  annotation_names.clear();
  annotation_texts.clear();
  default_clock = default_track = 0;
  valid_ = true;
}

bool Sequence::add_interned(std::string_view message) {
  WireReader reader(message);
  while (reader.next()) {
    Texts* texts = nullptr;
    switch (reader.field()) {
      case fields::interned::event_categories: texts = &categories; break;
      case fields::interned::event_names: texts = &names; break;
      case fields::interned::debug_annotation_names: texts = &annotation_names; break;
      case fields::interned::debug_annotation_string_values: texts = &annotation_texts; break;
      default: continue;
    }
    uint64_t iid = 0;
    std::string_view text;
    WireReader entry(reader.data());
    while (entry.next()) {
      if (entry.field() == fields::interned::iid) iid = entry.value();
      if (entry.field() == fields::interned::text) text = entry.data();
    }
    if (!entry.ok()) return false;
    (*texts)[iid] = std::string(text);
  }
  return reader.ok();
}

bool Sequence::set_defaults(std::string_view message) {
  WireReader reader(message);
  while (reader.next()) {
    if (reader.field() == fields::defaults::timestamp_clock_id) default_clock = reader.value();
    if (reader.field() != fields::defaults::track_event_defaults) continue;
    WireReader event(reader.data());
    while (event.next()) {
      if (event.field() == fields::defaults::track_uuid) default_track = event.value();
    }
    if (!event.ok()) return false;
  }
  return reader.ok();
}

}  // namespace lanewise::trace::perfetto

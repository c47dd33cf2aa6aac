// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/export/events_arrow.h"

#include <algorithm>
#include <functional>

namespace lanewise::trace::exporting {
namespace {

using schema::EventTable;
using session::Session;
using store::Column;
using store::kSegmentRows;
using store::kSegmentShift;

// One segment of one file.
struct Segment {
  uint32_t part = 0;
  size_t index = 0;
  size_t rows = 0;
  int64_t first_row = 0;  // in the whole
  size_t first() const { return index << kSegmentShift; }
};

struct Context {
  std::shared_ptr<const Session> session;
  std::shared_ptr<const TextArray> texts;
  const EventTable& events(const Segment& s) const { return session->events(s.part); }
};

template <typename T>
bool is_null(T value) {
  return value == store::null_value<T>();
}

// A segment where it lies.
template <typename T, typename IsNull>
ArrayParts in_place(const Context& context, const Column<T>& column, const Segment& s, const IsNull& null) {
  return fixed_width(column.segment(s.index).data(), s.rows, context.session, null);
}

ArrayParts with_dictionary(ArrayParts parts, std::shared_ptr<const TextArray> texts) {
  parts.dictionary.push_back(TextArray::parts(std::move(texts)));
  return parts;
}

// StringIds are indices into the dictionary of all texts as they are; kNoString is -1 as int32.
ArrayParts texts_in_place(const Context& context, const Column<uint32_t>& column, const Segment& s) {
  return with_dictionary(in_place(context, column, s, is_null<uint32_t>), context.texts);
}

ArrayParts of_track(const Context& context, const Column<uint32_t>& texts, const Segment& s) {
  const auto tracks = context.events(s).track.segment(s.index);
  std::vector<uint32_t> ids(s.rows);
  for (size_t i = 0; i < s.rows; ++i) ids[i] = texts[tracks[i]];
  return with_dictionary(fixed_width(std::move(ids), is_null<uint32_t>), context.texts);
}

ArrayParts start_ns(const Context& context, const Segment& s) {
  const EventTable& events = context.events(s);
  const int64_t offset = context.session->files()[s.part].offset_ns;
  const auto times = events.ts_ns.segment(s.index);
  const auto flags = events.flags.segment(s.index);
  ArrayParts parts;
  if (offset == 0) {
    parts = fixed_width(times.data(), s.rows, context.session, kNeverNull);
  } else {
    std::vector<int64_t> moved(s.rows);
    for (size_t i = 0; i < s.rows; ++i) {
      if (__builtin_add_overflow(times[i], offset, &moved[i])) moved[i] = times[i];  // clipped already, and flagged
    }
    parts = fixed_width(std::move(moved), kNeverNull);
  }
  auto bits = std::make_shared<std::vector<uint8_t>>();
  parts.null_count = validity(flags.data(), s.rows, [](uint8_t f) { return (f & schema::kNoTime) != 0; }, bits.get());
  if (parts.null_count > 0) parts.buffers[0] = bits->data();
  parts.owners.push_back(std::move(bits));
  return parts;
}

std::shared_ptr<const TextArray> role_names() {
  auto names = std::make_shared<TextArray>();
#define LW_ROLE_TEXT(name) names->add(#name);
  LW_ROLES(LW_ROLE_TEXT)
#undef LW_ROLE_TEXT
  return names;
}

std::shared_ptr<const TextArray> phase_letters() {
  auto letters = std::make_shared<TextArray>();
  for (int code = 0; code < 128; ++code) {
    const auto letter = static_cast<char>(code);
    letters->add(code == 0 ? std::string_view() : std::string_view(&letter, 1));
  }
  return letters;
}

// Rows of a segment that have a value; none: the shared segment of nulls.
ArrayParts argument(const Context& context, schema::ArgKey key, const Segment& s) {
  const auto& sparse = context.events(s).arg(key);
  const auto begin = static_cast<uint32_t>(s.first());
  const auto end = static_cast<uint32_t>(s.first() + s.rows);
  size_t at = sparse.lower_bound(begin);
  const bool any = at < sparse.size() && sparse.row(at) < end;
  if (schema::arg_column(key).kind == schema::ArgKind::number) {
    if (!any) return fixed_width(store::null_segment<int64_t>(), s.rows, nullptr, is_null<int64_t>);
    std::vector<int64_t> values(s.rows, store::null_value<int64_t>());
    for (; at < sparse.size() && sparse.row(at) < end; ++at) values[sparse.row(at) - begin] = sparse.value(at);
    return fixed_width(std::move(values), is_null<int64_t>);
  }
  if (!any) return with_dictionary(fixed_width(store::null_segment<uint32_t>(), s.rows, nullptr, is_null<uint32_t>), context.texts);
  std::vector<uint32_t> values(s.rows, store::kNoString);
  for (; at < sparse.size() && sparse.row(at) < end; ++at) {
    if (!is_null(sparse.value(at))) values[sparse.row(at) - begin] = static_cast<uint32_t>(sparse.value(at));
  }
  return with_dictionary(fixed_width(std::move(values), is_null<uint32_t>), context.texts);
}

struct EventColumn {
  FieldParts field;
  std::function<ArrayParts(const Context&, const Segment&)> make;
};

FieldParts plain(std::string name, std::string format, std::string unit = "") {
  return {.name = std::move(name), .format = std::move(format), .children = {}, .dictionary = {}, .unit = std::move(unit)};
}

std::vector<EventColumn> make_columns() {
  std::vector<EventColumn> columns;
  const auto add = [&](FieldParts field, std::function<ArrayParts(const Context&, const Segment&)> make) {
    columns.push_back({std::move(field), std::move(make)});
  };
  add(plain("event", "l", "event"), [](const Context&, const Segment& s) {
    std::vector<int64_t> ids(s.rows);
    for (size_t i = 0; i < s.rows; ++i) ids[i] = static_cast<int64_t>(schema::EventId{s.part, static_cast<uint32_t>(s.first() + i)}.packed());
    return fixed_width(std::move(ids), kNeverNull);
  });
  add(plain("part", "l"), [](const Context&, const Segment& s) { return fixed_width(std::vector<int64_t>(s.rows, s.part), kNeverNull); });
  add(plain("start_ns", "l", "ns"), start_ns);
  add(plain("dur_ns", "l", "ns"), [](const Context& c, const Segment& s) { return in_place(c, c.events(s).dur_ns, s, kNeverNull); });
  add(dictionary_field("name", "i"), [](const Context& c, const Segment& s) { return texts_in_place(c, c.events(s).name, s); });
  add(dictionary_field("category", "i"), [](const Context& c, const Segment& s) { return texts_in_place(c, c.events(s).category, s); });
  add(dictionary_field("phase", "c"), [letters = phase_letters()](const Context& c, const Segment& s) {
    return with_dictionary(in_place(c, c.events(s).phase, s, [](uint8_t p) { return p == 0 || p > 127; }), letters);
  });
  add(dictionary_field("role", "c"), [names = role_names()](const Context& c, const Segment& s) {
    return with_dictionary(in_place(c, c.events(s).role, s, kNeverNull), names);
  });
  add(dictionary_field("pid", "i"), [](const Context& c, const Segment& s) { return of_track(c, c.events(s).track_pid, s); });
  add(dictionary_field("tid", "i"), [](const Context& c, const Segment& s) { return of_track(c, c.events(s).track_tid, s); });
#define LW_ID_COLUMN(type, column, text) \
  add(plain(#column, "l"), [](const Context& c, const Segment& s) { return in_place(c, c.events(s).column, s, is_null<type>); });
  LW_EVENT_OPTIONAL_COLUMNS(LW_ID_COLUMN)
#undef LW_ID_COLUMN
  add(plain("flags", "C"), [](const Context& c, const Segment& s) { return in_place(c, c.events(s).flags, s, kNeverNull); });
  add(plain("offset", "L", "bytes"), [](const Context& c, const Segment& s) { return in_place(c, c.events(s).offset, s, kNeverNull); });
  add(plain("length", "I", "bytes"), [](const Context& c, const Segment& s) { return in_place(c, c.events(s).length, s, kNeverNull); });
  for (size_t i = 0; i < schema::kArgKeys; ++i) {
    const auto key = static_cast<schema::ArgKey>(i);
    const schema::ArgColumn& column = schema::arg_column(key);
    std::string name(column.name);
    add(column.kind == schema::ArgKind::number ? plain(std::move(name), "l") : dictionary_field(std::move(name), "i"),
        [key](const Context& c, const Segment& s) { return argument(c, key, s); });
  }
  return columns;
}

const std::vector<EventColumn>& all_columns() {
  static const auto* const columns = new std::vector<EventColumn>(make_columns());
  return *columns;
}

class EventBatches : public Batches {
 public:
  EventBatches(Context context, std::vector<const EventColumn*> columns) : context_(std::move(context)), columns_(std::move(columns)) {
    for (const EventColumn* column : columns_) fields_.push_back(column->field);
    for (const session::SessionFile& file : context_.session->files()) {
      const size_t rows = file.file.events.rows();
      for (size_t i = 0; i * kSegmentRows < rows; ++i) {
        segments_.push_back({file.part, i, std::min(kSegmentRows, rows - i * kSegmentRows), rows_});
        rows_ += static_cast<int64_t>(segments_.back().rows);
      }
    }
  }
  const std::vector<FieldParts>& fields() const override { return fields_; }
  int64_t rows() const override { return rows_; }
  size_t count() const override { return segments_.size(); }
  int64_t first_row(size_t batch) const override { return segments_[batch].first_row; }
  std::vector<ArrayParts> columns(size_t batch) const override {
    std::vector<ArrayParts> columns;
    for (const EventColumn* column : columns_) columns.push_back(column->make(context_, segments_[batch]));
    return columns;
  }

 private:
  Context context_;
  std::vector<const EventColumn*> columns_;
  std::vector<FieldParts> fields_;
  std::vector<Segment> segments_;
  int64_t rows_ = 0;
};

}  // namespace

EventColumns::EventColumns(std::shared_ptr<const Session> session) : session_(std::move(session)) {
  auto texts = std::make_shared<TextArray>();
  for (store::StringId id = 0; id < session_->strings().size(); ++id) texts->add(session_->text(id));
  texts_ = std::move(texts);
}

std::vector<std::string> EventColumns::names() {
  std::vector<std::string> names;
  for (const EventColumn& column : all_columns()) names.push_back(column.field.name);
  return names;
}

Result<std::shared_ptr<const Batches>> EventColumns::select(const std::vector<std::string>& names) const {
  std::vector<const EventColumn*> columns;
  for (const EventColumn& column : all_columns()) {
    if (names.empty()) columns.push_back(&column);
  }
  for (const std::string& name : names) {
    const auto at = std::find_if(all_columns().begin(), all_columns().end(), [&](const EventColumn& c) { return c.field.name == name; });
    if (at == all_columns().end()) return invalid_argument("events have no column " + name);
    columns.push_back(&*at);
  }
  return std::shared_ptr<const Batches>(std::make_shared<EventBatches>(Context{session_, texts_}, std::move(columns)));
}

}  // namespace lanewise::trace::exporting

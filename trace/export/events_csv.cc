// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/export/events_csv.h"

#include <limits>
#include <string>
#include <vector>

#include "trace/schema/encoded_id.h"
#include "trace/schema/event_id.h"

namespace lanewise::trace::exporting {
namespace {

using schema::ArgKey;
using schema::EventTable;
using schema::Row;

constexpr size_t kFlushBytes = size_t{1} << 20;

void add_text(std::string* out, std::string_view text) {
  *out += ',';
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
    *out += text;
    return;
  }
  *out += '"';
  for (const char c : text) {
    if (c == '"') *out += '"';
    *out += c;
  }
  *out += '"';
}

template <typename T>
void add_number(std::string* out, T value) {
  *out += ',';
  *out += std::to_string(value);
}

// Times of a damaged file can be anything; those that do not fit stay at the end.
int64_t moved(int64_t time_ns, int64_t offset_ns) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(time_ns, offset_ns, &sum)) return sum;
  return time_ns < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

}  // namespace

Result<uint64_t> write_events_csv(const session::Session& session, const std::function<Status(std::string_view)>& write) {
  std::string out = "event,part,start_ns,dur_ns,name,category,phase,role,pid,tid,id,correlation,external_id,device,stream,flags,offset,length";
  for (size_t i = 0; i < schema::kArgKeys; ++i) out += "," + std::string(schema::arg_column(static_cast<ArgKey>(i)).name);
  out += '\n';
  uint64_t rows = 0;
  for (const session::SessionFile& file : session.files()) {
    const EventTable& t = file.file.events;
    std::vector<size_t> at(schema::kArgKeys);  // place in each sparse column: rows ascend
    for (Row row = 0; row < t.rows(); ++row, ++rows) {
      out += schema::EventId{file.part, row}.to_string();
      add_number(&out, file.part);
      if (t.has(row, schema::kNoTime)) out += ',';
      else add_number(&out, moved(t.ts_ns[row], file.offset_ns));
      add_number(&out, t.dur_ns[row]);
      add_text(&out, session.text(t.name[row]));
      add_text(&out, session.text(t.category[row]));
      const auto letter = static_cast<char>(t.phase[row]);
      add_text(&out, t.phase[row] == 0 || t.phase[row] > 127 ? std::string_view() : std::string_view(&letter, 1));
      add_text(&out, schema::role_name(t.role_of(row)));
      add_text(&out, session.text(t.track_of(row).pid));
      add_text(&out, session.text(t.track_of(row).tid));
      for (const int64_t id : {t.id[row], t.correlation[row], t.external_id[row], t.device[row], t.stream[row]}) add_text(&out, session.id_text(id));
      add_number(&out, t.flags[row]);
      add_number(&out, t.offset[row]);
      add_number(&out, t.length[row]);
      for (size_t i = 0; i < schema::kArgKeys; ++i) {
        const auto& column = t.args[i];
        if (at[i] == column.size() || column.row(at[i]) != row) {
          out += ',';
          continue;
        }
        const int64_t value = column.value(at[i]++);
        if (value == store::null_value<int64_t>()) out += ',';
        else if (schema::arg_column(static_cast<ArgKey>(i)).kind == schema::ArgKind::number) add_number(&out, value);
        else add_text(&out, session.text(static_cast<store::StringId>(value)));
      }
      out += '\n';
      if (out.size() < kFlushBytes) continue;
      LW_RETURN_IF_ERROR(write(out));
      out.clear();
    }
  }
  LW_RETURN_IF_ERROR(write(out));
  return rows;
}

}  // namespace lanewise::trace::exporting

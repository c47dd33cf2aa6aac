// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/args_reader.h"

#include "trace/import/kineto_json/json_walk.h"
#include "trace/input/range_reader.h"

namespace lanewise::trace::session {

namespace {

Result<std::shared_ptr<input::StoredFile>> open_unchanged(const schema::TraceFile& file) {
  LW_ASSIGN_OR_RETURN(std::shared_ptr<input::StoredFile> stored, input::StoredFile::open(file.path));
  if (stored->size() != file.file_bytes || stored->mtime_ns() != file.file_mtime_ns) {
    return failed_precondition(file.path + " changed after it was opened; open the trace again");
  }
  return stored;
}

}  // namespace

Status unchanged(const schema::TraceFile& file) { return open_unchanged(file).status(); }

struct ArgsReader::State {
  const schema::TraceFile& file;
  std::unique_ptr<input::RangeReader> ranges;

  // Opened at the first use; the file must still be the one that was imported.
  Status open() {
    if (ranges != nullptr) return ok_status();
    LW_ASSIGN_OR_RETURN(std::shared_ptr<input::StoredFile> stored, open_unchanged(file));
    LW_ASSIGN_OR_RETURN(ranges, input::range_reader(std::move(stored)));
    return ok_status();
  }
};

ArgsReader::ArgsReader(const schema::TraceFile& file) : state_(new State{file, nullptr}) {}
ArgsReader::~ArgsReader() = default;

Result<std::string> ArgsReader::event_text(schema::Row row) {
  const schema::EventTable& events = state_->file.events;
  if (row >= events.rows()) return out_of_range("no event " + std::to_string(row));
  LW_RETURN_IF_ERROR(state_->open());
  return state_->ranges->read(events.offset[row], events.length[row]);
}

Result<std::vector<std::pair<std::string, std::string>>> ArgsReader::args(schema::Row row) {
  if (const auto& stored = state_->file.args; stored != nullptr) return kineto_json::json_members(stored->json(row));
  LW_ASSIGN_OR_RETURN(const std::string text, event_text(row));
  std::vector<std::pair<std::string, std::string>> args;
  for (const auto& [key, value] : kineto_json::json_members(text)) {
    if (key == "args") args = kineto_json::json_members(value);
  }
  return args;
}

Result<std::string> ArgsReader::arg(schema::Row row, std::string_view key) {
  LW_ASSIGN_OR_RETURN(const auto all, args(row));
  std::string found;
  for (const auto& [name, value] : all) {
    if (name == key) found = kineto_json::json_text(value);
  }
  return found;
}

}  // namespace lanewise::trace::session

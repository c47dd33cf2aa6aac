// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Files in and out: folders that were named, uploads, source text, exports.
#include <array>

#include "server/http/app.h"
#include "server/library/folder_list.h"
#include "server/library/source_text.h"
#include "server/wire/table_frame.h"
#include "trace/analysis/questions.h"
#include "trace/export/events_csv.h"
#include "trace/export/perfetto_export.h"
#include "trace/export/table_csv.h"

namespace lanewise::server::http {
namespace {

Response folder(Call& call) {
  const auto path = call.request.parameter("path");
  if (!path) return error_response(400, "the path is missing");
  const auto real = call.app.library().allowed(*path);
  if (!real.ok()) return error_response(real.status());
  const auto entries = library::list_folder(*real);
  if (!entries.ok()) return error_response(entries.status());
  JsonWriter w;
  w.begin_object().member("path", *real).key("entries").begin_array();
  for (const auto& entry : *entries) {
    w.begin_object().member("name", entry.name).member("path", entry.path).member("kind", entry.kind);
    w.member("bytes", entry.bytes).member("when", entry.when).end_object();
  }
  w.end_array().end_object();
  return json_response(w.text());
}

Response trace_response(const Result<std::shared_ptr<library::OpenTrace>>& trace) {
  if (!trace.ok()) return error_response(trace.status());
  JsonWriter w;
  write_trace(w, **trace);
  return json_response(w.text());
}

Response upload(Call& call) {
  const auto name = call.request.parameter("name");
  if (!name) return error_response(400, "the name is missing");
  const uint64_t limit = call.app.options().upload_limit;
  if (const auto length = call.request.body->length(); length && *length > limit) {
    return error_response(413, "the file is larger than the limit of " + std::to_string(limit) + " bytes (--upload-limit)");
  }
  library::Uploads& uploads = call.app.uploads();
  const std::string key = call.request.parameter("folder").value_or("");
  auto sink = uploads.begin(*name, key, limit);
  if (!sink.ok()) return error_response(sink.status());
  std::string buffer(256 << 10, '\0');
  while (true) {
    const auto got = call.request.body->read(buffer.data(), buffer.size());
    if (!got.ok()) return error_response(got.status());
    if (*got == 0) break;
    if (const Status written = sink->write(std::string_view(buffer).substr(0, *got)); !written.ok()) return error_response(written);
  }
  const auto path = sink->finish();
  if (!path.ok()) return error_response(path.status());
  // A piece of a folder is opened with the others.
  if (!key.empty()) return json_response("{}");
  return trace_response(call.app.library().open_upload(*path, *name));
}

Response upload_done(Call& call) {
  const auto key = call.request.parameter("folder");
  if (!key) return error_response(400, "the folder is missing");
  const auto kept = call.app.uploads().folder_of(*key);
  if (!kept.ok()) return error_response(kept.status());
  return trace_response(call.app.library().open_upload(kept->path, kept->name));
}

Response source(Call& call) {
  const auto found = trace_of(call, false);
  if (!found.ok()) return error_response(found.status());
  const auto file = call.request.parameter("file"), line_text = call.request.parameter("line");
  if (!file) return error_response(400, "the file is missing");
  const int64_t line = line_text ? std::strtoll(line_text->c_str(), nullptr, 10) : 1;
  const auto text = library::read_source(call.app.options().source_roots, *file, line);
  if (!text.ok()) return error_response(text.status());
  JsonWriter w;
  w.begin_object().member("file", text->file).member("first_line", text->first_line).key("lines").begin_array();
  for (const std::string& each : text->lines) w.value(each);
  w.end_array().member("line", text->line).end_object();
  return json_response(w.text());
}

// Names of traces are what users call their files; a header takes plain characters.
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    out += plain ? c : '_';
  }
  return out.empty() ? "trace" : out.substr(0, 120);
}

Response attachment(const std::string& name, const std::string& type) {
  Response response;
  response.header("Content-Type", type).header("Cache-Control", "no-store");
  response.header("Content-Disposition", "attachment; filename=\"" + name + "\"");
  return response;
}

// "gaps", "gaps_devices": as `lanewise export --csv` names its files.
Result<std::string> csv_of_table(const trace::analysis::Model& model, const std::string& name) {
  const size_t bar = name.find('_');
  const auto* question = trace::analysis::find_question(name.substr(0, bar));
  if (question == nullptr || question->about_one_event()) return not_found("there is no table " + name);
  const std::string wanted = bar == name.npos ? std::string(question->main_table) : name.substr(bar + 1);
  LW_ASSIGN_OR_RETURN(const auto tables, question->answer(model, {}));
  for (const auto& table : tables) {
    if (table.name() == wanted) return trace::exporting::table_csv(table);
  }
  return not_found("there is no table " + name);
}

Response export_file(Call& call) {
  const auto found = session_of(call);
  if (!found.ok()) return error_response(found.status());
  const std::string format = call.request.parameter("format").value_or("");
  const std::string table = call.request.parameter("table").value_or("events");
  const std::string name = plain_name(found->trace->name());
  const auto view = found->view;
  // What fails half way (the file is gone: args are read again) ends the stream short; the browser tells of a broken download.
  const auto to_status = [](const Write& write, std::string_view bytes) {
    return write(bytes) ? ok_status() : Status(StatusCode::cancelled, "the client is gone");
  };
  if (format == "perfetto") {
    Response response = attachment(name + ".perfetto-trace", "application/octet-stream");
    response.stream = [view, to_status](const Write& write) {
      return trace::exporting::write_perfetto(*view->session, [&](std::string_view bytes) { return to_status(write, bytes); }).ok();
    };
    return response;
  }
  if (format != "csv") return error_response(400, "the format is perfetto or csv");
  Response response = attachment(name + "." + plain_name(table) + ".csv", "text/csv; charset=utf-8");
  if (table == "events") {
    response.stream = [view, to_status](const Write& write) {
      return trace::exporting::write_events_csv(*view->session, [&](std::string_view bytes) { return to_status(write, bytes); }).ok();
    };
    return response;
  }
  auto csv = csv_of_table(*view->model, table);
  if (!csv.ok()) return error_response(csv.status());
  response.body = std::move(*csv);
  return response;
}

constexpr auto kRoutes = std::to_array<Route>({
    {"GET", "/api/folder", folder},
    {"POST", "/api/upload", upload},
    {"POST", "/api/upload/done", upload_done},
    {"GET", "/api/trace/{}/source", source},
    {"GET", "/api/trace/{}/export", export_file},
});

}  // namespace

std::span<const Route> file_routes() { return kRoutes; }

}  // namespace lanewise::server::http

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Home: what is open, what was open, progress.
#include <array>
#include <chrono>
#include <map>
#include <thread>

#include "server/http/app.h"
#include "server/http/sql.h"

namespace lanewise::server::http {
namespace {

using library::OpenTrace;

// How often an event stream says that it is alive, so that a client that is gone is noticed.
constexpr double kBeatSeconds = 2;
// At most as many progress events a second.
constexpr auto kLeastPause = std::chrono::milliseconds(100);

std::string trace_json(const OpenTrace& trace) {
  JsonWriter w;
  write_trace(w, trace);
  return w.text();
}

Response home(Call& call) {
  App& app = call.app;
  JsonWriter w;
  w.begin_object().member("schema", 1).member("version", app.options().version);
  w.key("traces").begin_array();
  for (const auto& trace : app.library().traces()) write_trace(w, *trace);
  w.end_array().key("recent").begin_array();
  for (const auto& recent : app.state().recent()) {
    w.begin_object().member("path", recent.path).member("name", recent.name).member("id", recent.id).member("when", recent.when).end_object();
  }
  w.end_array().key("folders").begin_array();
  for (const std::string& folder : app.library().folders()) w.value(folder);
  w.end_array().member("upload_limit", app.options().upload_limit);
  const SqlSupport sql = sql_support(app.options().python);
  w.key("sql").begin_object().member("available", sql.available).member("text", sql.text).end_object();
  w.key("examples").begin_object();
  app.options().study.empty() ? w.key("study").null() : w.member("study", app.options().study);
  w.end_object().end_object();
  return json_response(w.text());
}

// One event a change of a trace, the newest state only; ends when nothing is left to tell.
Response progress(Call& call) {
  Response response;
  response.header("Content-Type", "text/event-stream").header("Cache-Control", "no-store").header("X-Accel-Buffering", "no");
  App* app = &call.app;
  response.stream = [app](const Write& write) {
    std::map<std::string, std::string> told;
    uint64_t seen = 0;
    while (!app->stopping()) {
      const bool busy = app->library().busy();  // before the states are read: what changes later is told next time
      for (const auto& trace : app->library().traces()) {
        std::string json = trace_json(*trace);
        std::string& last = told[trace->id()];
        if (last == json) continue;
        last = json;
        if (!write("event: trace\ndata: " + json + "\n\n")) return false;
      }
      if (!busy) {
        return write("event: idle\ndata: {}\n\n");
      }
      std::this_thread::sleep_for(kLeastPause);
      const uint64_t now = app->library().wait_for_change(seen, kBeatSeconds);
      if (now == seen && !write(": alive\n\n")) return false;
      seen = now;
    }
    return false;
  };
  return response;
}

Response open_path(Call& call) {
  const auto json = call.json();
  if (!json.ok()) return error_response(json.status());
  const std::string path = json->text_of("path");
  if (path.empty()) return error_response(400, "the path is missing");
  const auto trace = call.app.library().open(path);
  return trace.ok() ? json_response(trace_json(**trace)) : error_response(trace.status());
}

Response close_trace(Call& call) {
  const auto json = call.json();
  if (!json.ok()) return error_response(json.status());
  const std::string id = json->text_of("id");
  return call.app.library().close(id) ? json_response("{}") : error_response(404, "no open trace has the id " + id);
}

constexpr auto kRoutes = std::to_array<Route>({
    {"GET", "/api/home", home},
    {"GET", "/api/progress", progress},
    {"POST", "/api/open", open_path},
    {"POST", "/api/close", close_trace},
});

}  // namespace

std::span<const Route> library_routes() { return kRoutes; }

}  // namespace lanewise::server::http

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Answers about a trace as a whole: what is in the file, memory, SQL; and traces against each other.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "server/http/app.h"
#include "server/http/sql.h"
#include "server/wire/table_frame.h"
#include "trace/analysis/call_kinds.h"
#include "trace/analysis/compare.h"
#include "trace/analysis/info_json.h"
#include "trace/analysis/memory.h"
#include "trace/session/args_reader.h"

namespace lanewise::server::http {
namespace {

using trace::analysis::Model;
using trace::analysis::Table;

constexpr int64_t kMostRows = 100'000, kUsualRows = 10'000;
constexpr size_t kMostSides = 8;

Response info(Call& call) {
  const auto found = session_of(call);
  if (!found.ok()) return error_response(found.status());
  Status failure;
  auto answer = found->trace->answer(
      "info",
      [&]() -> Result<std::string> {
        std::vector<trace::analysis::FileInfo> infos;
        for (const auto& entry : found->view->session->files()) infos.push_back(trace::analysis::file_info(*found->view->session, entry.part));
        JsonWriter w;
        trace::analysis::write_info(w, *found->view->session, infos);
        return w.text();
      },
      &failure);
  if (answer == nullptr) return error_response(failure);
  Response response = json_response({});
  response.shared = std::move(answer);
  return response;
}

std::vector<double> numbers_of(const Table& table, std::string_view column) {
  std::vector<double> numbers;
  for (const int64_t value : table[column].integers) {
    numbers.push_back(value == trace::analysis::kNullInteger ? std::nan("") : static_cast<double>(value));
  }
  return numbers;
}

Result<std::string> memory_frame(const Model& model) {
  LW_ASSIGN_OR_RETURN(std::vector<Table> tables, trace::analysis::memory_tables(model));
  wire::FrameWriter frame;
  for (Table& table : tables) {
    if (table.name() != "curve") {
      if (table.name() == "rows") table.rename("owners");
      wire::add_table(frame, table);
      continue;
    }
    std::vector<std::string_view> devices;
    std::vector<uint32_t> codes;
    for (const std::string_view device : table["device"].texts) {
      auto at = std::find(devices.begin(), devices.end(), device);
      if (at == devices.end()) at = devices.insert(devices.end(), device);
      codes.push_back(static_cast<uint32_t>(at - devices.begin()));
    }
    const auto at = numbers_of(table, "start"), allocated = numbers_of(table, "allocated_bytes"), reserved = numbers_of(table, "reserved_bytes");
    const auto events = numbers_of(table, "event"), parts = numbers_of(table, "part");
    frame.begin_table("curve", table.rows()).dictionary("device", "text", codes, devices).column("at_ns", "ns", std::span<const double>(at));
    frame.column("allocated", "bytes", std::span<const double>(allocated)).column("reserved", "bytes", std::span<const double>(reserved));
    frame.column("part", "integer", std::span<const double>(parts)).column("event", "event", std::span<const double>(events)).end_table();
  }
  return std::move(frame).finish();
}

Response memory(Call& call) {
  const auto found = session_of(call);
  if (!found.ok()) return error_response(found.status());
  Status failure;
  auto answer = found->trace->answer("memory", [&] { return memory_frame(*found->view->model); }, &failure);
  if (answer == nullptr) return error_response(failure);
  Response response = frame_response({});
  response.shared = std::move(answer);
  return response;
}

// Where the zero of a trace lies when several stand below each other: the start of its first step when all have steps, else its
// first submission, else its first device work, else its begin. From its origin.
int64_t anchor_of(const Model& model, bool by_step) {
  if (by_step) return model.steps().front().start_ns - model.begin_ns();
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const auto& file : model.files()) {
    if (file.repeats) continue;
    for (const auto& call : file.links.calls) {
      if (trace::analysis::submits(call.kind)) first = std::min(first, model.start_ns(file.part, call.row));
    }
  }
  for (const auto& device : model.devices()) {
    if (first == std::numeric_limits<int64_t>::max() && device.events > 0) first = device.first_ns;
  }
  return first == std::numeric_limits<int64_t>::max() ? 0 : first - model.begin_ns();
}

Result<std::string> compare_frame(const std::vector<TraceOf>& sides) {
  std::vector<trace::analysis::CompareSide> models;
  bool by_step = true;
  for (const TraceOf& side : sides) {
    models.push_back({side.view->model, side.trace->path()});
    by_step &= !side.view->model->steps().empty();
  }
  LW_ASSIGN_OR_RETURN(const std::vector<Table> tables, trace::analysis::compare_tables(models));
  JsonWriter anchors;
  anchors.begin_array();
  for (const TraceOf& side : sides) {
    anchors.begin_object().member("id", side.trace->id()).member("origin_ns", anchor_of(*side.view->model, by_step)).end_object();
  }
  anchors.end_array();
  wire::FrameWriter frame;
  frame.raw_member("anchors", anchors.text()).member("by_step", by_step);
  for (const Table& table : tables) wire::add_table(frame, table);
  return std::move(frame).finish();
}

Response compare(Call& call) {
  const auto json = call.json();
  if (!json.ok()) return error_response(json.status());
  const wire::JsonValue* ids = json->find("ids");
  if (ids == nullptr || ids->items().size() < 2) return error_response(400, "compare takes the ids of at least two traces");
  if (ids->items().size() > kMostSides) return error_response(400, "compare takes at most " + std::to_string(kMostSides) + " traces");
  std::vector<TraceOf> sides;
  std::string key = "compare";
  for (const auto& id : ids->items()) {
    call.pieces = {id.text()};
    auto found = session_of(call);
    if (!found.ok()) return error_response(found.status());
    key += "/" + id.text();
    sides.push_back(std::move(*found));
  }
  Status failure;
  auto answer = sides[0].trace->answer(key, [&] { return compare_frame(sides); }, &failure);
  if (answer == nullptr) return error_response(failure);
  Response response = frame_response({});
  response.shared = std::move(answer);
  return response;
}

Response sql(Call& call) {
  const auto found = session_of(call);
  if (!found.ok()) return error_response(found.status());
  const auto json = call.json();
  if (!json.ok()) return error_response(json.status());
  SqlQuestion question;
  question.python = call.app.options().python;
  question.path = found->trace->path();
  question.sql = json->text_of("sql");
  question.limit = std::clamp<int64_t>(json->integer_of("limit").value_or(kUsualRows), 1, kMostRows);
  question.wanted = call.request.wanted;
  if (question.sql.empty()) return error_response(400, "there is no query");
  // The process reads the file again: another one would be answered from than the page shows.
  for (const auto& entry : found->view->session->files()) {
    if (const Status same = trace::session::unchanged(entry.file); !same.ok()) return error_response(410, same.message());
  }
  auto answer = answer_sql(question);
  return answer.ok() ? frame_response(std::move(*answer)) : error_response(answer.status());
}

constexpr auto kRoutes = std::to_array<Route>({
    {"GET", "/api/trace/{}/info", info},
    {"GET", "/api/trace/{}/memory", memory},
    {"POST", "/api/trace/{}/sql", sql},
    {"POST", "/api/compare", compare},
});

}  // namespace

std::span<const Route> report_routes() { return kRoutes; }

}  // namespace lanewise::server::http

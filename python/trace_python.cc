// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "python/trace_python.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "python/status_python.h"
#include "trace/analysis/model.h"
#include "trace/analysis/questions.h"
#include "trace/export/events_arrow.h"
#include "trace/export/table_arrow.h"
#include "trace/session/producers_file.h"

namespace lanewise::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;
using trace::analysis::Model;
using trace::analysis::Question;
using trace::analysis::QuestionOptions;
using trace::analysis::Table;
using trace::exporting::Batches;
using trace::session::Session;

class Trace {
 public:
  Trace(std::unique_ptr<trace::schema::Producers> producers, std::shared_ptr<const Session> session)
      : producers_(std::move(producers)), session_(std::move(session)) {}

  const Session& session() const { return *session_; }
  // Built at the first question.
  std::shared_ptr<const Model> model() {
    std::call_once(model_once_, [&] { model_ = Model::build(session_); });
    return model_;
  }
  const trace::exporting::EventColumns& events() {
    std::call_once(events_once_, [&] { events_.emplace(session_); });
    return *events_;
  }

 private:
  std::unique_ptr<trace::schema::Producers> producers_;
  std::shared_ptr<const Session> session_;
  std::once_flag model_once_, events_once_;
  std::shared_ptr<const Model> model_;
  std::optional<trace::exporting::EventColumns> events_;
};

// `progress`: None, or called with (bytes done, bytes total, bytes of text, events). Ctrl-C, or an exception of it, ends the import.
std::shared_ptr<Trace> open_trace(const std::vector<std::string>& paths, const std::string& producers_path, const nb::object& progress,
                                  int threads) {
  auto producers = value_or_raise(trace::session::read_producers(producers_path), Subject::path);
  trace::session::OpenOptions options;
  options.producers = producers.get();
  options.import.threads = threads;
  std::unique_ptr<nb::python_error> failure;
  options.import.progress = [&](const trace::schema::ImportProgress& at) {
    nb::gil_scoped_acquire gil;
    // The engine is built without exceptions: none may leave here.
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!progress.is_none()) progress(at.stored_bytes_done, at.stored_bytes_total, at.text_bytes, at.events);
    } catch (nb::python_error& error) {
      failure = std::make_unique<nb::python_error>(std::move(error));
    }
    return failure == nullptr;
  };
  auto session = [&] {
    nb::gil_scoped_release no_gil;
    return paths.size() == 1 ? Session::open(paths[0], options) : Session::open(paths, options);
  }();
  if (failure != nullptr) {
    failure->restore();
    throw nb::python_error();
  }
  return std::make_shared<Trace>(std::move(producers), value_or_raise(std::move(session), Subject::path));
}

// The tables of an answer in their order, by name.
nb::dict ask(Trace& self, std::string_view name, const std::vector<int64_t>& steps, std::optional<int64_t> rank, const std::string& device,
             std::optional<std::pair<int64_t, int64_t>> between, const std::string& pattern, const std::vector<std::string>& by,
             const std::string& event, int64_t nth, const std::string& thread, bool bottom_up) {
  const Question* question = trace::analysis::find_question(name);
  if (question == nullptr) raise(not_found("no question " + std::string(name)), Subject::other);
  QuestionOptions options;
  options.selection = {.steps = steps, .rank = rank, .device = device, .between_ns = between, .name = pattern};
  options.by = by;
  options.nth = nth;
  options.thread = thread;
  options.bottom_up = bottom_up;
  if (!event.empty()) {
    options.event = trace::schema::EventId::parse(event);
    if (!options.event) raise(invalid_argument("'" + event + "' is no event id"), Subject::other);
  }
  auto answer = [&] {
    nb::gil_scoped_release no_gil;
    return question->answer(*self.model(), options);
  }();
  nb::dict tables;
  for (Table& table : value_or_raise(std::move(answer))) {
    table.set_owner(self.model());  // texts of its rows lie in the session's pool
    auto shared = std::make_shared<const Table>(std::move(table));
    const std::string key = shared->name();
    tables[key.c_str()] = nb::cast(std::const_pointer_cast<Batches>(trace::exporting::table_batches(std::move(shared))));
  }
  return tables;
}

std::shared_ptr<Batches> events(Trace& self, const std::vector<std::string>& columns) {
  auto batches = [&] {
    nb::gil_scoped_release no_gil;
    return self.events().select(columns);
  }();
  return std::const_pointer_cast<Batches>(value_or_raise(std::move(batches)));
}

nb::list files(const Trace& self) {
  nb::list out;
  for (const auto& entry : self.session().files()) {
    const auto& ledger = entry.file.ledger;
    nb::dict file;
    file["path"] = entry.file.path;
    file["part"] = entry.part;
    file["format"] = entry.file.format;
    file["rank"] = entry.file.rank;
    file["world_size"] = entry.file.world_size;
    file["base_time_ns"] = entry.file.base_time_ns;
    file["offset_ns"] = entry.offset_ns;
    file["producers"] = entry.file.producers;
    file["events"] = entry.file.events.rows();
    file["read"] = ledger.read;
    file["kept"] = ledger.kept;
    file["repaired"] = ledger.repaired;
    file["dropped"] = ledger.dropped;
    file["damaged"] = ledger.damaged();
    out.append(file);
  }
  return out;
}

nb::list unread(const Trace& self) {
  nb::list out;
  for (const auto& [path, reason] : self.session().unread()) {
    nb::dict file;
    file["path"] = path;
    file["reason"] = reason;
    out.append(file);
  }
  return out;
}

nb::list question_list() {
  using namespace trace::analysis;
  constexpr std::pair<unsigned, const char*> kNames[] = {
      {kAskStep, "steps"}, {kAskRank, "rank"}, {kAskDevice, "device"}, {kAskBetween, "between"}, {kAskName, "name"},
      {kAskBy, "by"}, {kAskEvent, "event"}, {kAskEvent, "nth"}, {kAskTree, "thread"}, {kAskTree, "bottom_up"}};
  nb::list out;
  for (const Question& question : questions()) {
    nb::list options;
    for (const auto& [bit, name] : kNames) {
      if (question.options & bit) options.append(name);
    }
    out.append(nb::make_tuple(question.name, question.text, question.main_table, nb::tuple(options)));
  }
  return out;
}

}  // namespace

void bind_trace(nb::module_& module) {
  module.def("open", &open_trace, "paths"_a, "producers"_a = "", "progress"_a = nb::none(), "threads"_a = 0);
  module.def("questions", &question_list, "(name, text, main table, options) of each analysis");
  module.def("event_columns", &trace::exporting::EventColumns::names);
  module.def("event_text", [](uint64_t packed) { return trace::schema::EventId::unpack(packed).to_string(); }, "event"_a);
  nb::class_<Trace>(module, "Trace")
      .def("ask", &ask, "question"_a, nb::kw_only(), "steps"_a = std::vector<int64_t>(), "rank"_a = nb::none(), "device"_a = "",
           "between"_a = nb::none(), "name"_a = "", "by"_a = std::vector<std::string>(), "event"_a = "", "nth"_a = 1, "thread"_a = "",
           "bottom_up"_a = false)
      .def("events", &events, "columns"_a = std::vector<std::string>())
      .def("files", &files)
      .def("unread", &unread)
      .def("id_text", [](const Trace& self, int64_t id) { return self.session().id_text(id); }, "id"_a)
      .def_prop_ro("origin_ns", [](const Trace& self) { return self.session().origin_ns(); })
      .def_prop_ro("begin_ns", [](Trace& self) { return self.model()->begin_ns(); });
}

}  // namespace lanewise::python

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/library/open_trace.h"

#include <algorithm>
#include <filesystem>

#include "server/wire/json_value.h"
#include "trace/analysis/health.h"
#include "trace/session/launch_sources.h"

namespace lanewise::server::library {

using timeline::PartTables;
using timeline::Timeline;
using trace::analysis::Model;
using trace::session::Session;

namespace {

// How long the first preview may wait, and how much rest the import gets between two.
constexpr auto kPreviewPause = std::chrono::milliseconds(300);
constexpr int kPreviewRest = 4;
// A device profile of this many runs shows its engines before its counters.
constexpr uint32_t kEarlyPicture = 200'000;
// Answers kept per trace.
constexpr size_t kAnswerBytes = 64 << 20;
// What one costs beside its bytes and those of its question: nodes and counts, about.
constexpr size_t kAnswerOverhead = 200;

std::vector<PartTables> parts_of(const Session& session, const Model& model) {
  std::vector<PartTables> parts;
  for (const auto& entry : session.files()) {
    PartTables part;
    part.part = entry.part;
    part.unit = entry.repeats_part.value_or(entry.part);
    part.events = entry.file.events;
    part.offset_ns = entry.offset_ns;
    part.rank = entry.file.rank;
    part.system_trace = entry.repeats_part.has_value();
    part.nesting = &model.file(entry.part).nesting;
    parts.push_back(std::move(part));
  }
  for (const auto& entry : session.files()) {
    if (entry.repeats_part) parts[*entry.repeats_part].beside_system_trace = true;
  }
  return parts;
}

// The sentence about a simulated device, from what the capture wrote about its devices.
std::string simulated_text(const Session& session) {
  for (const auto& entry : session.files()) {
    const auto devices = wire::JsonValue::parse(entry.file.metadata_json("deviceProperties"));
    if (!devices.ok()) continue;
    for (const auto& device : devices->items()) {
      if (!device.boolean_of("simulated")) continue;
      return device.text_of("machine") + " (simulator " + device.text_of("simulator_version") + ", compiler " + device.text_of("compiler_version") +
             ")";
    }
  }
  return {};
}

}  // namespace

const timeline::ArrowIndex& View::arrows() const {
  std::call_once(arrows_once_, [&] { 
    arrows_ = device ? std::make_unique<const timeline::ArrowIndex>(device->ties(), *timeline) : std::make_unique<const timeline::ArrowIndex>(*model, *timeline);
  });
  return *arrows_;
}

const std::vector<trace::session::DeviceExecution>& View::executions() const {
  std::call_once(executions_once_, [&] { executions_ = trace::session::device_executions(*session); });
  return executions_;
}

OpenTrace::OpenTrace(std::string id, std::string name, std::string path, trace::session::TraceFiles files, std::function<void()> changed, TraceKind kind,
                     std::optional<trace::session::LaunchSite> launch)
    : id_(std::move(id)), name_(std::move(name)), path_(std::move(path)), files_(std::move(files)), kind_(kind), launch_(std::move(launch)), changed_(std::move(changed)) {}

OpenTrace::~OpenTrace() {
  cancelled_ = true;
  if (import_thread_.joinable()) import_thread_.join();
  if (preview_thread_.joinable()) preview_thread_.join();
}

void OpenTrace::start() {
  busy_ = true;
  if (kind_ == TraceKind::session) preview_thread_ = std::thread([this] { preview(); });
  import_thread_ = std::thread([this] {
    kind_ == TraceKind::device ? import_device() : import();
    busy_ = false;
    changed_();
  });
}

TraceStatus OpenTrace::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::shared_ptr<const View> OpenTrace::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

void OpenTrace::show(std::shared_ptr<const View> view) {
  const std::lock_guard lock(mutex_);
  view_ = std::move(view);
}

void OpenTrace::change(const std::function<void(TraceStatus*)>& edit) {
  {
    const std::lock_guard lock(mutex_);
    edit(&status_);
    status_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
  changed_();
}

void OpenTrace::import() {
  uint64_t done_before = 0, text_before = 0, events_before = 0;
  trace::schema::ImportProgress last;
  trace::session::OpenOptions options;
  options.strings = strings_;
  options.begin_file = [&](const std::string&) {
    done_before += last.stored_bytes_total;
    text_before += last.text_bytes;
    events_before += last.events;
    last = {};
    const std::lock_guard lock(mutex_);
    growing_.emplace_back();
  };
  options.import.progress = [&](const trace::schema::ImportProgress& progress) {
    last = progress;
    change([&](TraceStatus* s) {
      s->bytes_done = done_before + progress.stored_bytes_done;
      s->bytes_total = std::max(s->bytes_total, done_before + progress.stored_bytes_total);
      s->text_bytes = text_before + progress.text_bytes;
      s->events = events_before + progress.events;
    });
    return !cancelled_;
  };
  options.import.publish = [&](const trace::schema::EventTable& events) {
    const std::lock_guard lock(mutex_);
    growing_.back() = events;
    grown_ = true;
    wake_.notify_all();
  };
  std::error_code ignored;
  uint64_t total = 0;
  for (const std::string& file : files_.files) {
    const auto size = std::filesystem::file_size(file, ignored);
    total += ignored ? 0 : size;
  }
  change([&](TraceStatus* s) { s->bytes_total = total; });

  auto session = Session::open(files_, options);
  {
    const std::lock_guard lock(mutex_);
    import_done_ = true;
    growing_.clear();
  }
  wake_.notify_all();
  preview_thread_.join();
  if (!session.ok() || cancelled_) {
    change([&](TraceStatus* s) {
      s->state = TraceState::failed;
      s->error = session.ok() ? "the import was cancelled" : session.status().message();
    });
    return;
  }
  auto view = std::make_shared<View>();
  view->session = *session;
  const auto model = Model::build(*session);
  view->model = model;
  const auto before = this->view();
  view->timeline = Timeline::build(parts_of(**session, *model), strings_, model, model->begin_ns(),
                                   before ? &before->timeline->names() : nullptr);
  show(view);
  change([&](TraceStatus* s) {
    s->state = TraceState::ready;
    s->bytes_done = s->bytes_total;
    s->simulated = simulated_text(**session);
    s->text_bytes = s->events = 0;
    for (const auto& entry : (*session)->files()) {
      const auto& ledger = entry.file.ledger;
      s->read += ledger.read, s->kept += ledger.kept, s->repaired += ledger.repaired, s->dropped += ledger.dropped;
      s->text_bytes += ledger.input_bytes;
      s->events += entry.file.events.rows();
    }
  });
  look_at_health(*model);
}

void OpenTrace::import_device() {
  const auto fail = [&](const Status& status) {
    change([&](TraceStatus* s) {
      s->state = TraceState::failed;
      s->error = status.message();
    });
  };
  std::error_code ignored;
  uint64_t total = 0;
  for (const std::string& file : files_.files) {
    const auto size = std::filesystem::file_size(file, ignored);
    total += ignored ? 0 : size;
  }
  change([&](TraceStatus* s) { s->bytes_total = total; });
  auto profile = trace::session::read_device_pair(files_.files[0], files_.files[1]);
  if (!profile.ok()) return fail(profile.status());
  trace::session::add_sources(launch_ ? *launch_ : trace::session::first_launch(files_.files[1]), &*profile);
  auto device = device::DeviceView::make(std::move(*profile));
  if (!device.ok()) return fail(device.status());
  if (cancelled_) return fail(Status(StatusCode::cancelled, "the import was cancelled"));
  if ((*device)->events() >= kEarlyPicture) {
    auto early = std::make_shared<View>();
    early->timeline = make_timeline(**device, false);
    show(early);
    changed_();
  }
  auto view = std::make_shared<View>();
  view->device = *device;
  view->timeline = make_timeline(**device);
  show(view);
  const auto& p = (*device)->profile();
  change([&](TraceStatus* s) {
    s->state = TraceState::ready;
    s->bytes_done = s->bytes_total;
    if (p.simulated) s->simulated = p.machine + " (simulator " + p.simulator_version + ", compiler " + p.program.compiler + ")";
    s->read = static_cast<uint64_t>(p.ledger.records);
    s->kept = static_cast<uint64_t>(p.ledger.records - p.ledger.unknown);
    s->text_bytes = static_cast<uint64_t>(p.ledger.bytes);
    s->events = (*device)->events();
    if (p.ledger.unknown > 0) s->health_text = std::to_string(p.ledger.unknown) + " records are of a kind that is not known; they are counted and shown nowhere";
    if (!p.ledger.sentences.empty()) s->health_text = p.ledger.sentences.front();
    if (!s->health_text.empty()) s->health = "warnings";
  });
}

void OpenTrace::look_at_health(const Model& model) {
  const auto tables = trace::analysis::health_tables(model);
  if (!tables.ok() || cancelled_) return;
  int problems = 0;
  bool lost = false;
  std::string text;
  for (const auto& table : *tables) {
    if (table.name() != "checks") continue;
    for (size_t row = 0; row < table.rows(); ++row) {
      if (table["state"].texts[row] != "problem") continue;
      ++problems;
      const std::string_view check = table["check"].texts[row];
      lost |= check == "lost_events" || check == "truncated" || check == "missing_device_rows" || check == "silent_device" || check == "unread_files";
      if (text.empty()) text = table["text"].texts[row];
    }
  }
  if (problems > 1) text += " (and " + std::to_string(problems - 1) + " more)";
  change([&](TraceStatus* s) {
    s->health = lost ? "errors" : problems > 0 ? "warnings" : "good";
    s->health_text = text;
  });
}

// Lanes of what is read so far: at once when the first events are there, then again and again with a rest in between that
// grows with the work.
void OpenTrace::preview() {
  auto pause = std::chrono::duration_cast<std::chrono::steady_clock::duration>(kPreviewPause);
  int64_t origin = 0;
  bool has_origin = false;
  bool first = true;
  while (true) {
    std::vector<trace::schema::EventTable> tables;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, pause, [&] { return import_done_ || cancelled_ || (first && grown_); });
      if (import_done_ || cancelled_) return;
      if (!grown_) continue;
      grown_ = first = false;
      tables = growing_;
    }
    const auto begin = std::chrono::steady_clock::now();
    std::vector<PartTables> parts(tables.size());
    for (size_t i = 0; i < tables.size(); ++i) {
      parts[i].part = parts[i].unit = static_cast<uint32_t>(i);
      parts[i].events = std::move(tables[i]);
      for (trace::schema::Row row = 0; !has_origin && row < parts[i].events.rows(); ++row) {
        // The first slice of the file: near enough, and it stays.
        if (parts[i].events.is_slice(row)) origin = parts[i].events.ts_ns[row], has_origin = true;
      }
    }
    const auto before = view();
    auto view = std::make_shared<View>();
    view->timeline = Timeline::build(std::move(parts), strings_, nullptr, origin, before ? &before->timeline->names() : nullptr);
    show(view);
    changed_();
    pause = std::max(std::chrono::duration_cast<std::chrono::steady_clock::duration>(kPreviewPause),
                     (std::chrono::steady_clock::now() - begin) * kPreviewRest);
  }
}

std::shared_ptr<const std::string> OpenTrace::answer(const std::string& key, const std::function<Result<std::string>()>& make, Status* failure) {
  const auto known = [&]() -> std::shared_ptr<const std::string> {
    const std::lock_guard lock(answers_mutex_);
    const auto at = answers_.find(key);
    return at == answers_.end() ? nullptr : at->second;
  };
  if (auto found = known()) return found;
  const std::lock_guard work(work_mutex_);
  if (auto found = known()) return found;
  auto made = make();
  if (!made.ok()) {
    *failure = made.status();
    return nullptr;
  }
  auto answer = std::make_shared<const std::string>(std::move(*made));
  const std::lock_guard lock(answers_mutex_);
  const size_t bytes = kAnswerOverhead + key.size() + answer->size();
  if (bytes > kAnswerBytes / 4) return answer;
  if (answer_bytes_ + bytes > kAnswerBytes) answers_.clear(), answer_bytes_ = 0;
  answers_[key] = answer;
  answer_bytes_ += bytes;
  return answer;
}

void write_trace(JsonWriter& w, const OpenTrace& trace) {
  const TraceStatus s = trace.status();
  constexpr std::string_view kStates[] = {"importing", "ready", "failed"};
  w.begin_object().member("id", trace.id()).member("name", trace.name()).member("path", trace.path());
  w.member("kind", trace.kind() == TraceKind::device ? "device" : "session").member("tick_ps", trace.kind() == TraceKind::device ? 1 : 1000);
  w.member("state", kStates[static_cast<size_t>(s.state)]);
  s.error.empty() ? w.key("error").null() : w.member("error", s.error);
  w.key("progress").begin_object().member("done", s.bytes_done).member("total", s.bytes_total);
  w.member("text_bytes", s.text_bytes).member("events", s.events);
  w.member("mb_per_s", s.seconds > 0 ? static_cast<double>(s.text_bytes) / 1e6 / s.seconds : 0.0);
  const double share = s.bytes_total > 0 ? static_cast<double>(s.bytes_done) / static_cast<double>(s.bytes_total) : 0;
  if (s.state == TraceState::importing && share > 0) w.member("left_s", s.seconds * (1 - share) / share);
  else w.key("left_s").null();
  w.end_object();
  w.member("health", s.health).member("health_text", s.health_text);
  w.key("ledger").begin_object().member("read", s.read).member("kept", s.kept).member("repaired", s.repaired).member("dropped", s.dropped);
  w.end_object();
  s.simulated.empty() ? w.key("simulated").null() : w.member("simulated", s.simulated);
  w.end_object();
}

}  // namespace lanewise::server::library

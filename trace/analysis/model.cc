// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/model.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <tuple>

#include "trace/analysis/parallel.h"
#include "trace/analysis/time_limits.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::trace::analysis {
namespace {

using schema::EventTable;
using schema::Role;
using schema::Row;
using session::Session;

// What the devices of a file are called: the word that most of its runtime calls stand for, else its producers' one.
std::string device_kind(const Session& session, uint32_t part, const Links& links) {
  const EventTable& events = session.events(part);
  std::map<store::StringId, uint64_t> names;
  for (const RuntimeCall& call : links.calls) ++names[events.name[call.row]];
  std::map<std::string_view, uint64_t> votes;
  for (const auto& [name, count] : names) {
    const std::string_view device = session.producers().device_of_call(session.text(name));
    if (!device.empty()) votes[device] += count;
  }
  if (!votes.empty()) {
    return std::string(std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first);
  }
  const std::string_view device = session.producers().device_of(session.files()[part].file.producers);
  return device.empty() ? "device" : std::string(device);
}

// "7" of "neuron:7" or of plain "7"; -1 for none.
int64_t number_at_end(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  int64_t value = -1;
  std::from_chars(text.data() + begin, text.data() + text.size(), value);
  return value;
}

std::string name_of_device(const Session& session, const std::string& kind, int64_t id, store::StringId pid) {
  std::string text = id != schema::kNoId         ? session.id_text(id)
                     : pid == store::kNoString ? "?"
                                               : std::string(session.text(pid));
  return text.starts_with(kind + ":") ? text : kind + ":" + text;
}

constexpr std::string_view kStepPrefix = "ProfilerStep#";

}  // namespace

std::shared_ptr<const Model> Model::build(std::shared_ptr<const Session> session, int threads) {
  auto model = std::make_shared<Model>();
  model->session_ = std::move(session);
  const size_t parts = model->session_->files().size();
  model->files_.resize(parts);
  // Several files: one thread each. One file: its tracks side by side.
  const bool many = parts > 1;
  parallel_for(parts, many ? threads : 1, [&](size_t i) {
    FileModel& file = model->files_[i];
    file.part = static_cast<uint32_t>(i);
    file.repeats = model->session_->files()[i].repeats_part.has_value();
    const EventTable& events = model->events(file.part);
    file.nesting = nest_host_slices(events, tick_of(events), many ? 1 : threads);
    file.links = link_file(events, file.nesting, model->session_->strings(), model->session_->producers());
  });
  for (uint32_t part = 0; part < parts; ++part) {
    model->find_devices(part);
    model->find_steps(part);
  }
  model->find_window();
  return model;
}

void Model::find_devices(uint32_t part) {
  const EventTable& events = this->events(part);
  Links& links = files_[part].links;
  // Few devices: the last one found is nearly always the next one asked for.
  std::vector<DeviceKey> keys;
  std::vector<uint32_t> key_of(links.device_events.size());
  size_t last = 0;
  for (size_t i = 0; i < links.device_events.size(); ++i) {
    const Row row = links.device_events[i].row;
    const int64_t id = events.device[row];
    const store::StringId pid = id == schema::kNoId ? events.track_pid[events.track[row]] : store::kNoString;
    const auto same = [&](const DeviceKey& k) { return k.id == id && k.pid == pid; };
    if (keys.empty() || !same(keys[last])) {
      const auto at = std::find_if(keys.begin(), keys.end(), same);
      last = static_cast<size_t>(at - keys.begin());
      if (at == keys.end()) keys.push_back({part, id, pid, 0});
    }
    key_of[i] = static_cast<uint32_t>(last);
  }
  if (keys.empty()) return;
  const std::string kind = files_[part].device_kind = device_kind(*session_, part, links);

  // args.device 0 and pid 0 are one device.
  std::map<std::tuple<int64_t, std::string>, std::vector<size_t>> by_name;
  for (size_t k = 0; k < keys.size(); ++k) {
    const std::string name = name_of_device(*session_, kind, keys[k].id, keys[k].pid);
    by_name[{number_at_end(name), name}].push_back(k);
  }
  for (const auto& [order, members] : by_name) {
    for (const size_t k : members) keys[k].device = static_cast<uint32_t>(devices_.size());
    Device device;
    device.part = part;
    device.name = std::get<1>(order);
    device.kind = kind;
    device.type = session_->producers().device_type(kind);
    device.first_ns = std::numeric_limits<int64_t>::max();
    device.last_ns = std::numeric_limits<int64_t>::min();
    devices_.push_back(std::move(device));
  }
  const int64_t offset = offset_ns(part);
  for (size_t i = 0; i < links.device_events.size(); ++i) {
    DeviceEvent& event = links.device_events[i];
    event.device = keys[key_of[i]].device;
    Device& device = devices_[event.device];
    ++device.events;
    device.first_ns = std::min(device.first_ns, event.start_ns + offset);
    device.last_ns = std::max(device.last_ns, event.end_ns + offset);
  }
  device_keys_.insert(device_keys_.end(), keys.begin(), keys.end());
}

std::optional<uint32_t> Model::device_of_row(uint32_t part, Row row) const {
  const EventTable& events = this->events(part);
  const int64_t id = events.device[row];
  const store::StringId pid = id == schema::kNoId ? events.track_pid[events.track[row]] : store::kNoString;
  for (const DeviceKey& key : device_keys_) {
    if (key.part == part && key.id == id && key.pid == pid) return key.device;
  }
  return std::nullopt;
}

std::string Model::device_name(uint32_t part, Row row) const {
  const EventTable& events = this->events(part);
  return name_of_device(*session_, files_[part].device_kind, events.device[row], events.track_pid[events.track[row]]);
}

std::optional<int64_t> Model::step_at(uint32_t part, int64_t session_ns) const {
  const Step* step = step_around(part, session_ns);
  return step == nullptr ? std::nullopt : std::optional(step->number);
}

const Step* Model::step_around(uint32_t part, int64_t session_ns) const {
  // Steps of a file follow each other; the last one that began holds the moment, or none does.
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), std::tuple(part, session_ns), [](const auto& key, const Step& s) {
    return key < std::tuple(s.part, s.start_ns);
  });
  if (after == steps_.begin()) return nullptr;
  const Step& step = *(after - 1);
  return step.part == part && session_ns < step.end_ns ? &step : nullptr;
}

void Model::find_steps(uint32_t part) {
  const EventTable& events = this->events(part);
  const size_t before = steps_.size();
  std::vector<int8_t> is_step(session_->strings().size(), -1);
  for (const Row row : files_[part].nesting.order) {
    const Role role = events.role_of(row);
    const store::StringId name = events.name[row];
    if ((role != Role::annotation && role != Role::cpu_op) || name == store::kNoString) continue;
    if (is_step[name] < 0) is_step[name] = session_->text(name).starts_with(kStepPrefix);
    if (is_step[name] == 0) continue;
    Step step{part, row, 0, start_ns(part, row), slice_end(events, row) + offset_ns(part)};
    const std::string_view number = session_->text(name).substr(kStepPrefix.size());
    std::from_chars(number.data(), number.data() + number.size(), step.number);
    steps_.push_back(step);
  }
  std::sort(steps_.begin() + static_cast<ptrdiff_t>(before), steps_.end(),
            [](const Step& a, const Step& b) { return std::tie(a.start_ns, a.row) < std::tie(b.start_ns, b.row); });
}

void Model::find_window() {
  int64_t begin = std::numeric_limits<int64_t>::max(), end = std::numeric_limits<int64_t>::min();
  for (const FileModel& file : files_) {
    if (file.repeats) continue;
    const EventTable& events = this->events(file.part);
    const int64_t offset = offset_ns(file.part);
    for (Row row = 0; row < events.rows(); ++row) {
      const Role role = events.role_of(row);
      if (role == Role::span || role == Role::device_annotation || !has_span(events, row)) continue;
      begin = std::min(begin, events.ts_ns[row] + offset);
      end = std::max(end, slice_end(events, row) + offset);
    }
  }
  if (begin <= end) begin_ns_ = begin, end_ns_ = end;
}

}  // namespace lanewise::trace::analysis

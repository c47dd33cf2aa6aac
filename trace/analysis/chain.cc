// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/chain.h"

#include <algorithm>

#include "trace/analysis/python_frames.h"
#include "trace/analysis/selection.h"

namespace lanewise::trace::analysis {
namespace {

using schema::EventId;
using schema::EventTable;
using schema::Role;
using schema::Row;

struct Entry {
  std::string_view role;
  Row row;
  LinkMethod method = LinkMethod::none;
  float confidence = 0;
};

// Whether `outer` is `inner` or holds it.
bool holds(const Nesting& nesting, Row outer, Row inner) {
  while (inner != kNoRow && inner != outer) inner = nesting.parent[inner];
  return inner != kNoRow;
}

// The first device event asked for by a host slice or by what is in it.
const DeviceEvent* first_device_event(const FileModel& file, Row host) {
  const DeviceEvent* best = nullptr;
  for (const DeviceEvent& event : file.links.device_events) {
    const bool ours = (event.call && holds(file.nesting, host, event.call.row)) || (event.op && holds(file.nesting, host, event.op.row));
    if (ours && (best == nullptr || event.start_ns < best->start_ns)) best = &event;
  }
  return best;
}

// The nearest Python frame around a row, when there is one.
void add_frame(const Model& model, uint32_t part, Row row, std::vector<Entry>* chain) {
  const Row frame = python_frame(model, part, row);
  if (frame != kNoRow && frame != row) chain->push_back({"python", frame, LinkMethod::containment, 1.0f});
}

}  // namespace

Result<EventId> find_event(const Model& model, const std::string& name, int64_t nth) {
  const auto rank_of = [](const EventTable& events, Row row) {
    const Role role = events.role_of(row);
    return is_device(role) ? 0 : role == Role::cpu_op ? 1 : 2;
  };
  for (const bool exact : {true, false}) {
    std::vector<EventId> found[3];
    for (const FileModel& file : model.files()) {
      const EventTable& events = model.events(file.part);
      std::vector<int8_t> fits(model.session().strings().size(), -1);
      for (Row row = 0; row < events.rows(); ++row) {
        const store::StringId id = events.name[row];
        if (id == store::kNoString || !events.is_slice(row)) continue;
        if (fits[id] < 0) {
          const std::string_view text = model.session().text(id);
          fits[id] = exact ? text == name : name_fits(name, text);
        }
        if (fits[id] == 1) found[rank_of(events, row)].push_back({file.part, row});
      }
    }
    for (const auto& events : found) {
      if (events.empty()) continue;
      if (nth < 1 || static_cast<size_t>(nth) > events.size()) {
        return not_found("there are " + std::to_string(events.size()) + " events '" + name + "', no number " + std::to_string(nth));
      }
      return events[static_cast<size_t>(nth) - 1];
    }
  }
  return not_found("no event is called '" + name + "'");
}

Result<Table> chain_table(const Model& model, EventId id) {
  if (id.part >= model.files().size() || id.ordinal >= model.events(id.part).rows()) {
    return not_found("there is no event " + id.to_string());
  }
  const FileModel& file = model.file(id.part);
  const EventTable& events = model.events(id.part);
  if (!events.is_slice(id.ordinal)) return not_found("event " + id.to_string() + " has no duration, so nothing leads through it");

  const Role role = events.role_of(id.ordinal);
  const DeviceEvent* device = is_device(role) ? file.links.device_event(id.ordinal) : nullptr;
  if (device == nullptr && is_host_slice(role)) device = first_device_event(file, id.ordinal);
  Link op, call;
  if (device != nullptr) op = device->op, call = device->call;
  if (role == Role::runtime && (device == nullptr || call.row != id.ordinal)) {
    call = {id.ordinal, LinkMethod::none, 0};
    op = file.links.call(id.ordinal)->op;
  }
  // An operator asked for stays the one shown, though one inside it may have made the call.
  if ((role == Role::cpu_op || role == Role::annotation) && op.row != id.ordinal) op = {id.ordinal, LinkMethod::containment, 1.0f};
  std::vector<Entry> chain;
  const Row inner = op ? op.row : call ? call.row : is_host_slice(role) ? id.ordinal : kNoRow;
  if (op) {
    if (const Link forward = file.links.forward_of(op.row)) {
      add_frame(model, id.part, forward.row, &chain);
      chain.push_back({"forward_op", forward.row, forward.method, forward.confidence});
    } else if (const Row outer = file.nesting.parent[op.row]; outer != kNoRow) {
      // The backward node is often the operator around it.
      for (Row row = outer; row != kNoRow; row = file.nesting.parent[row]) {
        const Link of_outer = file.links.forward_of(row);
        if (!of_outer) continue;
        add_frame(model, id.part, of_outer.row, &chain);
        chain.push_back({"forward_op", of_outer.row, of_outer.method, of_outer.confidence});
        break;
      }
    }
  }
  if (inner != kNoRow) add_frame(model, id.part, inner, &chain);
  if (op) chain.push_back({"op", op.row, op.method, op.confidence});
  if (call) chain.push_back({"call", call.row, call.method, call.confidence});
  if (device != nullptr) chain.push_back({"device", device->row});
  const bool has_itself = std::any_of(chain.begin(), chain.end(), [&](const Entry& e) { return e.row == id.ordinal; });
  if (!has_itself) chain.push_back({role_name(role), id.ordinal, LinkMethod::none, 0});

  Table table("steps", {{"role", ColumnType::text}, {"event", ColumnType::event},   {"name", ColumnType::text},  {"start", ColumnType::ns},
                        {"dur_ns", ColumnType::ns}, {"since_ns", ColumnType::ns},   {"method", ColumnType::text}, {"confidence", ColumnType::real}});
  table.set_owner(model.shared_session());
  for (size_t i = 0; i < chain.size(); ++i) {
    const Entry& entry = chain[i];
    auto row = table.row();
    row.pooled(entry.role).event({id.part, entry.row}).pooled(model.name(id.part, entry.row));
    row.integer(model.start_ns(id.part, entry.row) - model.begin_ns()).integer(events.dur_ns[entry.row]);
    i == 0 ? row.null() : row.integer(events.ts_ns[entry.row] - events.ts_ns[chain[i - 1].row]);
    if (entry.method == LinkMethod::none) row.null().null();
    else row.pooled(link_method_name(entry.method)).real(entry.confidence);
  }
  return table;
}

}  // namespace lanewise::trace::analysis

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/trace_rows.h"

#include <unordered_map>

namespace lanewise::torch_backend {
namespace {

using trace::record::Event;
using trace::record::EventKind;

std::string runtime_row_name(const Event& event) {
  switch (event.kind) {
    case EventKind::compile: return "neuron_compile";
    case EventKind::host_fallback: return "neuron_host_fallback";
    case EventKind::queue_full: return "neuron_queue_full";
    default: return std::string(trace::record::event_kind_name(event.kind));
  }
}

Row device_row(const Event& event) {
  Row row{.event = &event};
  switch (event.kind) {
    case EventKind::dma_h2d:
      row.kind = RowKind::memcpy;
      row.name = "Memcpy HtoD";
      break;
    case EventKind::dma_d2h:
      row.kind = RowKind::memcpy;
      row.name = "Memcpy DtoH";
      break;
    case EventKind::dma_d2d:
      row.kind = RowKind::memcpy;
      row.name = "Memcpy DtoD";
      break;
    case EventKind::dma_fill:
      row.kind = RowKind::memset;
      row.name = "Memset";
      break;
    default:
      row.kind = RowKind::kernel;
      row.name = printable_name(trace::record::interned(event.name));
      if (row.name.empty()) row.name = "unnamed program";
  }
  return row;
}

}  // namespace

RowSet select_rows(std::span<const Event> events, int64_t window_start_ns, int64_t window_end_ns) {
  struct Launch {
    int32_t id = 0;
    bool has_device_row = false;
    bool flow_started = false;
  };
  std::unordered_map<uint64_t, Launch> launches;
  int32_t next_id = kFirstRowId;
  const auto inside = [&](const Event& event) {
    return event.start_ns >= window_start_ns && event.start_ns <= window_end_ns;
  };

  RowSet set;
  for (const Event& event : events) {
    if (is_hardware(event.kind) || event.launch_id == 0 || !inside(event)) continue;
    if (launches.try_emplace(event.launch_id, Launch{.id = next_id}).second) ++next_id;
  }
  for (const Event& event : events) {
    if (!is_hardware(event.kind) || event.kind == EventKind::sim_lag) continue;
    if (const auto found = launches.find(event.launch_id); found != launches.end()) found->second.has_device_row = true;
  }

  for (const Event& event : events) {
    if (event.kind == EventKind::sim_lag) {
      set.sim_lag_ns += event.end_ns - event.start_ns;
      continue;
    }
    const auto found = event.launch_id == 0 ? launches.end() : launches.find(event.launch_id);
    if (is_hardware(event.kind)) {
      if (found == launches.end()) {
        ++set.outside;
        continue;
      }
      Row row = device_row(event);
      row.id = found->second.id;
      row.flow = FlowEnd::end;
      if (row.kind == RowKind::kernel) {
        ++set.launches;
        set.device_ns += event.end_ns - event.start_ns;
      }
      set.rows.push_back(std::move(row));
      continue;
    }
    if (!inside(event)) continue;
    Row row{.kind = RowKind::runtime, .name = runtime_row_name(event), .event = &event};
    if (found == launches.end()) {
      row.id = next_id++;
    } else {
      row.id = found->second.id;
      // One start for an id: queue_full and the submission itself carry the same launch.
      const bool submits = event.kind != EventKind::queue_full && found->second.has_device_row;
      if (submits && !found->second.flow_started) {
        row.flow = FlowEnd::start;
        found->second.flow_started = true;
      }
    }
    set.rows.push_back(std::move(row));
  }
  return set;
}

std::string printable_name(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e || c == '"' || c == '\\') c = '_';
  }
  return text;
}

std::string json_string(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      json += "\\u00";
      json += kHex[byte >> 4];
      json += kHex[byte & 15];
    } else {
      json += c;
    }
  }
  return json + '"';
}

}  // namespace lanewise::torch_backend

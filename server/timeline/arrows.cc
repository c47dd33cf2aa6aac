// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/arrows.h"

#include <algorithm>
#include <limits>

#include "server/timeline/twins.h"

namespace lanewise::server::timeline {

using trace::analysis::LinkMethod;
using trace::analysis::Model;
using trace::schema::EventId;

ArrowIndex::ArrowIndex(const Model& model, const Timeline& timeline) : timeline_(timeline) {
  const auto add = [&](EventId from, EventId to, ArrowKind kind, LinkMethod method, float confidence) {
    const int64_t a = timeline.start_of(from), b = timeline.start_of(to);
    items_.push_back({a, b, from.part, from.ordinal, to.ordinal, to.part, kind, static_cast<uint8_t>(method), static_cast<uint16_t>(confidence * 1000)});
  };
  for (const auto& file : model.files()) {
    const uint32_t part = file.part;
    for (const auto& device : file.links.device_events) {
      if (device.call) {
        const ArrowKind kind = device.call.method == LinkMethod::graph_replay ? ArrowKind::graph : ArrowKind::launch;
        add({part, device.call.row}, {part, device.row}, kind, device.call.method, device.call.confidence);
      } else if (device.op) {
        add({part, device.op.row}, {part, device.row}, ArrowKind::launch, device.op.method, device.op.confidence);
      }
    }
    for (const auto& call : file.links.calls) {
      if (call.op && call.device_events > 0) add({part, call.op.row}, {part, call.row}, ArrowKind::runtime, call.op.method, call.op.confidence);
      if (!timeline.parts()[part].beside_system_trace) continue;
      // The same call as the system trace has it: tied by its time.
      if (const auto twin = twin_of(timeline, {part, call.row})) add({part, call.row}, *twin, ArrowKind::runtime, LinkMethod::none, 1);
    }
    for (const auto& forward : file.links.forward_ops) {
      add({part, forward.forward.row}, {part, forward.backward}, ArrowKind::autograd, forward.forward.method, forward.forward.confidence);
    }
  }
  sort();
}

ArrowIndex::ArrowIndex(const std::vector<Tie>& ties, const Timeline& timeline) : timeline_(timeline) {
  items_.reserve(ties.size());
  for (const Tie& tie : ties) items_.push_back({tie.from_at, tie.to_at, 0, tie.from, tie.to, 0, tie.kind, 0, 1000});
  sort();
}

void ArrowIndex::sort() {
  std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.from_ns < b.from_ns; });
  for (size_t i = 0; i < items_.size(); i += kBlock) {
    auto& [first, last] = blocks_.emplace_back(std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min());
    for (size_t k = i; k < std::min(items_.size(), i + kBlock); ++k) {
      first = std::min({first, items_[k].from_ns, items_[k].to_ns});
      last = std::max({last, items_[k].from_ns, items_[k].to_ns});
    }
  }
}

std::vector<Arrow> ArrowIndex::find(const Query& query, uint64_t* total) const {
  std::vector<uint32_t> found;
  const auto wanted = [&](const Item& item) {
    if (!query.kinds[static_cast<size_t>(item.kind)]) return false;
    if (std::min(item.from_ns, item.to_ns) >= query.to || std::max(item.from_ns, item.to_ns) < query.from) return false;
    if (query.lanes.empty()) return true;
    const auto from = timeline_.lane_index({item.part, item.from}), to = timeline_.lane_index({item.to_part, item.to});
    return (from && query.lanes[*from]) || (to && query.lanes[*to]);
  };
  for (size_t block = 0; block < blocks_.size(); ++block) {
    if (blocks_[block].first >= query.to || blocks_[block].second < query.from) continue;
    for (size_t i = block * kBlock; i < std::min(items_.size(), (block + 1) * kBlock); ++i) {
      if (wanted(items_[i])) found.push_back(static_cast<uint32_t>(i));
    }
  }
  *total = found.size();
  std::vector<Arrow> arrows;
  const size_t count = std::min(query.limit, found.size());
  for (size_t k = 0; k < count; ++k) {
    // Every n-th of them, so that all of the span is shown thinner instead of its head alone.
    const Item& item = items_[found[k * found.size() / count]];
    const auto method = static_cast<LinkMethod>(item.method);
    const std::string_view text = item.kind >= ArrowKind::semaphore ? "record" : method == LinkMethod::none ? "same_time" : trace::analysis::link_method_name(method);
    arrows.push_back({{item.part, item.from}, {item.to_part, item.to}, item.kind, text, static_cast<float>(item.confidence) / 1000, item.from_ns, item.to_ns});
  }
  return arrows;
}

}  // namespace lanewise::server::timeline

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/tiles.h"

#include <algorithm>
#include <cmath>

#include "trace/analysis/device_time.h"

namespace lanewise::server::timeline {
namespace {

// A slice this many columns wide is told with its own times, so that its edges and its name can be drawn.
constexpr int64_t kWideColumns = 3;

// The first place from `from` on that starts at or after `edge`; near ones are found first.
uint32_t gallop(const Slices& slices, uint32_t from, uint32_t end, int64_t edge) {
  uint32_t step = 1, low = from;
  while (low + step < end && slices.start[low + step] < edge) {
    low += step;
    step *= 2;
  }
  const auto begin = slices.start.begin();
  return static_cast<uint32_t>(std::lower_bound(begin + low, begin + std::min(end, low + step), edge) - begin);
}

// One row. Columns with nothing in them are jumped over.
void find_row_cells(const Slices& slices, uint32_t row, const TileWindow& window, CellList* out) {
  const int64_t width = window.width(), left = window.begin(), right = window.edge(window.columns());
  const uint32_t row_end = slices.row_begin[row + 1];
  uint32_t i = slices.first_touching(row, left);
  int64_t next_column = 0;
  // A wide slice reaches over an edge of each column that it touches, so only the first and the last slices of a column can be one.
  uint32_t not_offered = i;
  const auto offer_wide = [&](uint32_t place) {
    if (place < not_offered || slices.dur(place) < kWideColumns * width) return;
    not_offered = place + 1;
    out->wide.emplace_back(static_cast<uint16_t>(row), place);
  };
  while (i < row_end && slices.start[i] < right && next_column < window.columns()) {
    const int64_t own_column = slices.start[i] <= left ? 0 : (slices.start[i] - left) >> window.level;
    const int64_t column = std::max(own_column, next_column);
    const int64_t a = window.edge(column), b = a + width;
    if (slices.start[i] < a && slices.end(i) <= a) {
      ++i;
      continue;
    }
    const uint32_t after = gallop(slices, i, row_end, b);
    Cell cell;
    cell.row = static_cast<uint16_t>(row);
    cell.column = static_cast<uint32_t>(column);
    cell.first = i;
    cell.after = after;
    if (after - i == 1 && slices.start[i] <= a && slices.end(i) >= b) {
      // One slice alone, over whole columns: they are one cell.
      int64_t until = std::min(slices.end(i), right);
      if (after < row_end) until = std::min(until, slices.start[after]);
      cell.span = static_cast<uint32_t>((until - a) >> window.level);
      cell.busy = static_cast<float>(static_cast<int64_t>(cell.span) << window.level);
      cell.count = 1;
      cell.longest = i;
      offer_wide(i);
    } else {
      uint64_t busy = slices.sum[after] - slices.sum[i];
      uint32_t running = 0;
      for (uint32_t k = i; k < after && slices.start[k] < a; ++k, ++running) {
        busy -= static_cast<uint64_t>(a - slices.start[k]);
        offer_wide(k);
      }
      uint32_t beyond = after;
      for (; beyond > i && slices.end(beyond - 1) > b; --beyond) busy -= static_cast<uint64_t>(slices.end(beyond - 1) - b);
      for (uint32_t k = beyond; k < after; ++k) offer_wide(k);
      cell.busy = static_cast<float>(busy);
      cell.count = std::max(1u, after - i - running);
      cell.longest = slices.longest.find(slices.sum, i, after);
    }
    out->cells.push_back(cell);
    next_column = column + cell.span;
    // What runs on into the next column stays; ends ascend, so it is at the end of what was here.
    const int64_t edge = window.edge(next_column);
    i = after;
    while (i > cell.first && slices.end(i - 1) > edge) --i;
  }
}

double event_number(const std::optional<trace::schema::EventId>& event) {
  return event ? static_cast<double>(event->packed()) : std::nan("");
}

bool any(const std::shared_ptr<const Masks>& masks, size_t lane, uint32_t first, uint32_t after) {
  return masks != nullptr && (*masks)[lane].any(first, after);
}

void add_samples(const Lane& lane, const TileWindow& window, wire::FrameWriter* frame) {
  std::vector<uint32_t> columns;
  std::vector<double> low, high, last;
  const int64_t left = window.begin(), right = window.edge(window.columns());
  const auto later = [](int64_t at, const Sample& sample) { return at < sample.at; };
  auto at = std::upper_bound(lane.samples.begin(), lane.samples.end(), left, later);
  // What held when the window begins.
  if (at != lane.samples.begin()) {
    columns.push_back(0);
    low.push_back((at - 1)->value), high.push_back((at - 1)->value), last.push_back((at - 1)->value);
  }
  for (; at != lane.samples.end() && at->at < right; ++at) {
    const auto column = static_cast<uint32_t>((at->at - left) >> window.level);
    if (columns.empty() || columns.back() != column) {
      columns.push_back(column);
      low.push_back(at->value), high.push_back(at->value), last.push_back(at->value);
    }
    low.back() = std::min(low.back(), at->value);
    high.back() = std::max(high.back(), at->value);
    last.back() = at->value;
  }
  frame->begin_table("lane", columns.size()).member("lane", lane.id).member("level", window.level).member("first", window.first);
  frame->member("count", window.count).member("max_row", 0);
  frame->column("column", "integer", std::span<const uint32_t>(columns)).column("low", "real", std::span<const double>(low));
  frame->column("high", "real", std::span<const double>(high)).column("last", "real", std::span<const double>(last)).end_table();
}

}  // namespace

Result<TileWindow> tile_window(const wire::JsonValue& request) {
  TileWindow window;
  const auto level = request.integer_of("level"), first = request.integer_of("first"), count = request.integer_of("count");
  if (!level || *level < 0 || *level > kMaxLevel) return invalid_argument("a level is a number from 0 to " + std::to_string(kMaxLevel));
  if (!first) return invalid_argument("the first tile is missing");
  if (!count || *count < 1 || *count > kMaxTiles) return invalid_argument("a request is for 1 to " + std::to_string(kMaxTiles) + " tiles");
  window.level = static_cast<int>(*level);
  window.first = *first;
  window.count = *count;
  // All edges must be times: within 2^61 ns of the origin.
  const __int128 limit = __int128{1} << 61, tile = __int128{kTileColumns} << window.level;
  if (__int128{*first} * tile < -limit || (__int128{*first} + *count) * tile > limit) return invalid_argument("that tile lies beyond all times");
  return window;
}

CellList find_cells(const Slices& slices, const TileWindow& window) {
  CellList list;
  for (uint32_t row = 0; row < slices.rows(); ++row) find_row_cells(slices, row, window, &list);
  return list;
}

void add_lane_tiles(const Timeline& timeline, const Lane& lane, const TileWindow& window, const TileChannels& channels, wire::FrameWriter* frame) {
  if (lane.kind == LaneKind::counter) return add_samples(lane, window, frame);
  const size_t lane_index = timeline.index_of(lane);
  const CellList list = find_cells(lane.slices, window);
  const size_t n = list.cells.size();
  std::vector<uint16_t> rows(n);
  std::vector<uint32_t> columns(n), spans(n), counts(n), names(n);
  std::vector<float> busy(n);
  std::vector<double> events(n);
  std::vector<uint8_t> bits(n);
  const auto channels_of = [&](uint32_t first, uint32_t after) {
    uint8_t bit = channels.passes == nullptr || any(channels.passes, lane_index, first, after) ? kPasses : 0;
    if (any(channels.hits, lane_index, first, after)) bit |= kHit;
    if (any(channels.selected, lane_index, first, after)) bit |= kSelected;
    if (lane.repaired.any(first, after)) bit |= kRepairedChannel;
    if (lane.overhead.any(first, after)) bit |= kOverheadChannel;
    return bit;
  };
  int64_t max_row = -1;
  for (size_t i = 0; i < n; ++i) {
    const Cell& cell = list.cells[i];
    rows[i] = cell.row;
    columns[i] = cell.column;
    spans[i] = cell.span;
    counts[i] = cell.count;
    busy[i] = cell.busy;
    names[i] = lane.names[cell.longest];
    events[i] = event_number(timeline.event_at(lane, cell.longest));
    bits[i] = channels_of(cell.first, cell.after);
    max_row = std::max<int64_t>(max_row, cell.row);
  }
  frame->begin_table("lane", n).member("lane", lane.id).member("level", window.level).member("first", window.first);
  frame->member("count", window.count).member("max_row", max_row);
  frame->column("row", "integer", std::span<const uint16_t>(rows)).column("column", "integer", std::span<const uint32_t>(columns));
  frame->column("busy", "ns", std::span<const float>(busy)).column("count", "count", std::span<const uint32_t>(counts));
  frame->column("name", "name", std::span<const uint32_t>(names)).column("event", "event", std::span<const double>(events));
  frame->column("channels", "integer", std::span<const uint8_t>(bits)).column("span", "integer", std::span<const uint32_t>(spans)).end_table();

  const size_t w = list.wide.size();
  if (w == 0) return;
  std::vector<uint16_t> wide_rows(w);
  std::vector<double> starts(w), durations(w), wide_events(w);
  std::vector<uint32_t> wide_names(w);
  std::vector<uint8_t> wide_bits(w);
  std::vector<float> before(w), after(w);
  const bool of_device = lane.group == Group::hardware && !lane.has_own();
  for (size_t i = 0; i < w; ++i) {
    const auto [row, place] = list.wide[i];
    wide_rows[i] = row;
    starts[i] = static_cast<double>(lane.slices.start[place]);
    durations[i] = static_cast<double>(lane.slices.dur(place));
    wide_names[i] = lane.names[place];
    wide_events[i] = event_number(timeline.event_at(lane, place));
    wide_bits[i] = channels_of(place, place + 1);
    if (!of_device) continue;
    trace::analysis::DeviceEvent event;
    event.row = lane.slices.ordinal[place];
    event.end_ns = lane.slices.dur(place);
    const auto [head, tail] = trace::analysis::overhead_of(timeline.events(lane.part), event);
    before[i] = static_cast<float>(head);
    after[i] = static_cast<float>(tail);
  }
  frame->begin_table("slices", w).member("lane", lane.id);
  frame->column("row", "integer", std::span<const uint16_t>(wide_rows)).column("start_ns", "ns", std::span<const double>(starts));
  frame->column("dur_ns", "ns", std::span<const double>(durations)).column("name", "name", std::span<const uint32_t>(wide_names));
  frame->column("event", "event", std::span<const double>(wide_events)).column("channels", "integer", std::span<const uint8_t>(wide_bits));
  frame->column("overhead_before_ns", "ns", std::span<const float>(before)).column("overhead_after_ns", "ns", std::span<const float>(after));
  frame->end_table();
}

}  // namespace lanewise::server::timeline

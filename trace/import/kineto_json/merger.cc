// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/merger.h"

#include <algorithm>
#include <cstring>

#include "trace/import/kineto_json/arg_keys.h"
#include "trace/import/kineto_json/chunker.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::trace::kineto_json {
namespace {

using schema::ArgKey;
using schema::OptionalColumn;
using schema::Role;

constexpr uint8_t kWhenDevice = 1, kWhenNcId = 2, kWhenStream = 4;

uint8_t when_bit(uint8_t target) {
  if (target == target_of(OptionalColumn::device)) return kWhenDevice;
  if (target == static_cast<uint8_t>(ArgKey::nc_id)) return kWhenNcId;
  if (target == target_of(OptionalColumn::stream)) return kWhenStream;
  return 0;
}

}  // namespace

Status Merger::add(const Chunk& chunk, const State& assumed, const ChunkResult* result) {
  const bool arrives = rest_.size == 0 && state_ == assumed;
  if (result != nullptr && arrives) {
    LW_RETURN_IF_ERROR(append(*result, chunk.offset));
    state_ = result->end;
    if (result->consumed < chunk.size) {
      rest_.size = 0;
      Chunker::reserve(&rest_, chunk.size - result->consumed);
      rest_.size = chunk.size - result->consumed;
      std::memcpy(rest_.buffer.get(), chunk.buffer.get() + result->consumed, rest_.size);
      rest_.offset = chunk.offset + result->consumed;
      rest_tried_ = rest_.size;
    }
    return ok_status();
  }
  if (result != nullptr) ++wrong_guesses_;
  if (rest_.size == 0) {
    parser_.parse(chunk, state_, &walked_);
    return add(chunk, state_, &walked_);
  }
  // More text behind the rest. It is walked again when it has doubled, so that one huge value costs linear time, and when it
  // is larger than any value may be.
  const size_t size = rest_.size + chunk.size;
  if (rest_.capacity < size + kPadding) Chunker::reserve(&rest_, std::max(size, std::min(2 * size, kMaxValueBytes)));
  largest_rest_ = std::max(largest_rest_, rest_.capacity);
  std::memcpy(rest_.buffer.get() + rest_.size, chunk.buffer.get(), chunk.size);
  rest_.size += chunk.size;
  rest_.last = chunk.last;
  const bool worth_it = rest_.size >= 2 * rest_tried_ || rest_.size > kMaxValueBytes || rest_tried_ <= (size_t{1} << 20);
  if (!chunk.last && !worth_it) return ok_status();
  Chunker::pad(&rest_);
  const Chunk whole = std::move(rest_);
  rest_ = Chunk();
  parser_.parse(whole, state_, &walked_);
  return add(whole, state_, &walked_);
}

store::StringId Merger::global(const LocalPool& pool, PoolMap& map, uint32_t local) {
  if (local == kNoLocal) return store::kNoString;
  if (local >= map.ids.size()) map.ids.resize(std::max<size_t>(local + 1, map.ids.size() * 2), store::kNoString);
  store::StringId& id = map.ids[local];
  if (id == store::kNoString) id = strings_.intern(pool.entry(local).text_view());
  return id;
}

const Merger::Category& Merger::category(const LocalPool& pool, PoolMap& map, uint32_t local) {
  static const Category none;
  if (local == kNoLocal) return none;
  if (local >= map.categories.size()) map.categories.resize(std::max<size_t>(local + 1, map.categories.size() * 2));
  Category& c = map.categories[local];
  if (!c.known) {
    c.known = true;
    if (const schema::CategoryRule* rule = producers_.category(pool.entry(local).text_view())) {
      c.role = rule->role;
      for (const std::string& arg : rule->device_when) {
        c.device_when |= arg == "device" ? kWhenDevice : arg == "nc_id" ? kWhenNcId : kWhenStream;
      }
      if (!rule->named.empty()) c.by_name = rule;
      producer_names_.insert(rule->producer);
    }
  }
  return c;
}

Status Merger::append(const ChunkResult& result, uint64_t chunk_offset) {
  ledger_.merge(result.ledger);
  saw_events_array_ |= result.saw_events_array;
  metadata_.insert(metadata_.end(), result.metadata.begin(), result.metadata.end());
  if (result.events.empty()) return ok_status();
  if (result.events.size() > schema::EventTableBuilder::kMaxRows - builder_.rows()) {
    return resource_exhausted("a trace file holds more than 4 294 967 280 events");
  }
  const LocalPool& pool = *result.pool;
  const auto [at, is_new] = maps_.try_emplace(&pool);
  if (is_new) pools_.push_back(result.pool);
  PoolMap& map = at->second;
  track_map_.assign(result.tracks.size(), kNoLocal);

  size_t arg = 0;
  for (size_t done = 0; done < result.events.size();) {
    const auto first_row = static_cast<schema::Row>(builder_.rows());
    const auto run = builder_.begin_run(result.events.size() - done);
    size_t a = arg;
    for (size_t i = 0; i < run.rows; ++i) {
      const RawEvent& e = result.events[done + i];
      run.ts_ns[i] = e.ts_ns;
      run.dur_ns[i] = e.dur_ns;
      run.offset[i] = chunk_offset + e.offset;
      run.length[i] = e.length;
      run.phase[i] = e.phase;
      run.flags[i] = e.flags;
      // Strings get their ids in this order, row by row: so the ids do not depend on how the file was cut.
      run.name[i] = global(pool, map, e.name);
      run.category[i] = global(pool, map, e.category);
      uint32_t& track = track_map_[e.track];
      if (track == kNoLocal) {
        const LocalTrack local = result.tracks[e.track];
        const store::StringId pid = global(pool, map, local.pid);
        track = builder_.track({pid, global(pool, map, local.tid)});
      }
      run.track[i] = track;
      const Category& c = category(pool, map, e.category);
      Role role = c.role;
      if (c.device_when != 0) [[unlikely]] {
        for (size_t k = a; k < a + e.args; ++k) {
          if (when_bit(result.args[k].target) & c.device_when) role = Role::kernel;
        }
      }
      if (c.by_name != nullptr) [[unlikely]] role = c.by_name->role_of(strings_.text(run.name[i]));
      if (e.phase == 'M') role = Role::metadata;
      if (e.phase == 'C') role = Role::counter;
      run.role[i] = static_cast<uint8_t>(role);
      for (size_t k = a; k < a + e.args; ++k) {
        const RawArg& value = result.args[k];
        if (!value.text) continue;
        global(pool, map, schema::is_text_id(value.value) ? schema::text_of_id(value.value)
                                                          : static_cast<uint32_t>(value.value));
      }
      a += e.args;
    }
    builder_.commit(run);
    builder_.extend_optional();
    put_args(result, map, done, run.rows, arg, first_row);
    arg = a;
    done += run.rows;
  }
  return ok_status();
}

void Merger::put_args(const ChunkResult& result, PoolMap& map, size_t first_event, size_t events, size_t first_arg,
                      schema::Row first_row) {
  size_t k = first_arg;
  for (size_t i = 0; i < events; ++i) {
    const auto row = static_cast<schema::Row>(first_row + i);
    for (const size_t end = k + result.events[first_event + i].args; k < end; ++k) {
      const RawArg& arg = result.args[k];
      int64_t value = arg.value;
      if (value == store::null_value<int64_t>()) continue;
      if (arg.text) {
        value = schema::is_text_id(value) ? schema::text_id(map.ids[schema::text_of_id(value)])
                                          : static_cast<int64_t>(map.ids[static_cast<uint32_t>(value)]);
      }
      if (arg.target < schema::kArgKeys) {
        builder_.arg(static_cast<ArgKey>(arg.target), row, value);
      } else {
        builder_.set(static_cast<OptionalColumn>(arg.target - schema::kArgKeys), row, value);
      }
    }
  }
}

}  // namespace lanewise::trace::kineto_json

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Merger: takes chunks in file order, walks on itself where a guess was wrong, and appends what was read to the tables.
#pragma once

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "trace/import/kineto_json/chunk.h"
#include "trace/import/kineto_json/parser.h"
#include "trace/schema/event_table_builder.h"
#include "trace/schema/producers.h"
#include "trace/store/string_pool.h"

namespace lanewise::trace::kineto_json {

class Merger {
 public:
  Merger(store::StringPool& strings, const schema::Producers& producers, Parser& parser)
      : strings_(strings), producers_(producers), parser_(parser) {}

  // The next chunk and what a parser made of it from the state that `start` assumed (`result` null: nobody parsed it).
  // resource_exhausted: more rows than a table can have.
  Status add(const Chunk& chunk, const State& assumed, const ChunkResult* result);
  // How often a guess was wrong.
  uint64_t wrong_guesses() const { return wrong_guesses_; }
  // Bytes of the largest piece of text that had to be put together.
  size_t largest_rest() const { return largest_rest_; }
  const State& state() const { return state_; }

  schema::EventTableBuilder& builder() { return builder_; }
  schema::Ledger& ledger() { return ledger_; }
  std::vector<schema::MetadataEntry>& metadata() { return metadata_; }
  const std::set<std::string, std::less<>>& producers() const { return producer_names_; }
  bool saw_events_array() const { return saw_events_array_; }

 private:
  struct Category {
    schema::Role role = schema::Role::other;
    uint8_t device_when = 0;  // bits: an arg that makes it a kernel
    bool known = false;
    const schema::CategoryRule* by_name = nullptr;  // the name decides
  };
  // What was found out about the strings of one pool.
  struct PoolMap {
    std::vector<store::StringId> ids;
    std::vector<Category> categories;
  };

  Status walk(const Chunk& chunk);
  Status append(const ChunkResult& result, uint64_t chunk_offset);
  store::StringId global(const LocalPool& pool, PoolMap& map, uint32_t local);
  const Category& category(const LocalPool& pool, PoolMap& map, uint32_t local);
  void put_args(const ChunkResult& result, PoolMap& map, size_t first_event, size_t events, size_t first_arg,
                schema::Row first_row);

  store::StringPool& strings_;
  const schema::Producers& producers_;
  Parser& parser_;
  schema::EventTableBuilder builder_;
  schema::Ledger ledger_;
  std::vector<schema::MetadataEntry> metadata_;
  std::set<std::string, std::less<>> producer_names_;
  bool saw_events_array_ = false;
  State state_;
  Chunk rest_;  // text that was handed over but needs more behind it
  size_t rest_tried_ = 0, largest_rest_ = 0;
  ChunkResult walked_;
  uint64_t wrong_guesses_ = 0;
  std::unordered_map<const LocalPool*, PoolMap> maps_;
  std::vector<std::shared_ptr<LocalPool>> pools_;  // keeps the keys of maps_ alive
  std::vector<uint32_t> track_map_;
};

}  // namespace lanewise::trace::kineto_json

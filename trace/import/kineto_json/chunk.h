// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A chunk of text and what a parser makes of it.
//
// Reading is one deterministic walk over the file: where it stands is a state and an offset, and what comes next depends on
// nothing else. A chunk that starts at a guessed place is parsed from the state that the guess assumes; its result counts
// only when the walk over the chunk before really arrives there in that state. Otherwise the merger walks on from where it
// stands. So neither threads nor places of cuts can change a result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/import/kineto_json/local_pool.h"
#include "trace/schema/ledger.h"
#include "trace/schema/trace_file.h"

namespace lanewise::trace::kineto_json {

// Bytes behind the text of a chunk that may be read; all are quotes, so that every scan ends there.
inline constexpr size_t kPadding = 96;

// Larger events and metadata values are skipped and counted: they would have to be in memory whole.
inline constexpr size_t kMaxValueBytes = size_t{64} << 20;
// While looking for the next readable event, none larger than this is tried.
inline constexpr size_t kMaxCandidateBytes = size_t{1} << 20;

struct State {
  enum class Kind : uint8_t {
    between,  // outside any document
    root,     // inside a root object
    events,   // inside an array of events
    skipping  // looking for the next readable event or key
  };
  enum class Container : uint8_t { none, array, object };  // what the events array is part of
  enum class Mark : uint8_t { fresh, after_value, after_comma };

  Kind kind = Kind::between;
  Container container = Container::none;
  Mark mark = Mark::fresh;
  std::string_view skip_kind;      // ledger reason of what is being skipped
  bool skip_in_document = false;   // skipping began inside a document
  bool skip_cut = false;           // and because the input ended there
  char skip_tail = 0;              // last byte skipped that is no blank

  bool operator==(const State&) const = default;
  static State at(Kind kind, Container container, Mark mark) {
    State state;
    state.kind = kind, state.container = container, state.mark = mark;
    return state;
  }
  static State guess(Container container) { return at(Kind::events, container, Mark::after_comma); }
};

struct Chunk {
  std::unique_ptr<char[]> buffer;  // capacity bytes; size of them are text, kPadding more are quotes
  size_t capacity = 0, size = 0;
  uint64_t offset = 0;   // of the first byte in the text of the file
  uint64_t index = 0;
  bool guessed = false;  // starts at a guessed event
  bool last = false;     // nothing follows
  std::string_view text() const { return {buffer.get(), size}; }
};

inline constexpr uint32_t kNoLocal = ~0u;

// One event with local ids.
struct RawEvent {
  int64_t ts_ns = 0, dur_ns = 0;
  uint32_t offset = 0, length = 0;  // in the chunk
  uint32_t name = kNoLocal, category = kNoLocal, track = 0;
  uint8_t phase = 0, flags = 0;
  uint16_t args = 0;  // its entries in ChunkResult::args
};

// Targets of args and ids: ArgKey values first, then the optional columns.
struct RawArg {
  int64_t value = 0;
  uint8_t target = 0;
  bool text = false;  // value is a local id (of a text), or an encoded id that holds one
};

struct LocalTrack {
  uint32_t pid = kNoLocal, tid = kNoLocal;
};

struct ChunkResult {
  std::vector<RawEvent> events;
  std::vector<RawArg> args;  // those of each event, one event after the other
  std::vector<LocalTrack> tracks;
  std::vector<schema::MetadataEntry> metadata;
  schema::Ledger ledger;
  std::shared_ptr<LocalPool> pool;
  bool saw_events_array = false;
  State end;
  size_t consumed = 0;  // the walk stands here; less than the chunk's size when it needs more text

  void clear() {
    events.clear();
    args.clear();
    tracks.clear();
    metadata.clear();
    ledger = {};
    pool.reset();
    saw_events_array = false;
    end = {};
    consumed = 0;
  }
};

}  // namespace lanewise::trace::kineto_json

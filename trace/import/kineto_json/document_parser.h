// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The walk over a file: documents, their root keys, the events array, and the way back after damage.
//
//            ┌─────────┐  {   ┌──────┐ "traceEvents": [  ┌────────┐ ─► event ─┐
//   start ─► │ between │ ───► │ root │ ────────────────► │ events │ ◄─────────┘
//            └─────────┘ ◄─── └──────┘ ◄──────────────── └────────┘
//                 ▲  [  }              ]                    │
//                 └──── anything unreadable ──► skipping ───┘ at the next readable event, or at a known root key
//
// Every byte is counted as event, structure or skipped. Where the text of a chunk ends too early to decide, the walk stops
// there (`consumed`), so that it decides the same with more text in hand.
#pragma once

#include <utility>

#include "trace/import/kineto_json/event_parser.h"
#include "trace/import/kineto_json/event_start.h"
#include "trace/import/kineto_json/parser.h"

namespace lanewise::trace::kineto_json {

template <typename Scan>
class DocumentParser final : public Parser, private EventParser<Scan> {
  using Events = EventParser<Scan>;
  using Events::blank;
  using Events::offset_of;
  using Events::result;

 public:
  void parse(const Chunk& chunk, const State& start, ChunkResult* out) override {
    out->clear();
    this->begin_chunk(chunk, out);
    begin_ = chunk.buffer.get();
    text_end_ = this->end_ = begin_ + chunk.size;
    last_ = this->final_ = chunk.last;
    state_ = start;
    const char* p = begin_;
    // Each step moves on and gives the next place, or null where it needs more text (at `wait_`).
    while (p != nullptr && p < text_end_) {
      switch (state_.kind) {
        case State::Kind::between: p = between(p); break;
        case State::Kind::root: p = root(p); break;
        case State::Kind::events: p = events(p); break;
        case State::Kind::skipping: p = skipping(p); break;
      }
    }
    out->consumed = static_cast<size_t>((p == nullptr ? wait_ : text_end_) - begin_);
    if (last_) finish_input();
    out->end = state_;
  }

 private:
  using Kind = State::Kind;
  using Container = State::Container;
  using Mark = State::Mark;

  const char* wait(const char* at) {
    wait_ = at;
    return nullptr;
  }
  // `to` is at most the end of the text.
  const char* structure(const char* from, const char* to) {
    to = std::min(to, text_end_);
    result().ledger.structure_bytes += static_cast<uint64_t>(to - from);
    return to;
  }
  bool enough(const char* from, size_t bytes) const { return static_cast<size_t>(text_end_ - from) > bytes; }

  // Leaves what starts at `from` and is wrong at `at`. `from` itself is looked at again only when asked to.
  const char* skip(std::string_view kind, const char* from, const char* at, bool again = false) {
    const bool in_document = state_.kind != Kind::between;
    state_.kind = Kind::skipping;
    state_.skip_kind = kind;
    state_.skip_in_document = in_document;
    state_.skip_cut = false;
    result().ledger.add(kind, offset_of(std::min(at, text_end_)), 0);
    state_.skip_tail = 0;
    return again ? from : skipped(from, from + 1);
  }
  const char* skip_event(std::string_view kind, const char* from, const char* at) {
    ++result().ledger.read;
    ++result().ledger.dropped;
    return skip(kind, from, at);
  }
  const char* skipped(const char* from, const char* to) {
    const auto bytes = static_cast<uint64_t>(to - from);
    result().ledger.skipped_bytes += bytes;
    result().ledger.add_bytes(state_.skip_kind, bytes);
    for (const char* q = to; q > from; --q) {
      if (static_cast<unsigned char>(q[-1]) <= ' ') continue;
      state_.skip_tail = q[-1];
      break;
    }
    return to;
  }

  const char* between(const char* p) {
    if (offset_of(p) == 0) {
      if (static_cast<size_t>(text_end_ - p) < 3 && !last_) return wait(p);
      if (std::string_view(p, static_cast<size_t>(text_end_ - p)).starts_with("\xef\xbb\xbf")) return structure(p, p + 3);
    }
    const char* q = blank(p);
    if (q > p) return structure(p, q);
    if (*p == '{' || *p == '[') {
      q = blank(p + 1);
      if (q >= text_end_ && !last_) return wait(p);
      if (*p == '[' && q < text_end_ && (*q == '{' || *q == ']')) {
        state_ = State::at(Kind::events, Container::array, Mark::fresh);
        result().saw_events_array = true;
        return structure(p, p + 1);
      }
      if (*p == '{' && q < text_end_ && (*q == '"' || *q == '}')) {
        // An event without an array around it?
        if (const char* end = candidate(p); end != nullptr) {
          if (end == p) return wait(p);
          state_ = State::at(Kind::events, Container::none, Mark::after_comma);
          result().ledger.add("events_without_array", offset_of(p), 0);
          return p;
        }
        state_ = State::at(Kind::root, Container::none, Mark::fresh);
        return structure(p, p + 1);
      }
    }
    // A comma may stand before a root key of a document whose head is lost.
    return skip("text_outside", p, p, *p == ',');
  }

  // Inside a root object.
  const char* root(const char* p) {
    const char* q = blank(p);
    if (q > p) return structure(p, q);
    switch (*p) {
      case ',':
        state_.mark = Mark::after_comma;
        return structure(p, p + 1);
      case '}':
        state_ = {};
        return structure(p, p + 1);
      case '[':
        if (state_.mark != Mark::after_value) break;
        result().ledger.add("array_seam", offset_of(p), 0);
        state_ = State::at(Kind::events, Container::object, Mark::fresh);
        return structure(p, p + 1);
      case '"': return member(p);
      default: break;
    }
    // A `{` may be the start of the next document, whose predecessor has lost its end.
    return skip("bad_metadata", p, p, *p == '{');
  }

  // "key": value of a root object.
  const char* member(const char* p) {
    unsigned traits = 0;
    const char* q = this->string(p + 1, &traits);
    if (q == nullptr) return give_up(p);
    uint8_t problems = 0;
    std::string key = clean_text({p + 1, static_cast<size_t>(q - p - 1)}, &problems);
    q = blank(q + 1);
    if (q >= text_end_) return give_up(p, q);
    if (*q != ':') return skip("bad_metadata", p, q);
    q = blank(q + 1);
    if (q >= text_end_) return give_up(p, q);
    if (*q == '[' && key == "traceEvents") {
      state_ = State::at(Kind::events, Container::object, Mark::fresh);
      result().saw_events_array = true;
      return structure(p, q + 1);
    }
    Span span;
    const char* end = this->value(q, &span);
    if (end == nullptr) return give_up(p);
    const auto length = static_cast<size_t>(end - q);
    if (length > kMaxValueBytes) return skip("metadata_too_large", p, p);
    result().metadata.push_back({std::move(key), std::string(q, std::min(length, schema::kMaxMetadataText)),
                                 offset_of(q), length});
    state_.mark = Mark::after_value;
    return structure(p, end);
  }

  // The member of a root object at p could not be read; the reason is in outcome_, or the text ended (`at`).
  const char* give_up(const char* p, const char* at = nullptr) {
    if (at == nullptr) at = this->bad_at_;
    const bool incomplete = at >= text_end_;
    if (enough(p, kMaxValueBytes) && (incomplete || static_cast<size_t>(at - p) > kMaxValueBytes)) {
      return skip("metadata_too_large", p, p);
    }
    if (!incomplete) return skip("bad_metadata", p, at);
    if (!last_) return wait(p);
    const char* next = skip("truncated", p, text_end_);
    state_.skip_cut = true;
    return next;
  }

  // Inside an array of events, or between events that have none.
  const char* events(const char* p) {
    const char* q = blank(p);
    if (q > p) return structure(p, q);
    switch (*p) {
      case ',':
        if (state_.mark != Mark::after_value) result().ledger.add("stray_comma", offset_of(p), 0);
        state_.mark = Mark::after_comma;
        return structure(p, p + 1);
      case '{':
        if (state_.mark == Mark::after_value && state_.container != Container::none) {
          result().ledger.add("missing_comma", offset_of(p), 0);
          state_.mark = Mark::after_comma;
        }
        return one_event(p);
      case ']':
        if (state_.mark == Mark::after_comma && state_.container != Container::none) {
          result().ledger.add("stray_comma", offset_of(p), 0);
        }
        if (state_.container == Container::object) state_ = State::at(Kind::root, Container::none, Mark::after_value);
        else state_ = {};
        return structure(p, p + 1);
      case '}': return skip("bad_event", p, p);
      default: return no_event(p);
    }
  }

  const char* one_event(const char* p) {
    const char* end = this->event(p);
    if (end != nullptr && static_cast<size_t>(end - p) <= kMaxValueBytes) {
      state_.mark = Mark::after_value;
      return end;
    }
    if (end != nullptr) {
      drop_last_event();
      return skip_event("event_too_large", p, p);
    }
    const char* at = this->bad_at_;
    const bool incomplete = this->outcome_ == Outcome::incomplete;
    if (enough(p, kMaxValueBytes) && (incomplete || static_cast<size_t>(at - p) > kMaxValueBytes)) {
      return skip_event("event_too_large", p, p);
    }
    if (!incomplete) return skip_event(this->outcome_ == Outcome::too_deep ? "too_deep" : "bad_event", p, at);
    if (!last_) return wait(p);
    const char* next = skip_event("truncated_event", p, text_end_);
    state_.skip_cut = true;
    return next;
  }

  // Takes back what event() has added.
  void drop_last_event() {
    ChunkResult& r = result();
    r.args.resize(r.args.size() - r.events.back().args);
    r.ledger.event_bytes -= r.events.back().length;
    --r.ledger.read, --r.ledger.kept;
    r.events.pop_back();
  }

  // An element of the events array that is no object.
  const char* no_event(const char* p) {
    Span span;
    const char* end = this->value(p, &span);
    const bool fits = end != nullptr && static_cast<size_t>(end - p) <= kMaxValueBytes;
    if (fits && state_.container != Container::none) {
      ++result().ledger.read;
      ++result().ledger.dropped;
      result().ledger.add("not_an_event", offset_of(p), static_cast<uint64_t>(end - p));
      result().ledger.skipped_bytes += static_cast<uint64_t>(end - p);
      state_.mark = Mark::after_value;
      return end;
    }
    if (end == nullptr && this->outcome_ == Outcome::incomplete && !last_ && !enough(p, kMaxValueBytes)) return wait(p);
    return skip("bad_event", p, end == nullptr ? this->bad_at_ : p);
  }

  // An event that can be read at p: gives a place behind p. null: none. p: the text ends before that is clear.
  // Leaves no trace in the result.
  const char* candidate(const char* p) {
    const Seen seen = event_start(p, text_end_);
    if (seen == Seen::no || (seen == Seen::need_more && last_)) return nullptr;
    if (seen == Seen::need_more) return p;
    const bool limited = enough(p, kMaxCandidateBytes);
    this->end_ = limited ? p + kMaxCandidateBytes : text_end_;
    this->final_ = last_ && !limited;
    const schema::Ledger before = result().ledger;
    const char* end = this->event(p);
    this->end_ = text_end_;
    this->final_ = last_;
    if (end != nullptr) {
      ChunkResult& r = result();
      r.args.resize(r.args.size() - r.events.back().args);
      r.events.pop_back();
      r.ledger = before;
      return this->saw_phase() ? end : nullptr;
    }
    if (this->outcome_ == Outcome::incomplete && !limited && !last_) return p;
    // Damaged, but an event it was.
    if (this->saw_phase() && state_.kind == Kind::skipping) {
      ++result().ledger.read;
      ++result().ledger.dropped;
      result().ledger.add("bad_event", offset_of(std::min(this->bad_at_, text_end_)), 0);
    }
    return nullptr;
  }

  const char* skipping(const char* p) {
    const char* q = p;
    for (;; ++q) {
      while (q < text_end_ && *q != '{' && *q != ',') ++q;
      if (q == text_end_) return skipped(p, q);
      if (*q == '{') {
        const char* end = candidate(q);
        if (end == q) return skipped(p, q), wait(q);
        if (end != nullptr) {
          state_.kind = Kind::events;
          state_.mark = Mark::after_comma;
          return leave(p, q);
        }
      }
      // A document that starts here, or a root key behind a comma.
      const char* r = blank(q + 1);
      if (r >= text_end_) {
        if (!last_) return skipped(p, q), wait(q);
        continue;
      }
      if (*r != '"') continue;
      const Seen seen = root_key(r + 1, text_end_);
      if (seen == Seen::need_more && !last_) return skipped(p, q), wait(q);
      if (seen != Seen::yes) continue;
      state_.kind = Kind::root;
      state_.mark = *q == ',' ? Mark::after_value : Mark::fresh;
      if (*q == ',') return leave(p, q);
      return structure(leave(p, q), q + 1);
    }
  }
  const char* leave(const char* from, const char* to) {
    skipped(from, to);
    state_ = State::at(state_.kind, state_.container, state_.mark);
    return to;
  }

  // Nothing follows: says whether the file ends where a file may end.
  void finish_input() {
    bool cut = state_.kind == Kind::root || (state_.kind == Kind::events && state_.container != Container::none);
    if (state_.kind == Kind::skipping && state_.skip_in_document) {
      // The damage may have swallowed the proper end.
      cut = state_.skip_cut || (state_.skip_tail != '}' && state_.skip_tail != ']');
    }
    if (!cut) return;
    ++result().ledger.truncated;
    if (!state_.skip_cut) result().ledger.add("truncated", offset_of(text_end_), 0);
  }

  const char* begin_ = nullptr;
  const char* text_end_ = nullptr;
  const char* wait_ = nullptr;
  bool last_ = false;
  State state_;
};

}  // namespace lanewise::trace::kineto_json

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One event object: from its `{` to behind its `}`, its fields into a RawEvent, its known args into RawArgs. The order of
// keys is free, the last of equal keys wins, unknown keys are skipped (their bytes stay reachable through the event's range).
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "trace/import/kineto_json/arg_keys.h"
#include "trace/import/kineto_json/chunk.h"
#include "trace/import/kineto_json/decimal.h"
#include "trace/import/kineto_json/value_parser.h"
#include "trace/schema/encoded_id.h"
#include "trace/schema/event_table.h"

namespace lanewise::trace::kineto_json {

template <typename Scan>
class EventParser : protected ValueParser<Scan> {
 protected:
  using Values = ValueParser<Scan>;
  using Values::blank;
  using Values::fail;
  using Values::is_digit;

  enum class Field : uint8_t { unknown, ph, name, cat, pid, tid, ts, dur, args, id, id2, bp };

  struct Fields {
    Span ph, name, cat, pid, tid, ts, dur, id;
    int64_t ts_ns = 0, dur_ns = 0;
    uint8_t flags = 0;
    uint8_t problems = 0;
    bool has_ts = false, has_dur = false, has_ph = false;
    const char* problem_at = nullptr;
  };

  void begin_chunk(const Chunk& chunk, ChunkResult* result) {
    base_ = chunk.buffer.get();
    chunk_offset_ = chunk.offset;
    result_ = result;
    if (pool_ == nullptr || pool_->full()) {
      pool_ = std::make_shared<LocalPool>();
      last_category_ = {};
      last_pid_ = last_tid_ = {};
    }
    result->pool = pool_;
    last_track_ = kNoLocal;
    track_slots_.assign(64, kNoLocal);
  }

  // At `{`. On success the event is the last of the result; on failure the result is as it was.
  const char* event(const char* start) {
    fields_ = {};
    args_begin_ = result_->args.size();
    const char* p = members(start + 1);
    if (p == nullptr) {
      result_->args.resize(args_begin_);
      return nullptr;
    }
    finish(start, p);
    return p;
  }

  bool saw_phase() const { return fields_.has_ph; }

 private:
  struct Named {
    const char* raw = nullptr;  // in the pool: stays
    uint32_t size = 0, id = kNoLocal;
  };

  const char* members(const char* p) {
    Span* last_string = nullptr;  // of the member before, where it may have to be widened
    Span ignored;
    p = blank(p);
    if (*p == '}' && p < this->end_) return p + 1;
    for (;;) {
      Field field = Field::unknown;
      const char* q = nullptr;
      if (*p == '"') [[likely]] {
        q = key(p + 1, &field);
      } else if (p < this->end_) {
        q = unquoted_key(p, &field);
        if (q == nullptr && this->outcome_ != Outcome::incomplete && last_string != nullptr) {
          q = rejoin(last_string, p);
          if (q == nullptr) return nullptr;
          p = blank(q);
          last_string = nullptr;
          if (p >= this->end_) return fail(p);
          if (*p == '}') return p + 1;
          if (*p != ',') return fail(p);
          p = blank(p + 1);
          continue;
        }
      } else {
        return fail(p);
      }
      if (q == nullptr) return nullptr;
      p = blank(q);
      if (*p != ':') return fail(p);
      p = blank(p + 1);
      Span* span = &ignored;
      const char* v = p;
      p = member(field, p, &span);
      if (p == nullptr) return nullptr;
      p = blank(p);
      last_string = span->kind == Span::Kind::string && span->begin == v + 1 ? span : nullptr;
      if (*p != ',' && *p != '}') [[unlikely]] {
        if (last_string == nullptr) return fail(p);
        p = this->widen(last_string, p);
        if (p == nullptr) return nullptr;
        note(last_string->problems, last_string->begin);
        p = blank(p);
      }
      if (p >= this->end_) return fail(p);
      if (*p == '}') return p + 1;
      if (*p != ',') return fail(p);
      p = blank(p + 1);
    }
  }

  // A comma was followed by no key: the string before it may hold the comma.
  const char* rejoin(Span* span, const char* at) {
    const char* p = this->widen(span, at);
    if (p != nullptr) note(span->problems, span->begin);
    return p;
  }

  const char* key(const char* k, Field* field) {
    const auto is = [&](const auto& text) { return std::memcmp(k, text, sizeof(text) - 1) == 0; };
    switch (k[0]) {
      case 'p':
        if (is("ph\"")) return *field = Field::ph, k + 3;
        if (is("pid\"")) return *field = Field::pid, k + 4;
        break;
      case 'n':
        if (is("name\"")) return *field = Field::name, k + 5;
        break;
      case 'c':
        if (is("cat\"")) return *field = Field::cat, k + 4;
        break;
      case 't':
        if (is("ts\"")) return *field = Field::ts, k + 3;
        if (is("tid\"")) return *field = Field::tid, k + 4;
        break;
      case 'd':
        if (is("dur\"")) return *field = Field::dur, k + 4;
        break;
      case 'a':
        if (is("args\"")) return *field = Field::args, k + 5;
        break;
      case 'i':
        if (is("id\"")) return *field = Field::id, k + 3;
        if (is("id2\"")) return *field = Field::id2, k + 4;
        break;
      case 'b':
        if (is("bp\"")) return *field = Field::bp, k + 3;
        break;
      default: break;
    }
    unsigned traits = 0;
    const char* q = this->string(k, &traits);
    if (q == nullptr) return nullptr;
    if (traits != 0) [[unlikely]] {
      note(text_problems({k, static_cast<size_t>(q - k)}, traits), k);
      if (traits & kHasEscape) {
        uint8_t ignored = 0;
        *field = field_named(clean_text({k, static_cast<size_t>(q - k)}, &ignored));
      }
    }
    return q + 1;
  }

  static Field field_named(std::string_view name) {
    constexpr std::pair<std::string_view, Field> kFields[] = {
        {"ph", Field::ph},   {"name", Field::name}, {"cat", Field::cat}, {"pid", Field::pid}, {"tid", Field::tid}, {"ts", Field::ts},
        {"dur", Field::dur}, {"args", Field::args}, {"id", Field::id},   {"id2", Field::id2}, {"bp", Field::bp}};
    for (const auto& [text, field] : kFields) {
      if (text == name) return field;
    }
    return Field::unknown;
  }

  // `tid": 0` without its opening quote.
  const char* unquoted_key(const char* p, Field* field) {
    const char* q = p;
    while (Values::is_token_char(*q)) ++q;
    if (q >= this->end_) return fail(q);
    if (q == p || *q != '"') return fail(p);
    const char* colon = blank(q + 1);
    if (colon >= this->end_) return fail(colon);
    if (*colon != ':') return fail(p);
    note(kMissingQuote, p);
    return key(p, field);
  }

  const char* member(Field field, const char* p, Span** span) {
    const char* q = nullptr;
    switch (field) {
      case Field::ts:
        fields_.has_ts = false;
        if ((q = micros(p, &fields_.ts_ns)) != nullptr) return fields_.has_ts = true, fields_.flags &= ~schema::kStartCut, q;
        return slow_time(p, &fields_.ts_ns, &fields_.has_ts, schema::kStartCut);
      case Field::dur:
        fields_.has_dur = false;
        if ((q = micros(p, &fields_.dur_ns)) != nullptr) return fields_.has_dur = true, fields_.flags &= ~schema::kDurationCut, q;
        return slow_time(p, &fields_.dur_ns, &fields_.has_dur, schema::kDurationCut);
      case Field::args:
        result_->args.resize(args_begin_);
        if (*p == '{') return args(p + 1);
        break;
      case Field::ph: *span = &fields_.ph; break;
      case Field::name: *span = &fields_.name; break;
      case Field::cat: *span = &fields_.cat; break;
      case Field::pid: *span = &fields_.pid; break;
      case Field::tid: *span = &fields_.tid; break;
      case Field::id:
      case Field::id2: *span = &fields_.id; break;
      case Field::bp: {
        Span bp;
        q = this->value(p, &bp);
        if (q != nullptr && bp.view() == "e") fields_.flags |= schema::kBindEnclosing;
        return q;
      }
      case Field::unknown: break;
    }
    q = this->value(p, *span);
    if (q == nullptr) return nullptr;
    if (field == Field::ph) fields_.has_ph = (*span)->kind == Span::Kind::string;
    if ((*span)->problems != 0) note((*span)->problems, p);
    if ((field == Field::unknown || field == Field::args) && (*span)->traits != 0) check_traits(**span);
    return q;
  }

  static constexpr uint64_t kMaxMicros = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / 1000 - 1;

  // Plain decimal text with at most 3 digits behind the point; null for everything else (nothing is set then).
  const char* micros(const char* p, int64_t* ns) const {
    const bool negative = *p == '-';
    const char* q = p + negative;
    uint64_t v = 0;
    const char* digits = q;
    while (is_digit(*q)) v = v * 10 + static_cast<uint64_t>(*q++ - '0');
    if (q == digits || q - digits > 16 || v > kMaxMicros) return nullptr;
    v *= 1000;
    if (*q == '.') {
      ++q;
      uint64_t unit = 100;
      const char* fraction = q;
      for (; is_digit(*q); ++q, unit /= 10) v += static_cast<uint64_t>(*q - '0') * unit;
      if (q == fraction || q - fraction > 3) return nullptr;
    }
    // The padding behind the text ends a number, too: a number at the very end may go on in the next chunk.
    if ((*q != ',' && *q != '}' && static_cast<unsigned char>(*q) > ' ') || q >= this->end_) return nullptr;
    *ns = negative ? -static_cast<int64_t>(v) : static_cast<int64_t>(v);
    return q;
  }

  const char* slow_time(const char* p, int64_t* ns, bool* has, uint8_t cut_flag) {
    Span span;
    const char* q = this->value(p, &span);
    if (q == nullptr) return nullptr;
    *ns = 0;
    fields_.flags &= static_cast<uint8_t>(~cut_flag);
    if (span.kind == Span::Kind::none) {
      note(span.problems, p);
      return q;
    }
    DecimalValue value;
    if (span.kind == Span::Kind::nested || !parse_micros(span.view(), &value)) {
      note(kBadTime, p);
      return q;
    }
    *has = true;
    *ns = value.value;
    if (value.cut) fields_.flags |= cut_flag;
    if (value.clipped) fields_.flags |= schema::kClipped;
    return q;
  }

  // Behind the `{` of args.
  const char* args(const char* p) {
    const ArgKeyTable& table = ArgKeyTable::instance();
    Span span;
    ArgTarget target;
    bool have_string = false;
    p = blank(p);
    if (*p == '}' && p < this->end_) return p + 1;
    for (;;) {
      if (*p != '"') [[unlikely]] {
        if (p >= this->end_) return fail(p);
        // As with the members of the event.
        Field ignored;
        const char* q = unquoted_key(p, &ignored);
        if (q != nullptr) {
          target = table.find(p, static_cast<size_t>(q - 1 - p));
          p = q;
        } else {
          if (this->outcome_ == Outcome::incomplete || !have_string) return nullptr;
          q = rejoin(&span, p);
          if (q == nullptr) return nullptr;
          if (target.form != ArgForm::none) {
            result_->args.pop_back();
            add_arg(target, span);
          }
          p = blank(q);
          have_string = false;
          if (*p == '}' && p < this->end_) return p + 1;
          if (*p != ',') return fail(p);
          p = blank(p + 1);
          continue;
        }
      } else {
        const char* k = p + 1;
        unsigned traits = 0;
        const char* q = this->string(k, &traits);
        if (q == nullptr) return nullptr;
        if (traits == 0) [[likely]] {
          target = table.find(k, static_cast<size_t>(q - k));
        } else {
          target = escaped_arg(table, {k, static_cast<size_t>(q - k)}, traits);
        }
        p = q + 1;
      }
      p = blank(p);
      if (*p != ':') return fail(p);
      p = blank(p + 1);
      const char* q = nullptr;
      int64_t number;
      if ((target.form == ArgForm::number || target.form == ArgForm::id) && (q = integer(p, &number)) != nullptr) {
        result_->args.push_back({number, target.target, false});
        span.kind = Span::Kind::token;
      } else {
        q = this->value(p, &span);
        if (q == nullptr) return nullptr;
        if (span.problems != 0) note(span.problems, p);
        if (target.form != ArgForm::none) add_arg(target, span);
        if (span.traits != 0) check_traits(span);
      }
      p = blank(q);
      have_string = span.kind == Span::Kind::string;
      if (*p == ',') [[likely]] {
        p = blank(p + 1);
        continue;
      }
      if (*p == '}') return p < this->end_ ? p + 1 : fail(p);
      if (!have_string || p >= this->end_) return fail(p);
      p = rejoin(&span, p);
      if (p == nullptr) return nullptr;
      if (target.form != ArgForm::none) {
        result_->args.pop_back();
        add_arg(target, span);
      }
      have_string = false;
      p = blank(p);
      if (p >= this->end_) return fail(p);
      if (*p == '}') return p + 1;
      if (*p != ',') return fail(p);
      p = blank(p + 1);
    }
  }

  ArgTarget escaped_arg(const ArgKeyTable& table, std::string_view raw, unsigned traits) {
    note(text_problems(raw, traits), raw.data());
    uint8_t ignored = 0;
    std::string text = clean_text(raw, &ignored);
    const size_t size = text.size();
    text.append(8, '\0');
    return table.find(text.data(), size);
  }

  // Up to 18 digits in canonical form; null for everything else.
  const char* integer(const char* p, int64_t* value) const {
    const bool negative = *p == '-';
    const char* q = p + negative;
    const char* digits = q;
    uint64_t v = 0;
    while (is_digit(*q)) v = v * 10 + static_cast<uint64_t>(*q++ - '0');
    const auto n = q - digits;
    if (n == 0 || n > 18 || (digits[0] == '0' && (n > 1 || negative))) return nullptr;
    if ((*q != ',' && *q != '}' && static_cast<unsigned char>(*q) > ' ') || q >= this->end_) return nullptr;
    *value = negative ? -static_cast<int64_t>(v) : static_cast<int64_t>(v);
    return q;
  }

  // Always adds one entry; a value that the target cannot hold becomes null, which the merger leaves out.
  void add_arg(ArgTarget target, const Span& span) {
    RawArg arg{store::null_value<int64_t>(), target.target, false};
    if (target.form == ArgForm::id) {
      arg.value = id_of(span, &arg.text);
    } else if (target.form == ArgForm::text) {
      if (span.kind != Span::Kind::none) {
        const auto kind = span.kind == Span::Kind::string ? RawKind::string : RawKind::json;
        arg.value = intern(span, kind);
        arg.text = true;
      }
    } else if (span.kind == Span::Kind::string || span.kind == Span::Kind::token) {
      DecimalValue value;
      if (parse_decimal(span.view(), 0, &value) && !value.clipped) arg.value = value.value;
    }
    // The last of equal keys wins, also when it is null: then none of them counts.
    if (arg.value == store::null_value<int64_t>()) {
      for (size_t i = args_begin_; i < result_->args.size(); ++i) {
        if (result_->args[i].target == arg.target) result_->args[i] = arg;
      }
    }
    result_->args.push_back(arg);
  }

  // The encoded id; `*text`: it holds a local id of a text.
  int64_t id_of(const Span& span, bool* text) {
    int64_t value = 0;
    if (span.kind == Span::Kind::none) return schema::kNoId;
    if (span.kind != Span::Kind::nested && parse_canonical_integer(span.view(), &value) && !schema::is_text_id(value)) {
      return value;
    }
    *text = true;
    return schema::text_id(intern(span, span.kind == Span::Kind::string ? RawKind::string : RawKind::json));
  }

  uint32_t intern(const Span& span, RawKind kind = RawKind::string) {
    return pool_->intern(span.view(), span.traits, kind);
  }

  // Text of a field, whatever JSON type it has; its own problems are noted.
  uint32_t field_text(const Span& span) {
    if (span.kind == Span::Kind::none) return kNoLocal;
    const uint32_t id = intern(span, span.kind == Span::Kind::nested ? RawKind::json : RawKind::string);
    if (span.traits != 0) [[unlikely]] {
      if (const uint8_t problems = pool_->entry(id).problems; problems != 0) {
        note(problems, span.begin + first_problem(span.view()));
      }
    }
    return id;
  }

  // The same with a memory of one: most events share it with the event before.
  uint32_t cached_text(const Span& span, Named* last) {
    if (span.kind != Span::Kind::none && span.size == last->size && last->id != kNoLocal && span.traits == 0 &&
        span.kind != Span::Kind::nested && std::string_view(span.begin, span.size) == std::string_view(last->raw, span.size)) {
      return last->id;
    }
    const uint32_t id = field_text(span);
    if (id != kNoLocal && span.traits == 0) *last = {pool_->entry(id).raw, span.size, id};
    return id;
  }

  void check_traits(const Span& span) {
    const uint8_t problems = text_problems(span.view(), span.traits);
    if (problems != 0) note(nested_problems(span, problems), span.begin + first_problem(span.view()));
  }
  // Line breaks between the parts of a nested value are no control characters of a string.
  static uint8_t nested_problems(const Span& span, uint8_t problems) {
    return span.kind == Span::Kind::nested && (span.traits & kHasControl) == 0
               ? static_cast<uint8_t>(problems & ~kControlCharacter)
               : problems;
  }

  void note(uint8_t problems, const char* at) {
    if (problems == 0) return;
    fields_.problems = static_cast<uint8_t>(fields_.problems | problems);
    if (fields_.problem_at == nullptr) fields_.problem_at = at;
  }

  uint32_t track_of(uint32_t pid, uint32_t tid) {
    auto& tracks = result_->tracks;
    if (last_track_ != kNoLocal && tracks[last_track_].pid == pid && tracks[last_track_].tid == tid) return last_track_;
    if (tracks.size() * 2 >= track_slots_.size()) {
      track_slots_.assign(track_slots_.size() * 4, kNoLocal);
      for (uint32_t i = 0; i < tracks.size(); ++i) track_slots_[free_slot(tracks[i])] = i;
    }
    const size_t slot = free_slot({pid, tid});
    if (track_slots_[slot] == kNoLocal) {
      track_slots_[slot] = static_cast<uint32_t>(tracks.size());
      tracks.push_back({pid, tid});
    }
    return last_track_ = track_slots_[slot];
  }
  // The slot that holds the track, or the one where it would go.
  size_t free_slot(LocalTrack track) const {
    const size_t mask = track_slots_.size() - 1;
    size_t i = ((uint64_t{track.pid} << 32 | track.tid) * 0x9e3779b97f4a7c15u) >> 40 & mask;
    for (;; i = (i + 1) & mask) {
      const uint32_t at = track_slots_[i];
      if (at == kNoLocal || (result_->tracks[at].pid == track.pid && result_->tracks[at].tid == track.tid)) return i;
    }
  }

  void finish(const char* start, const char* end) {
    RawEvent e;
    e.offset = static_cast<uint32_t>(start - base_);
    e.length = static_cast<uint32_t>(end - start);
    e.ts_ns = fields_.ts_ns;
    e.dur_ns = fields_.dur_ns;
    e.name = field_text(fields_.name);
    e.category = cached_text(fields_.cat, &last_category_);
    const uint32_t pid = cached_text(fields_.pid, &last_pid_);
    const uint32_t tid = cached_text(fields_.tid, &last_tid_);
    e.track = track_of(pid, tid);
    if (fields_.ph.kind == Span::Kind::string) {
      e.phase = fields_.ph.size == 1 ? static_cast<uint8_t>(fields_.ph.begin[0]) : schema::kOtherPhase;
      if (fields_.ph.size == 0) e.phase = 0;
    }
    if (fields_.id.kind != Span::Kind::none) {
      RawArg id{0, target_of(schema::OptionalColumn::id), false};
      id.value = id_of(fields_.id, &id.text);
      result_->args.push_back(id);
    }
    e.flags = fields_.flags;
    if (!fields_.has_ts) e.flags |= schema::kNoTime;
    if (!fields_.has_dur && e.phase == 'X') e.flags |= schema::kNoDuration;
    if (fields_.problems != 0) [[unlikely]] {
      e.flags |= schema::kRepaired;
      ++result_->ledger.repaired;
      const uint64_t at = chunk_offset_ + static_cast<uint64_t>(fields_.problem_at - base_);
      for (int bit = 0; bit < kTextProblems; ++bit) {
        if (fields_.problems >> bit & 1) result_->ledger.add(problem_kind(bit), at, 0);
      }
    }
    if (e.flags & schema::kClipped) [[unlikely]] {
      ++result_->ledger.clipped;
      result_->ledger.add("clipped_time", chunk_offset_ + e.offset, 0);
    }
    e.args = static_cast<uint16_t>(std::min<size_t>(result_->args.size() - args_begin_, 0xffff));
    result_->args.resize(args_begin_ + e.args);
    result_->events.push_back(e);
    ++result_->ledger.read;
    ++result_->ledger.kept;
    result_->ledger.event_bytes += e.length;
  }

  ChunkResult* result_ = nullptr;
  std::shared_ptr<LocalPool> pool_;
  const char* base_ = nullptr;
  uint64_t chunk_offset_ = 0;
  Fields fields_;
  size_t args_begin_ = 0;
  Named last_category_, last_pid_, last_tid_;
  uint32_t last_track_ = kNoLocal;
  std::vector<uint32_t> track_slots_;

 protected:
  uint64_t offset_of(const char* p) const { return chunk_offset_ + static_cast<uint64_t>(p - base_); }
  ChunkResult& result() { return *result_; }
};

}  // namespace lanewise::trace::kineto_json

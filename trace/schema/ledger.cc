// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/schema/ledger.h"

#include <algorithm>
#include <array>

namespace lanewise::trace::schema {
namespace {

struct Sentence {
  std::string_view kind, text;
};

// Sorted by kind.
constexpr auto kSentences = std::to_array<Sentence>({
    {"array_seam", "an events array ended and another one began at once; read as one"},
    {"bad_escape", "a backslash in a text is not a JSON escape; kept as it stands"},
    {"bad_event", "an event is not JSON; dropped, reading went on at the next event"},
    {"bad_metadata", "a part of the file outside the events is not JSON; skipped"},
    {"bad_packet", "bytes that are no packet; skipped up to the next one"},
    {"bad_time", "ts or dur is not a number; left out"},
    {"base_time_set_aside", "baseTimeNanoseconds is a time that no clock shows (before 1970, after 2116); set aside, times are the file's own"},
    {"clipped_time", "ts or dur does not fit 64-bit nanoseconds; set to the nearest value that does"},
    {"control_character", "a raw control character inside a text; kept"},
    {"damaged_compression", "the compressed stream is damaged; what came before was read"},
    {"event_too_large", "an event is larger than the limit; dropped"},
    {"events_without_array", "events stand outside any array; read"},
    {"invalid_utf8", "bytes of a text are not UTF-8; replaced by U+FFFD"},
    {"metadata_too_large", "a metadata value is larger than the limit; skipped"},
    {"missing_comma", "no comma between two events"},
    {"missing_quote", "a key has lost its opening quote; read"},
    {"missing_state", "a packet needs texts that an earlier, lost packet has defined; dropped"},
    {"no_events", "the file holds no events"},
    {"non_finite_number", "NaN or infinity where JSON has no such number; read as no value"},
    {"not_an_event", "an element of the events array is no object; dropped"},
    {"skipped_bytes", "bytes that belong to no readable event"},
    {"stray_comma", "a comma without an element"},
    {"text_outside", "text before, between or after the documents; skipped"},
    {"too_deep", "values are nested deeper than the limit; the event was dropped"},
    {"trailing_bytes", "bytes after the end of the compressed stream; ignored"},
    {"truncated", "the input ends inside a document"},
    {"truncated_compression", "the compressed stream ends too early"},
    {"truncated_event", "the input ends inside an event; dropped"},
    {"unescaped_quote", "a text holds quotes that are not escaped; its end was guessed"},
    {"unknown_clock", "a time of a clock that nothing joins with the others; taken as it stands"},
    {"unpaired_begin", "a begin event without an end"},
    {"unpaired_end", "an end event without a begin"},
});

LedgerReason& reason(std::vector<LedgerReason>& reasons, std::string_view kind) {
  auto at = std::lower_bound(reasons.begin(), reasons.end(), kind,
                             [](const LedgerReason& r, std::string_view k) { return r.kind < k; });
  if (at == reasons.end() || at->kind != kind) {
    at = reasons.insert(at, LedgerReason{std::string(kind), std::string(reason_text(kind)), 0, 0, {}});
  }
  return *at;
}

}  // namespace

std::string_view reason_text(std::string_view kind) {
  const auto at = std::lower_bound(kSentences.begin(), kSentences.end(), kind,
                                   [](const Sentence& s, std::string_view k) { return s.kind < k; });
  return at != kSentences.end() && at->kind == kind ? at->text : std::string_view();
}

void Ledger::note(std::string_view kind) { ++reason(reasons, kind).count; }

void Ledger::add(std::string_view kind, uint64_t offset, uint64_t lost_bytes, uint64_t times) {
  LedgerReason& r = reason(reasons, kind);
  r.count += times;
  r.bytes += lost_bytes;
  if (r.offsets.size() < LedgerReason::kMaxOffsets) r.offsets.push_back(offset);
}

void Ledger::add_bytes(std::string_view kind, uint64_t lost_bytes) {
  if (lost_bytes > 0) reason(reasons, kind).bytes += lost_bytes;
}

void Ledger::merge(const Ledger& later) {
  read += later.read, kept += later.kept, repaired += later.repaired, dropped += later.dropped;
  clipped += later.clipped, truncated += later.truncated, unpaired += later.unpaired;
  input_bytes += later.input_bytes, event_bytes += later.event_bytes;
  structure_bytes += later.structure_bytes, skipped_bytes += later.skipped_bytes;
  for (const LedgerReason& from : later.reasons) {
    LedgerReason& to = reason(reasons, from.kind);
    to.count += from.count;
    to.bytes += from.bytes;
    for (uint64_t offset : from.offsets) {
      if (to.offsets.size() < LedgerReason::kMaxOffsets) to.offsets.push_back(offset);
    }
  }
}

}  // namespace lanewise::trace::schema

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The import ledger: what happened to every event and every byte of a file. Nothing is lost in silence.
//   events: read == kept + dropped;  repaired is part of kept
//   bytes:  event_bytes + structure_bytes + skipped_bytes == input_bytes   (offsets of the uncompressed input)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::trace::schema {

// One kind of damage or oddity, with its first places.
struct LedgerReason {
  static constexpr size_t kMaxOffsets = 8;
  std::string kind;               // snake_case, stable: "control_character", "skipped_bytes", ...
  std::string text;               // one sentence
  uint64_t count = 0;             // times it happened
  uint64_t bytes = 0;             // bytes lost to it (0 when nothing was lost)
  std::vector<uint64_t> offsets;  // of the first kMaxOffsets times, ascending
};

struct Ledger {
  uint64_t read = 0, kept = 0, repaired = 0, dropped = 0;
  uint64_t clipped = 0;      // events whose time did not fit int64 ns
  uint64_t truncated = 0;    // places where the input ended too early (text or compressed stream)
  uint64_t unpaired = 0;     // B without E, E without B
  uint64_t input_bytes = 0, event_bytes = 0, structure_bytes = 0, skipped_bytes = 0;
  std::vector<LedgerReason> reasons;  // sorted by kind

  void add(std::string_view kind, uint64_t offset, uint64_t lost_bytes, uint64_t times = 1);
  // What has no place in the file's text that is known, and lost nothing.
  void note(std::string_view kind);
  // More bytes lost to a kind that was added before.
  void add_bytes(std::string_view kind, uint64_t lost_bytes);
  // Adds another ledger that covers later bytes.
  void merge(const Ledger& later);
  bool balanced() const {
    return read == kept + dropped && event_bytes + structure_bytes + skipped_bytes == input_bytes;
  }
  // Something could not be read as it stands.
  bool damaged() const { return dropped > 0 || repaired > 0 || truncated > 0 || skipped_bytes > 0; }
};

// The sentence of a kind.
std::string_view reason_text(std::string_view kind);

}  // namespace lanewise::trace::schema

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What must hold for any bytes at all; for the mutation test and the fuzz target.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/import/kineto_json/import_fixture.h"
#include "trace/store/hash.h"

namespace lanewise::trace::kineto_json {

// "" or what does not hold.
inline std::string broken_invariant(std::string_view bytes) {
  const Imported in = import_text(bytes);
  const std::string want = dump(in);
  if (in.status.ok()) {
    const schema::Ledger& l = in.file.ledger;
    if (!l.balanced()) return "the ledger does not balance\n" + want;
    if (l.kept != in.file.events.rows()) return "kept is not the number of rows\n" + want;
    uint64_t lost = 0;
    for (const auto& reason : l.reasons) lost += reason.bytes;
    if (lost != l.skipped_bytes) return "skipped bytes without a reason\n" + want;
    for (schema::Row row = 0; row < in.file.events.rows(); ++row) {
      if (in.file.events.offset[row] + in.file.events.length[row] > l.input_bytes) return "a range beyond the text\n" + want;
    }
  } else if (in.status.code() != StatusCode::data_loss) {
    return "bytes in memory cannot fail like this: " + want;
  }
  if (const std::string got = dump(import_text(bytes, {.threads = 1}, {.scalar = true})); got != want) {
    return "the instruction sets differ\n" + want + "--- scalar\n" + got;
  }
  // A few places to cut that depend on the bytes alone.
  uint64_t state = store::hash_bytes(bytes.data(), bytes.size());
  for (int round = 0; round < 3 && bytes.size() > 1; ++round) {
    std::vector<uint64_t> cuts;
    for (uint64_t at = 0; cuts.size() < 12;) {
      state = store::mix(state + 1, 0x9e3779b97f4a7c15u);
      at += 1 + state % (bytes.size() / (round == 0 ? 2 : 8) + 1);
      if (at >= bytes.size()) break;
      cuts.push_back(at);
    }
    if (cuts.empty()) continue;
    if (const std::string got = dump(import_text(bytes, {.threads = 1}, {.cuts = cuts})); got != want) {
      std::string places;
      for (const uint64_t cut : cuts) places += " " + std::to_string(cut);
      return "cuts at" + places + " change the result\n" + want + "--- cut\n" + got;
    }
  }
  return {};
}

}  // namespace lanewise::trace::kineto_json

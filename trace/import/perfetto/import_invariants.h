// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What must hold for any bytes at all; for the mutation test and the fuzz target.
#pragma once

#include <string>
#include <string_view>

#include "trace/import/perfetto/import_fixture.h"

namespace lanewise::trace::perfetto {

// "" or what does not hold.
inline std::string broken_invariant(std::string_view bytes) {
  const Imported in = import_in_pieces(bytes, bytes.size() + 1);
  const std::string want = dump(in);
  if (in.status.ok()) {
    const schema::Ledger& l = in.file.ledger;
    if (!l.balanced()) return "the ledger does not balance\n" + want;
    if (l.kept != in.file.events.rows()) return "kept is not the number of rows\n" + want;
    uint64_t lost = 0;
    for (const auto& reason : l.reasons) lost += reason.bytes;
    if (lost != l.skipped_bytes) return "skipped bytes without a reason\n" + want;
    for (schema::Row row = 0; row < in.file.events.rows(); ++row) {
      if (in.file.events.offset[row] + in.file.events.length[row] > l.input_bytes) return "a range beyond the input\n" + want;
    }
  } else if (in.status.code() != StatusCode::data_loss) {
    return "bytes in memory cannot fail like this: " + want;
  }
  for (const size_t piece : {size_t{1}, size_t{100}}) {
    if (const std::string got = dump(import_in_pieces(bytes, piece)); got != want) {
      return "reads of " + std::to_string(piece) + " bytes change the result\n" + want + "--- in pieces\n" + got;
    }
  }
  return {};
}

}  // namespace lanewise::trace::perfetto

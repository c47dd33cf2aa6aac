// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: imports bytes, also a few at a time, and writes everything that came out as one text.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "trace/import/perfetto/import.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::trace::perfetto {

struct Imported {
  Status status;
  std::unique_ptr<store::StringPool> strings = std::make_unique<store::StringPool>();
  schema::TraceFile file;
  std::string name(schema::Row row) const { return std::string(strings->text(file.events.name[row])); }
};

// Gives at most `piece` bytes a read, as a pipe would.
class PieceSource : public input::ByteSource {
 public:
  PieceSource(std::string_view bytes, size_t piece) : bytes_(bytes), piece_(piece) { total_ = bytes.size(); }
  Result<size_t> read(char* to, size_t n) override {
    n = std::min({n, piece_, bytes_.size() - at_});
    if (n > 0) std::memcpy(to, bytes_.data() + at_, n);
    at_ += n;
    done_.store(at_, std::memory_order_relaxed);
    return n;
  }

 private:
  const std::string_view bytes_;
  const size_t piece_;
  size_t at_ = 0;
};

inline Imported import_from(input::ByteSource& source, size_t read_bytes = size_t{1} << 20) {
  Imported out;
  auto file = import_perfetto(source, *out.strings, schema::Producers::builtin(), {.chunk_bytes = read_bytes});
  out.status = file.ok() ? ok_status() : file.status();
  if (file.ok()) out.file = std::move(*file);
  return out;
}
inline Imported import_bytes(std::string_view bytes) { return import_from(*input::memory_source(bytes)); }
inline Imported import_in_pieces(std::string_view bytes, size_t piece) {
  PieceSource source(bytes, piece);
  return import_from(source, piece);
}

inline std::string dump(const Imported& in) {
  if (!in.status.ok()) return in.status.to_string();
  const schema::EventTable& t = in.file.events;
  std::string out;
  const auto text = [&](store::StringId id) {
    return id == store::kNoString ? std::string("-") : std::to_string(id) + "'" + std::string(in.strings->text(id)) + "'";
  };
  for (schema::Row row = 0; row < t.rows(); ++row) {
    out += std::to_string(row) + " ph=" + std::to_string(t.phase[row]) + " ts=" + std::to_string(t.ts_ns[row]) +
           " dur=" + std::to_string(t.dur_ns[row]) + " name=" + text(t.name[row]) + " cat=" + text(t.category[row]) +
           " pid=" + text(t.track_of(row).pid) + " tid=" + text(t.track_of(row).tid) + " role=" + std::to_string(t.role[row]) +
           " flags=" + std::to_string(t.flags[row]) + " at=" + std::to_string(t.offset[row]) + "+" + std::to_string(t.length[row]) +
           " ids=" + std::to_string(t.id[row]) + "," + std::to_string(t.correlation[row]) + "," +
           std::to_string(t.external_id[row]) + "," + std::to_string(t.device[row]) + "," + std::to_string(t.stream[row]);
    if (in.file.args != nullptr) out += " args=" + std::string(in.file.args->json(row));
    out += "\n";
  }
  const schema::Ledger& l = in.file.ledger;
  out += "base " + std::to_string(in.file.base_time_ns) + " read " + std::to_string(l.read) + " kept " + std::to_string(l.kept) +
         " dropped " + std::to_string(l.dropped) + " truncated " + std::to_string(l.truncated) + " unpaired " +
         std::to_string(l.unpaired) + "\nbytes " + std::to_string(l.input_bytes) + " = " + std::to_string(l.event_bytes) + " + " +
         std::to_string(l.structure_bytes) + " + " + std::to_string(l.skipped_bytes) + "\n";
  for (const auto& reason : l.reasons) {
    out += reason.kind + " x" + std::to_string(reason.count) + " " + std::to_string(reason.bytes) + " B";
    for (const uint64_t offset : reason.offsets) out += " @" + std::to_string(offset);
    out += "\n";
  }
  return out;
}

}  // namespace lanewise::trace::perfetto

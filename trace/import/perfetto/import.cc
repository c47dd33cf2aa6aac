// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/perfetto/import.h"

#include <algorithm>
#include <chrono>

#include "trace/import/perfetto/event_reader.h"
#include "trace/import/perfetto/fields.h"
#include "trace/import/perfetto/packet_reader.h"
#include "trace/import/perfetto/wire.h"

namespace lanewise::trace::perfetto {
namespace {

constexpr auto kProgressEvery = std::chrono::milliseconds(100);

}  // namespace

bool looks_like_perfetto(std::string_view first_bytes) {
  // The first packet, as far as it is there, must hold fields that only packets of a trace hold.
  if (first_bytes.size() < 4 || first_bytes[0] != static_cast<char>(fields::trace::packet << 3 | 2)) return false;
  size_t at = 1;
  uint64_t size = 0;
  if (!read_varint(first_bytes, &at, &size) || size == 0) return false;
  const bool whole = size <= first_bytes.size() - at;
  WireReader reader(first_bytes.substr(at, whole ? size : first_bytes.npos));
  int known = 0;
  while (reader.next()) {
    switch (reader.field()) {
      case fields::packet::clock_snapshot: case fields::packet::timestamp: case fields::packet::trusted_packet_sequence_id:
      case fields::packet::track_event: case fields::packet::interned_data: case fields::packet::sequence_flags:
      case fields::packet::incremental_state_cleared: case fields::packet::track_descriptor:
      case fields::packet::trace_packet_defaults: ++known; break;
      default: break;
    }
  }
  return known > 0 && (reader.ok() || !whole) &&
         (!whole || at + size >= first_bytes.size() || first_bytes[at + size] == first_bytes[0]);
}

Result<schema::TraceFile> import_perfetto(input::ByteSource& source, store::StringPool& strings,
                                          const schema::Producers& producers, const schema::ImportOptions& options) {
  schema::TraceFile file;
  schema::Ledger& ledger = file.ledger;
  PacketReader packets(source, ledger, std::max<size_t>(options.chunk_bytes, 1));
  EventReader events(strings, producers, ledger);
  auto next_report = std::chrono::steady_clock::now() + kProgressEvery;
  Packet packet;
  for (uint64_t count = 0;; ++count) {
    LW_ASSIGN_OR_RETURN(const bool more, packets.next(&packet));
    if (!more) break;
    LW_RETURN_IF_ERROR(events.add(packet));
    if (options.progress && count % 4096 == 0 && std::chrono::steady_clock::now() >= next_report) {
      next_report = std::chrono::steady_clock::now() + kProgressEvery;
      if (!options.progress({source.stored_bytes_done(), source.stored_bytes_total(), packets.offset(), events.rows()})) {
        return Status(StatusCode::cancelled, "import cancelled");
      }
    }
  }
  ledger.input_bytes = packets.offset();
  if (const input::SourceEnd end = source.end(); !end.reason.empty()) {
    ledger.add(end.reason, end.stored_offset, 0);
    if (end.reason != "trailing_bytes" && ledger.truncated == 0) ++ledger.truncated;
  }
  if (events.rows() == 0) return data_loss("the file holds no track events");
  events.finish(&file);
  file.format = "perfetto";
  file.compression = source.compression();
  file.file_bytes = source.stored_bytes_total();
  file.file_mtime_ns = source.mtime_ns();
  if (options.publish) options.publish(file.events);
  return file;
}

}  // namespace lanewise::trace::perfetto

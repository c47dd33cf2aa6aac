// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/perfetto/packet_reader.h"

#include <algorithm>

#include "trace/import/perfetto/fields.h"
#include "trace/import/perfetto/wire.h"

namespace lanewise::trace::perfetto {
namespace {

constexpr char kPacketTag = static_cast<char>(fields::trace::packet << 3 | 2);

}  // namespace

Status PacketReader::more() {
  buffer_.erase(0, at_);
  at_ = 0;
  const size_t before = buffer_.size();
  // Doubled, so that one large packet costs linear time.
  buffer_.resize(before + std::max(before, read_bytes_));
  auto got = source_.read(buffer_.data() + before, buffer_.size() - before);
  buffer_.resize(before + (got.ok() ? *got : 0));
  if (!got.ok()) return got.status();
  ended_ = *got == 0;
  return ok_status();
}

PacketReader::Look PacketReader::look(size_t* head, size_t* size) const {
  const std::string_view text = rest();
  size_t at = 0;
  uint64_t tag = 0, value = 0;
  if (!read_varint(text, &at, &tag)) return text.size() < 10 ? Look::need_more : Look::damaged;
  const auto wire = tag & 7;
  if (tag >> 3 == 0 || (wire != 0 && wire != 1 && wire != 2 && wire != 5)) return Look::damaged;
  if (wire == 1 || wire == 5) {
    value = wire == 1 ? 8 : 4;
  } else if (!read_varint(text, &at, &value)) {
    return text.size() - at < 10 && text.size() < 20 ? Look::need_more : Look::damaged;
  } else if (wire == 0) {
    value = 0;
  }
  if (value > kMaxPacketBytes) return Look::too_large;
  *head = at;
  *size = static_cast<size_t>(value);
  if (text.size() - at < value) return Look::need_more;
  return tag == static_cast<unsigned char>(kPacketTag) ? Look::packet : Look::other;
}

// A packet whose message reads to its end, followed by another packet or by the end. What the bytes at hand do not tell is
// asked again with more of them, so that the answer does not depend on how they were read.
PacketReader::Seen PacketReader::plausible(std::string_view text) const {
  const Seen unsure = ended_ ? Seen::no : Seen::need_more;
  size_t at = 1;
  uint64_t size = 0;
  if (!read_varint(text, &at, &size)) return text.size() > 10 ? Seen::no : unsure;
  if (size < 2 || size > kMaxCandidateBytes) return Seen::no;
  if (size >= text.size() - at && !ended_) return Seen::need_more;
  if (size > text.size() - at) return Seen::no;
  WireReader reader(text.substr(at, size));
  bool known = false;
  while (reader.next()) {
    known |= reader.field() == fields::packet::timestamp || reader.field() == fields::packet::track_descriptor ||
             reader.field() == fields::packet::trusted_packet_sequence_id;
  }
  const bool followed = at + size == text.size() || text[at + size] == kPacketTag;
  return reader.ok() && known && followed ? Seen::yes : Seen::no;
}

Result<bool> PacketReader::resync(std::string_view kind) {
  const uint64_t from = offset_;
  uint64_t lost = 1;
  ledger_.add(kind, from, 0);
  advance(1);
  for (;;) {
    const size_t found = rest().find(kPacketTag);
    const size_t skip = std::min(found, rest().size());
    lost += skip;
    advance(skip);
    if (rest().empty() && ended_) break;
    const Seen seen = rest().empty() ? Seen::need_more : plausible(rest());
    if (seen == Seen::yes) break;
    if (seen == Seen::need_more) {
      LW_RETURN_IF_ERROR(more());
    } else {
      advance(1);
      ++lost;
    }
  }
  ledger_.skipped_bytes += lost;
  ledger_.add_bytes(kind, lost);
  return !rest().empty();
}

Result<bool> PacketReader::next(Packet* packet) {
  for (;;) {
    while (rest().empty() && !ended_) LW_RETURN_IF_ERROR(more());
    if (rest().empty()) return false;
    size_t head = 0, size = 0;
    switch (look(&head, &size)) {
      case Look::packet:
        *packet = {rest().substr(head, size), offset_, head + size};
        advance(head + size);
        return true;
      case Look::other:
        ledger_.structure_bytes += head + size;
        advance(head + size);
        break;
      case Look::need_more: {
        if (!ended_) {
          LW_RETURN_IF_ERROR(more());
          break;
        }
        // Cut inside a packet.
        ++ledger_.truncated;
        ++ledger_.read;
        ++ledger_.dropped;
        ledger_.add("truncated", offset_ + rest().size(), rest().size());
        ledger_.skipped_bytes += rest().size();
        advance(rest().size());
        return false;
      }
      case Look::too_large:
      case Look::damaged: {
        LW_ASSIGN_OR_RETURN(const bool found, resync("bad_packet"));
        if (!found) return false;
        break;
      }
    }
  }
}

}  // namespace lanewise::trace::perfetto

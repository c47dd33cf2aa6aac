// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The packets of a trace, one after the other, with their places. What is no packet is skipped up to the next thing that
// reads as one, and counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "trace/input/byte_source.h"
#include "trace/schema/ledger.h"

namespace lanewise::trace::perfetto {

// Larger packets are skipped and counted.
inline constexpr size_t kMaxPacketBytes = size_t{64} << 20;
// While looking for the next packet after damage, none larger than this is tried.
inline constexpr size_t kMaxCandidateBytes = size_t{1} << 20;

struct Packet {
  std::string_view bytes;  // the TracePacket message; valid until the next call
  uint64_t offset = 0;     // of its tag in the trace
  uint64_t length = 0;     // tag and size included
};

class PacketReader {
 public:
  // `read_bytes`: how much is asked of the source at a time; never changes a result.
  PacketReader(input::ByteSource& source, schema::Ledger& ledger, size_t read_bytes)
      : source_(source), ledger_(ledger), read_bytes_(read_bytes) {}

  // The next packet; false at the end.
  Result<bool> next(Packet* packet);
  uint64_t offset() const { return offset_; }

 private:
  enum class Look { packet, other, need_more, damaged, too_large };
  // What stands at the place where the reader is. Sets the size of a packet's head and of its message.
  Look look(size_t* head, size_t* size) const;
  enum class Seen { no, yes, need_more };
  Status more();  // adds bytes, or sets ended_
  std::string_view rest() const { return std::string_view(buffer_).substr(at_); }
  void advance(size_t n) { at_ += n, offset_ += n; }
  Result<bool> resync(std::string_view kind);
  Seen plausible(std::string_view text) const;

  input::ByteSource& source_;
  schema::Ledger& ledger_;
  const size_t read_bytes_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t offset_ = 0;
  bool ended_ = false;
};

}  // namespace lanewise::trace::perfetto

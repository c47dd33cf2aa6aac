// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// LocalPool: the distinct raw strings that one parser has seen, each cleaned once. The merger maps local ids to those of
// the session's pool in the order of first use, so what thread parsed what leaves no trace.
//
// One thread interns; another may read entries whose ids reached it through a queue: entries never move. A pool that is full
// is replaced by a new one.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "trace/import/kineto_json/text.h"
#include "trace/store/hash.h"

namespace lanewise::trace::kineto_json {

enum class RawKind : uint8_t { string, json };

class LocalPool {
 public:
  struct Entry {
    const char* raw = nullptr;
    const char* text = nullptr;
    uint32_t raw_size = 0, text_size = 0;
    uint8_t problems = 0;  // TextProblem bits
    RawKind kind = RawKind::string;
    std::string_view text_view() const { return {text, text_size}; }
  };

  LocalPool();

  // Of a string: the bytes between the quotes, with the traits that the scanner saw. Of json: its text as it stands.
  uint32_t intern(std::string_view raw, unsigned traits, RawKind kind = RawKind::string) {
    const uint64_t hash = store::hash_bytes(raw.data(), raw.size());
    const uint32_t tag = static_cast<uint32_t>(hash >> 32);
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.id == kEmpty) return add(raw, traits, kind, i, tag);
      if (slot.tag == tag) {
        const Entry& e = entry(slot.id);
        if (e.kind == kind && std::string_view(e.raw, e.raw_size) == raw) return slot.id;   // both may be empty, without bytes
      }
    }
  }
  const Entry& entry(uint32_t id) const { return blocks_[id >> kBlockShift][id & (kBlockEntries - 1)]; }
  uint32_t size() const { return size_; }
  // Time for a new pool, at the next edge between chunks. A single chunk may go beyond: intern() itself never fails.
  bool full() const { return size_ > kMaxEntries / 2 || bytes_ > kMaxBytes; }

 private:
  static constexpr int kBlockShift = 12;
  static constexpr uint32_t kBlockEntries = 1u << kBlockShift;
  static constexpr uint32_t kMaxBlocks = 1u << 12;
  static constexpr uint32_t kMaxEntries = 1u << 17;
  static constexpr size_t kMaxBytes = size_t{8} << 20;
  static constexpr uint32_t kEmpty = ~0u;
  struct Slot {
    uint32_t tag = 0, id = kEmpty;
  };

  uint32_t add(std::string_view raw, unsigned traits, RawKind kind, size_t slot, uint32_t tag);
  const char* keep(std::string_view bytes);
  void grow();

  std::vector<Slot> slots_;
  size_t mask_;
  // A fixed list of blocks, so that a reader never meets one that is being moved.
  std::unique_ptr<std::unique_ptr<Entry[]>[]> blocks_;
  uint32_t size_ = 0;
  std::vector<std::unique_ptr<char[]>> arenas_;
  char* at_ = nullptr;
  size_t left_ = 0, bytes_ = 0;
};

}  // namespace lanewise::trace::kineto_json

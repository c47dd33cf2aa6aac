// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// StringPool: every distinct text of a session once, under a 32-bit id.
//
// Ids count up from 0 in the order of first intern(); the importer interns in file order, so ids do not depend on threads.
// intern() and find() take a lock. text() takes none: an id that reached a reader through a published table stays valid,
// and its bytes never move, until the pool dies.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace lanewise::trace::store {

using StringId = uint32_t;
inline constexpr StringId kNoString = ~StringId{0};  // "there is no text"; the empty text has an id like any other

class StringPool {
 public:
  StringPool();
  ~StringPool();
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;

  StringId intern(std::string_view text);
  // The id of a text that is there, or kNoString.
  StringId find(std::string_view text) const;
  // The bytes (valid UTF-8 where the importer wrote them); "" for kNoString.
  std::string_view text(StringId id) const;

  size_t size() const { return size_.load(std::memory_order_acquire); }
  // Bytes of all texts plus index.
  size_t memory_bytes() const;

 private:
  // Block b holds 1024 << b entries, so that a few places suffice for 2^32 ids and entries never move.
  static constexpr int kFirstBits = 10;
  static constexpr size_t kBlocks = 33 - kFirstBits;
  static size_t block_of(StringId id) { return static_cast<size_t>(std::bit_width((uint64_t{id} >> kFirstBits) + 1) - 1); }
  static size_t block_start(size_t block) { return ((size_t{1} << block) - 1) << kFirstBits; }
  struct Slot {
    uint32_t hash = 0;
    StringId id = kNoString;
  };

  std::string_view entry(StringId id) const;
  const char* keep(std::string_view text);
  void grow();

  mutable std::mutex mutex_;
  std::vector<Slot> slots_;  // open addressing, power of two
  std::array<std::atomic<std::string_view*>, kBlocks> blocks_{};
  std::vector<std::unique_ptr<char[]>> arenas_;
  char* arena_at_ = nullptr;
  size_t arena_left_ = 0;
  size_t arena_bytes_ = 0;
  std::atomic<size_t> size_{0};
};

}  // namespace lanewise::trace::store

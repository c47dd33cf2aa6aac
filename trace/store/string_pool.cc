// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/store/string_pool.h"

#include <algorithm>
#include <cstring>

#include "base/status.h"
#include "trace/store/hash.h"

namespace lanewise::trace::store {
namespace {
constexpr size_t kArenaBytes = size_t{256} << 10;
}

StringPool::StringPool() : slots_(1024) {}

StringPool::~StringPool() {
  for (auto& block : blocks_) delete[] block.load(std::memory_order_relaxed);
}

std::string_view StringPool::entry(StringId id) const {
  const size_t block = block_of(id);
  return blocks_[block].load(std::memory_order_acquire)[id - block_start(block)];
}

std::string_view StringPool::text(StringId id) const {
  if (id == kNoString) return {};
  LW_CHECK(id < size(), "a string id of another pool");
  return entry(id);
}

StringId StringPool::find(std::string_view text) const {
  const uint32_t hash = static_cast<uint32_t>(hash_bytes(text.data(), text.size()));
  std::lock_guard lock(mutex_);
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    if (slots_[i].id == kNoString) return kNoString;
    if (slots_[i].hash == hash && entry(slots_[i].id) == text) return slots_[i].id;
  }
}

StringId StringPool::intern(std::string_view text) {
  const uint32_t hash = static_cast<uint32_t>(hash_bytes(text.data(), text.size()));
  std::lock_guard lock(mutex_);
  size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  for (; slots_[i].id != kNoString; i = (i + 1) & mask) {
    if (slots_[i].hash == hash && entry(slots_[i].id) == text) return slots_[i].id;
  }
  const size_t id = size_.load(std::memory_order_relaxed);
  LW_CHECK(id < kNoString, "more than 2^32 distinct texts");
  const size_t at = block_of(static_cast<StringId>(id));
  auto& block = blocks_[at];
  if (block.load(std::memory_order_relaxed) == nullptr) {
    block.store(new std::string_view[size_t{1} << (at + kFirstBits)], std::memory_order_release);
  }
  block.load(std::memory_order_relaxed)[id - block_start(at)] = {keep(text), text.size()};
  slots_[i] = {hash, static_cast<StringId>(id)};
  size_.store(id + 1, std::memory_order_release);
  if ((id + 1) * 2 > slots_.size()) grow();
  return static_cast<StringId>(id);
}

const char* StringPool::keep(std::string_view text) {
  if (text.size() > arena_left_) {
    // A long text gets its own piece, so that the rest of the current one is not wasted.
    const size_t bytes = std::max(text.size(), kArenaBytes);
    arenas_.emplace_back(new char[bytes]);
    arena_bytes_ += bytes;
    if (bytes > kArenaBytes) {
      std::memcpy(arenas_.back().get(), text.data(), text.size());
      return arenas_.back().get();
    }
    arena_at_ = arenas_.back().get();
    arena_left_ = bytes;
  }
  char* at = arena_at_;
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  arena_at_ += text.size();
  arena_left_ -= text.size();
  return at;
}

void StringPool::grow() {
  std::vector<Slot> bigger(slots_.size() * 2);
  const size_t mask = bigger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.id == kNoString) continue;
    size_t i = slot.hash & mask;
    while (bigger[i].id != kNoString) i = (i + 1) & mask;
    bigger[i] = slot;
  }
  slots_.swap(bigger);
}

size_t StringPool::memory_bytes() const {
  std::lock_guard lock(mutex_);
  const size_t entries = size() == 0 ? 0 : block_start(block_of(static_cast<StringId>(size() - 1)) + 1);
  return arena_bytes_ + slots_.size() * sizeof(Slot) + entries * sizeof(std::string_view);
}

}  // namespace lanewise::trace::store

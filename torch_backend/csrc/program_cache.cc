// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/program_cache.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include <c10/util/Exception.h>

namespace lanewise::torch_backend {
namespace {

constexpr uint64_t kDefaultCapacity = 4096;

uint64_t capacity_from_environment() {
  const char* text = std::getenv("LANEWISE_PROGRAM_CACHE");
  if (text == nullptr) return kDefaultCapacity;
  const std::string_view digits(text);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  TORCH_CHECK_VALUE(error == std::errc() && end == digits.data() + digits.size() && value > 0, "LANEWISE_PROGRAM_CACHE is '",
                    digits, "'; it is the number of programs to keep, 1 or more");
  return value;
}

}  // namespace

void LaunchKey::add(const char* text, size_t length) {
  add(length);
  for (size_t i = 0; i < length; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text + i, std::min<size_t>(8, length - i));
    add(word);
  }
}

uint64_t LaunchKey::hash() const {
  uint64_t h = 0x9e3779b97f4a7c15ull;
  for (uint64_t word : words_) {
    const unsigned __int128 product = static_cast<unsigned __int128>(h ^ word) * 0xd6e8feb86659fd93ull;
    h = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64) ^ (word << 1);
  }
  return h;
}

ProgramCache::ProgramCache() { stats_.capacity = capacity_from_environment(); }

ProgramCache& ProgramCache::instance() {
  static auto* cache = new ProgramCache;   // never destroyed: launches may outlive static destruction
  return *cache;
}

std::shared_ptr<const LaunchPlan> ProgramCache::find(const LaunchKey& key, uint64_t hash) {
  std::lock_guard lock(mutex_);
  auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (it->second->key == key) {
      if (it->second != entries_.begin()) entries_.splice(entries_.begin(), entries_, it->second);
      ++stats_.hits;
      return it->second->plan;
    }
  }
  ++stats_.misses;
  return nullptr;
}

void ProgramCache::insert(const LaunchKey& key, uint64_t hash, std::shared_ptr<const LaunchPlan> plan) {
  std::lock_guard lock(mutex_);
  entries_.push_front({key, hash, std::move(plan)});
  by_hash_.emplace(hash, entries_.begin());
  while (entries_.size() > stats_.capacity) {
    auto oldest = std::prev(entries_.end());
    auto [first, last] = by_hash_.equal_range(oldest->hash);
    for (auto it = first; it != last; ++it) {
      if (it->second == oldest) {
        by_hash_.erase(it);
        break;
      }
    }
    entries_.erase(oldest);
    ++stats_.evictions;
  }
}

void ProgramCache::clear() {
  std::lock_guard lock(mutex_);
  entries_.clear();
  by_hash_.clear();
}

ProgramCache::Stats ProgramCache::stats() const {
  std::lock_guard lock(mutex_);
  Stats out = stats_;
  out.entries = entries_.size();
  return out;
}

}  // namespace lanewise::torch_backend

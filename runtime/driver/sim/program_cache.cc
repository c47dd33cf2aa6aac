// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/program_cache.h"

#include <algorithm>

namespace lanewise::runtime::sim_driver {

std::optional<Nanos> TimingCache::find(uint64_t hash) {
  std::lock_guard lock(mutex_);
  auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return std::nullopt;
  recent_.splice(recent_.begin(), recent_, found->second);
  return found->second->second;
}

void TimingCache::insert(uint64_t hash, Nanos duration) {
  std::lock_guard lock(mutex_);
  if (by_hash_.count(hash)) return;
  recent_.emplace_front(hash, duration);
  by_hash_[hash] = recent_.begin();
  if (recent_.size() > capacity_) {
    by_hash_.erase(recent_.back().first);
    recent_.pop_back();
  }
}

std::shared_ptr<SimExecutable> ProgramCache::find(uint64_t hash) {
  Recent dropped;   // destroyed after the lock: freeing constants takes other locks
  std::lock_guard lock(mutex_);
  auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return nullptr;
  auto executable = found->second.executable.lock();
  if (executable) touch(found->second, executable, dropped);
  return executable;
}

std::shared_ptr<SimExecutable> ProgramCache::insert(std::shared_ptr<SimExecutable> executable) {
  Recent dropped;
  std::lock_guard lock(mutex_);
  Entry& entry = by_hash_[executable->hash()];
  if (auto earlier = entry.executable.lock()) executable = earlier;
  entry.executable = executable;
  touch(entry, executable, dropped);
  if (by_hash_.size() >= sweep_at_) {
    std::erase_if(by_hash_, [](const auto& item) { return item.second.executable.expired(); });
    sweep_at_ = std::max<size_t>(64, 2 * by_hash_.size());
  }
  return executable;
}

void ProgramCache::clear() {
  Recent dropped;
  std::lock_guard lock(mutex_);
  for (auto& [hash, entry] : by_hash_) entry.recent.reset();
  dropped.swap(recent_);
}

void ProgramCache::touch(Entry& entry, const std::shared_ptr<SimExecutable>& executable, Recent& dropped) {
  if (entry.recent) {
    recent_.splice(recent_.begin(), recent_, *entry.recent);
    return;
  }
  recent_.push_front(executable);
  entry.recent = recent_.begin();
  if (recent_.size() <= capacity_) return;
  by_hash_[recent_.back()->hash()].recent.reset();
  dropped.splice(dropped.begin(), recent_, std::prev(recent_.end()));
}

}  // namespace lanewise::runtime::sim_driver

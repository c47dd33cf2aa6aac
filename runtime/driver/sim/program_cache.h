// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Two bounded caches by program hash, least recently used first out. Thread-safe.
//
//   TimingCache   durations, shared by the devices of a driver: they are the same machine
//   ProgramCache  executables of one device. It keeps the recent ones alive, and knows every one that still lives, so
//                 the same hash gives the same object as long as anybody holds it.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/units.h"
#include "runtime/driver/sim/executable.h"

namespace lanewise::runtime::sim_driver {

class TimingCache {
 public:
  explicit TimingCache(size_t capacity) : capacity_(capacity) {}
  std::optional<Nanos> find(uint64_t hash);
  void insert(uint64_t hash, Nanos duration);

 private:
  const size_t capacity_;
  std::mutex mutex_;
  std::list<std::pair<uint64_t, Nanos>> recent_;   // newest first
  std::unordered_map<uint64_t, std::list<std::pair<uint64_t, Nanos>>::iterator> by_hash_;
};

class ProgramCache {
 public:
  explicit ProgramCache(size_t capacity) : capacity_(capacity) {}
  std::shared_ptr<SimExecutable> find(uint64_t hash);
  // Returns the executable that was there first when two threads load one program at once.
  std::shared_ptr<SimExecutable> insert(std::shared_ptr<SimExecutable> executable);
  // Lets go of everything that nobody else holds.
  void clear();

 private:
  using Recent = std::list<std::shared_ptr<SimExecutable>>;
  struct Entry {
    std::weak_ptr<SimExecutable> executable;
    std::optional<Recent::iterator> recent;
  };
  void touch(Entry& entry, const std::shared_ptr<SimExecutable>& executable, Recent& dropped);

  const size_t capacity_;
  std::mutex mutex_;
  Recent recent_;   // newest first
  std::unordered_map<uint64_t, Entry> by_hash_;
  size_t sweep_at_ = 64;   // size of by_hash_ at which entries of dead executables are swept out
};

}  // namespace lanewise::runtime::sim_driver

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Key of an eager launch -> what to do. Bounded, least recently used out first.
#pragma once

#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <c10/util/SmallVector.h>

#include "torch_backend/csrc/launch.h"

namespace lanewise::torch_backend {

// Words that say everything a program depends on, except machine and compiler version, which are fixed in a process.
class LaunchKey {
 public:
  void add(uint64_t word) { words_.push_back(word); }
  void add(const char* text, size_t length);
  uint64_t hash() const;
  bool operator==(const LaunchKey& other) const { return words_ == other.words_; }
  void clear() { words_.clear(); }

 private:
  c10::SmallVector<uint64_t, 64> words_;
};

struct FreshTensor {
  std::vector<int64_t> sizes, strides;
  c10::ScalarType dtype = c10::ScalarType::Float;
};

struct LaunchPlan {
  GraphHandle program;                  // null: nothing to run (all outputs are empty)
  std::vector<FreshTensor> fresh;       // new tensors, in the order of the program's outputs
  std::vector<int32_t> results;         // over the op's returns, lists flattened: number in `fresh`, -1 = undefined
  std::vector<int32_t> list_lengths;    // per return: -1 = a tensor, else a list of that many
  std::string refusal;                  // not empty: the compiler does not serve this; the reason
  std::vector<FreshTensor> resized_out; // out= tensors get these sizes first, and the launch starts again
};

class ProgramCache {
 public:
  struct Stats {
    uint64_t hits = 0, misses = 0, evictions = 0, entries = 0, capacity = 0;
  };

  static ProgramCache& instance();      // capacity: LANEWISE_PROGRAM_CACHE, else 4096 entries

  std::shared_ptr<const LaunchPlan> find(const LaunchKey& key, uint64_t hash);
  void insert(const LaunchKey& key, uint64_t hash, std::shared_ptr<const LaunchPlan> plan);
  void clear();
  Stats stats() const;

 private:
  ProgramCache();
  struct Entry {
    LaunchKey key;
    uint64_t hash;
    std::shared_ptr<const LaunchPlan> plan;
  };
  mutable std::mutex mutex_;
  std::list<Entry> entries_;            // most recent first
  std::unordered_multimap<uint64_t, std::list<Entry>::iterator> by_hash_;
  Stats stats_;
};

}  // namespace lanewise::torch_backend

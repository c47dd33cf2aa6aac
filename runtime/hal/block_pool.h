// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The books of the caching allocator: segments cut into blocks that split and merge. No device, no lock, no waiting.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "runtime/hal/device.h"

namespace lanewise::runtime {

struct Block {
  enum class State : uint8_t { cached, used, pending };   // pending: freed, another queue has not passed it yet
  DeviceAddress address = 0;
  int64_t bytes = 0;
  Queue* queue = nullptr;
  bool small = false;                // of a segment for small requests
  State state = State::cached;
  Block* previous = nullptr;         // neighbours in the segment
  Block* next = nullptr;
  std::vector<Queue*> uses;          // other queues that it was used on
  int open_fences = 0;               // while pending

  bool whole_segment() const { return !previous && !next; }
};

class BlockPool {
 public:
  static constexpr int64_t kAlignment = 512;

  static int64_t round_up(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
  static bool is_small(int64_t rounded_bytes);
  // What to ask the device for, to serve one request.
  static int64_t segment_bytes(int64_t rounded_bytes);

  // Best fit among the cached blocks of the queue, cut to size; null when none is large enough.
  Block* take(int64_t rounded_bytes, Queue* queue);
  // A new segment, cached.
  void add_segment(DeviceAddress address, int64_t bytes, Queue* queue, bool small);
  // Back into the cache; merges with cached neighbours.
  void put_back(Block* block);
  // The used or pending block that holds the address; null if none.
  Block* find(DeviceAddress address) const;

  // Takes the cached whole segments out of the cache, to be given back to the device; they stay known until `forget`.
  std::vector<Block*> take_idle_segments();
  // Every segment, as its first block; for the end.
  std::vector<std::pair<DeviceAddress, int64_t>> segments() const;
  void forget(Block* segment);

  int64_t largest_cached() const;

 private:
  struct Smaller {
    bool operator()(const Block* a, const Block* b) const {
      if (a->small != b->small) return a->small < b->small;
      if (a->queue != b->queue) return std::less<Queue*>()(a->queue, b->queue);
      if (a->bytes != b->bytes) return a->bytes < b->bytes;
      return a->address < b->address;
    }
  };
  void absorb_next(Block* block);

  std::map<DeviceAddress, std::unique_ptr<Block>> blocks_;
  std::set<Block*, Smaller> cached_;
};

}  // namespace lanewise::runtime

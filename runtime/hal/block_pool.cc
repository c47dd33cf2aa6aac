// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/hal/block_pool.h"

#include <algorithm>
#include <utility>

namespace lanewise::runtime {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kSmallRequest = kMiB, kSmallSegment = 2 * kMiB;
constexpr int64_t kMiddleRequest = 10 * kMiB, kMiddleSegment = 20 * kMiB;
constexpr int64_t kLargeRounding = 2 * kMiB;

}  // namespace

bool BlockPool::is_small(int64_t rounded_bytes) { return rounded_bytes <= kSmallRequest; }

int64_t BlockPool::segment_bytes(int64_t rounded_bytes) {
  if (rounded_bytes <= kSmallRequest) return kSmallSegment;
  if (rounded_bytes < kMiddleRequest) return kMiddleSegment;
  return (rounded_bytes + kLargeRounding - 1) / kLargeRounding * kLargeRounding;
}

Block* BlockPool::take(int64_t rounded_bytes, Queue* queue) {
  Block wanted;
  wanted.small = is_small(rounded_bytes);
  wanted.queue = queue;
  wanted.bytes = rounded_bytes;
  auto fit = cached_.lower_bound(&wanted);
  if (fit == cached_.end() || (*fit)->queue != queue || (*fit)->small != wanted.small) return nullptr;
  Block* block = *fit;
  cached_.erase(fit);
  const int64_t rest = block->bytes - rounded_bytes;
  // Small left-overs of a large block would be of no use to large requests.
  if (rest >= (block->small ? kAlignment : kSmallRequest + 1)) {
    auto tail = std::make_unique<Block>();
    tail->address = block->address + static_cast<uintptr_t>(rounded_bytes);
    tail->bytes = rest;
    tail->queue = queue;
    tail->small = block->small;
    tail->previous = block;
    tail->next = block->next;
    if (tail->next) tail->next->previous = tail.get();
    block->next = tail.get();
    block->bytes = rounded_bytes;
    cached_.insert(tail.get());
    blocks_.emplace(tail->address, std::move(tail));
  }
  block->state = Block::State::used;
  return block;
}

void BlockPool::add_segment(DeviceAddress address, int64_t bytes, Queue* queue, bool small) {
  auto block = std::make_unique<Block>();
  block->address = address;
  block->bytes = bytes;
  block->queue = queue;
  block->small = small;
  cached_.insert(block.get());
  blocks_.emplace(address, std::move(block));
}

void BlockPool::absorb_next(Block* block) {
  Block* gone = block->next;
  block->bytes += gone->bytes;
  block->next = gone->next;
  if (block->next) block->next->previous = block;
  blocks_.erase(gone->address);
}

void BlockPool::put_back(Block* block) {
  block->state = Block::State::cached;
  block->uses.clear();
  if (Block* next = block->next; next && next->state == Block::State::cached) {
    cached_.erase(next);
    absorb_next(block);
  }
  if (Block* previous = block->previous; previous && previous->state == Block::State::cached) {
    cached_.erase(previous);
    block = previous;
    absorb_next(block);
  }
  cached_.insert(block);
}

Block* BlockPool::find(DeviceAddress address) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  Block* block = std::prev(after)->second.get();
  if (address - block->address >= static_cast<uintptr_t>(block->bytes)) return nullptr;
  return block->state == Block::State::cached ? nullptr : block;
}

std::vector<Block*> BlockPool::take_idle_segments() {
  std::vector<Block*> idle;
  std::copy_if(cached_.begin(), cached_.end(), std::back_inserter(idle), [](Block* b) { return b->whole_segment(); });
  for (Block* block : idle) cached_.erase(block);
  return idle;
}

std::vector<std::pair<DeviceAddress, int64_t>> BlockPool::segments() const {
  std::vector<std::pair<DeviceAddress, int64_t>> all;
  for (const auto& [address, first] : blocks_) {
    if (first->previous) continue;
    int64_t bytes = 0;
    for (const Block* block = first.get(); block; block = block->next) bytes += block->bytes;
    all.emplace_back(address, bytes);
  }
  return all;
}

void BlockPool::forget(Block* segment) { blocks_.erase(segment->address); }

int64_t BlockPool::largest_cached() const {
  int64_t largest = 0;
  for (const Block* block : cached_) largest = std::max(largest, block->bytes);
  return largest;
}

}  // namespace lanewise::runtime

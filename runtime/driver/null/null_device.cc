// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/null/null_device.h"

#include <cstdlib>
#include <string>

#include "runtime/driver/null/null_executable.h"
#include "runtime/hal/runtime_event.h"

namespace lanewise::runtime::null_driver {
namespace {

constexpr int64_t kAlignment = 512;
// Of host memory. A driver for a chip gives what the chip has.
constexpr int64_t kCapacity = int64_t{1} << 30;

}  // namespace

NullDevice::NullDevice(int index, const machine::Machine& machine)
    : machine_(machine), books_(std::make_shared<Books>(index, kCapacity)),
      default_queue_(std::make_shared<NullQueue>(books_, 0)) {
  queues_.push_back(default_queue_);
}

// The caching allocator stands before this, so it may be slow. Aligned to 512 bytes. Running out says how much was
// wanted, is free, and there is at all.
Result<DeviceAddress> NullDevice::allocate(int64_t bytes) {
  if (bytes < 1) return invalid_argument("an allocation has at least 1 byte, not " + std::to_string(bytes));
  std::lock_guard lock(books_->mutex);
  const int64_t left = books_->capacity - books_->used;
  const int64_t rounded = bytes <= left ? (bytes + kAlignment - 1) / kAlignment * kAlignment : bytes;
  void* block = rounded <= left ? std::aligned_alloc(kAlignment, static_cast<size_t>(rounded)) : nullptr;
  if (!block)
    return resource_exhausted("neuron:" + std::to_string(books_->index) + " has no room for " + std::to_string(bytes) +
                              " bytes: capacity " + std::to_string(books_->capacity) + ", free " + std::to_string(left));
  auto address = reinterpret_cast<DeviceAddress>(block);
  books_->blocks[address] = rounded;
  books_->used += rounded;
  return address;
}

Status NullDevice::free(DeviceAddress address) {
  std::lock_guard lock(books_->mutex);
  auto block = books_->blocks.find(address);
  if (block == books_->blocks.end())
    return invalid_argument("no block of neuron:" + std::to_string(books_->index) + " starts at the address to free");
  books_->used -= block->second;
  books_->blocks.erase(block);
  std::free(reinterpret_cast<void*>(address));
  return ok_status();
}

MemoryInfo NullDevice::memory() const {
  std::lock_guard lock(books_->mutex);
  return {books_->capacity, books_->used};
}

// Verify, then make code and constants resident: this is the one place where that costs, with an nrt_load event. The same
// hash gives the same object as long as somebody holds it; a driver also keeps the recent ones.
Result<std::shared_ptr<Executable>> NullDevice::load(const isa::Program& program, std::string_view) {
  const auto& memory = machine_.memory;
  const uint64_t hash = isa::program_hash(program);
  std::lock_guard lock(mutex_);
  std::erase_if(programs_, [](const auto& entry) { return entry.second.expired(); });
  if (auto known = programs_[hash].lock()) return known;
  CallEvent call(trace::record::EventKind::nrt_load, books_->index);
  if (call.on()) {
    call.event.program_hash = hash;
    call.event.name = trace::record::intern(program.name);
  }
  LW_RETURN_IF_ERROR(isa::verify(program, {memory.sbuf_partition_bytes, memory.psum_banks * memory.psum_bank_bytes})
                         .with_context("program " + program.name));
  std::shared_ptr<Executable> loaded = std::make_shared<NullExecutable>(program, hash, books_->index);
  programs_[hash] = loaded;
  return loaded;
}

// Ids are stream numbers of a profile: small, and not those of a living queue.
Result<std::shared_ptr<Queue>> NullDevice::create_queue() {
  std::lock_guard lock(mutex_);
  size_t id = 0;
  while (id < queues_.size() && !queues_[id].expired()) ++id;
  auto queue = std::make_shared<NullQueue>(books_, static_cast<int>(id));
  if (id == queues_.size()) queues_.emplace_back();
  queues_[id] = queue;
  return std::shared_ptr<Queue>(queue);
}

Status NullDevice::synchronize() {
  std::lock_guard lock(mutex_);
  Status first;
  for (const auto& entry : queues_) {
    auto queue = entry.lock();
    Status status = queue ? queue->synchronize() : ok_status();
    if (first.ok()) first = std::move(status);
  }
  return first;
}

}  // namespace lanewise::runtime::null_driver

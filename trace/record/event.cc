// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/event.h"

#include <array>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "base/status.h"

namespace lanewise::trace::record {
namespace {

constexpr std::array<std::string_view, kEventKindCount> kNames = {
    "nrt_tensor_allocate", "nrt_tensor_free", "nrt_tensor_write",      "nrt_tensor_read", "nrt_tensor_copy",
    "nrt_load",            "nrta_execute_schedule", "nrt_synchronize", "queue_full",      "compile",
    "host_fallback",       "nc_exec_running", "dma_h2d",               "dma_d2h",         "dma_d2d",
    "dma_fill",            "sim_lag"};

std::atomic<uint64_t> g_last_launch_id{0};

// Texts live in chunks that never move, so that reading one takes no lock. Finding an id takes a shared lock of one of
// the shards; only a new text takes the exclusive one.
class InternTable {
 public:
  InternTable() {
    const uint32_t empty = append("");
    LW_CHECK(empty == 0, "id 0 is the empty text");
  }

  uint32_t id_of(std::string_view text) {
    if (text.empty()) return 0;
    Shard& shard = shards_[std::hash<std::string_view>{}(text) % kShards];
    {
      std::shared_lock lock(shard.mutex);
      if (auto found = shard.ids.find(text); found != shard.ids.end()) return found->second;
    }
    std::unique_lock lock(shard.mutex);
    if (auto found = shard.ids.find(text); found != shard.ids.end()) return found->second;
    const uint32_t id = append(text);
    if (id != kTooManyId) shard.ids.emplace(text_of(id), id);
    return id;
  }

  std::string_view text_of(uint32_t id) const {
    if (id == kTooManyId) return "(too many names)";
    if (id / kChunk >= kChunks) return "";
    const Chunk* chunk = chunks_[id / kChunk].load(std::memory_order_acquire);
    return chunk ? std::string_view((*chunk)[id % kChunk]) : std::string_view();
  }

 private:
  static constexpr uint32_t kShards = 16, kChunk = 1024, kChunks = 4096;
  static constexpr uint32_t kTooManyId = kChunk * kChunks - 1;
  using Chunk = std::array<std::string, kChunk>;

  uint32_t append(std::string_view text) {
    std::lock_guard lock(append_mutex_);
    if (next_ == kTooManyId) return kTooManyId;
    const uint32_t id = next_++;
    std::atomic<Chunk*>& slot = chunks_[id / kChunk];
    Chunk* chunk = slot.load(std::memory_order_relaxed);
    if (chunk == nullptr) {
      chunk = new Chunk;
      slot.store(chunk, std::memory_order_release);
    }
    // A reader has an id only after this function returned it through a lock of a shard or a caller's own
    // synchronisation, so that the text below is complete when it is read.
    (*chunk)[id % kChunk] = std::string(text);
    return id;
  }

  struct Shard {
    std::shared_mutex mutex;
    std::unordered_map<std::string_view, uint32_t> ids;
  };
  std::array<Shard, kShards> shards_;
  std::mutex append_mutex_;
  uint32_t next_ = 0;
  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
};

// Never destroyed: threads may name things while the process ends.
InternTable& table() {
  static InternTable* const instance = new InternTable;
  return *instance;
}

}  // namespace

std::string_view event_kind_name(EventKind kind) {
  const auto i = static_cast<size_t>(kind);
  LW_CHECK(i < kNames.size(), "unknown event kind " + std::to_string(i));
  return kNames[i];
}

uint64_t new_launch_id() { return g_last_launch_id.fetch_add(1, std::memory_order_relaxed) + 1; }
uint64_t last_launch_id() { return g_last_launch_id.load(std::memory_order_relaxed); }

uint32_t intern(std::string_view text) { return table().id_of(text); }
std::string_view interned(uint32_t id) { return table().text_of(id); }

}  // namespace lanewise::trace::record

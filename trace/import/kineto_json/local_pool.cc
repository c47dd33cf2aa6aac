// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/local_pool.h"

#include <algorithm>

#include "base/status.h"

namespace lanewise::trace::kineto_json {
namespace {
constexpr size_t kArenaBytes = size_t{64} << 10;
}

LocalPool::LocalPool() : slots_(2048), mask_(slots_.size() - 1), blocks_(new std::unique_ptr<Entry[]>[kMaxBlocks]) {}

const char* LocalPool::keep(std::string_view bytes) {
  if (bytes.size() > left_) {
    const size_t size = std::max(bytes.size(), kArenaBytes);
    arenas_.emplace_back(new char[size]);
    bytes_ += size;
    at_ = arenas_.back().get();
    left_ = size;
  }
  char* to = at_;
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  at_ += bytes.size();
  left_ -= bytes.size();
  return to;
}

uint32_t LocalPool::add(std::string_view raw, unsigned traits, RawKind kind, size_t slot, uint32_t tag) {
  const uint32_t id = size_++;
  LW_CHECK((id >> kBlockShift) < kMaxBlocks, "a chunk with more distinct texts than it can have bytes");
  auto& block = blocks_[id >> kBlockShift];
  if (block == nullptr) block.reset(new Entry[kBlockEntries]);
  Entry& e = block[id & (kBlockEntries - 1)];
  e.kind = kind;
  e.raw = keep(raw);
  e.raw_size = static_cast<uint32_t>(raw.size());
  if (kind == RawKind::json) {
    const std::string text = compact_json(raw);
    uint8_t ignored = 0;  // the parser has counted the problems of the whole value already
    const std::string clean = traits != 0 ? clean_text(text, &ignored) : std::string();
    const std::string_view best = ignored & kInvalidUtf8 ? std::string_view(clean) : std::string_view(text);
    e.text = best == raw ? e.raw : keep(best);
    e.text_size = static_cast<uint32_t>(best.size());
  } else if (traits == 0) {
    e.text = e.raw;
    e.text_size = e.raw_size;
  } else {
    const std::string text = clean_text(raw, &e.problems);
    e.text = text == raw ? e.raw : keep(text);
    e.text_size = static_cast<uint32_t>(text.size());
  }
  slots_[slot] = {tag, id};
  if (size_ * 2 > slots_.size()) grow();
  return id;
}

void LocalPool::grow() {
  std::vector<Slot> bigger(slots_.size() * 2);
  mask_ = bigger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.id == kEmpty) continue;
    const Entry& e = entry(slot.id);
    size_t i = store::hash_bytes(e.raw, e.raw_size) & mask_;
    while (bigger[i].id != kEmpty) i = (i + 1) & mask_;
    bigger[i] = slot;
  }
  slots_.swap(bigger);
}

}  // namespace lanewise::trace::kineto_json

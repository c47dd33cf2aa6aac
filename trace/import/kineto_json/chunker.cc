// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/chunker.h"

#include <algorithm>
#include <cstring>

#include "trace/import/kineto_json/event_start.h"

namespace lanewise::trace::kineto_json {
namespace {
// A piece of text without any place to cut grows to this size, then is handed on without a guess. Several are on the way at
// once, so it bounds memory; values that are larger still are put together by the merger.
constexpr size_t kMaxChunk = size_t{8} << 20;
}  // namespace

Chunker::Chunker(input::ByteSource& source, size_t chunk_bytes, std::vector<uint64_t> cuts)
    : source_(source), chunk_bytes_(std::max<size_t>(chunk_bytes, 1)), cuts_(std::move(cuts)) {}

void Chunker::reserve(Chunk* chunk, size_t size) {
  if (chunk->capacity >= size + kPadding) return;
  std::unique_ptr<char[]> bigger(new char[size + kPadding]);
  if (chunk->size > 0) std::memcpy(bigger.get(), chunk->buffer.get(), chunk->size);
  chunk->buffer = std::move(bigger);
  chunk->capacity = size + kPadding;
}

void Chunker::pad(Chunk* chunk) { std::memset(chunk->buffer.get() + chunk->size, '"', kPadding); }

Result<bool> Chunker::fill(Chunk* chunk, size_t size) {
  reserve(chunk, size);
  while (chunk->size < size) {
    LW_ASSIGN_OR_RETURN(const size_t got, source_.read(chunk->buffer.get() + chunk->size, size - chunk->size));
    if (got == 0) return true;
    chunk->size += got;
  }
  return false;
}

Result<Chunk> Chunker::next() {
  Chunk chunk;
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      chunk = std::move(free_.back());
      free_.pop_back();
    }
  }
  chunk.size = 0;
  chunk.offset = offset_;
  chunk.index = index_++;
  chunk.guessed = guessed_;
  chunk.last = false;
  reserve(&chunk, carry_.size() + chunk_bytes_);
  std::memcpy(chunk.buffer.get(), carry_.data(), carry_.size());
  chunk.size = carry_.size();
  carry_.clear();

  size_t wanted = std::max(chunk.size, chunk_bytes_);
  size_t cut = 0;
  for (;;) {
    if (!ended_) {
      LW_ASSIGN_OR_RETURN(ended_, fill(&chunk, wanted));
    }
    cut = cut_of(chunk, ended_);
    if (cut > 0 || ended_ || chunk.size >= kMaxChunk) break;
    wanted = chunk.size + std::max(chunk.size, chunk_bytes_);
  }
  guessed_ = cut > 0;
  if (cut > 0) {
    carry_.assign(chunk.buffer.get() + cut, chunk.size - cut);
    chunk.size = cut;
  } else {
    chunk.last = ended_;
  }
  pad(&chunk);
  offset_ += chunk.size;
  if (chunk.index == 0) {
    const std::string_view text = chunk.text();
    const size_t at = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    first_byte_ = at == text.npos ? '\0' : text[at];
  }
  return chunk;
}

// Where the chunk ends and the next one starts, or 0 to keep it whole.
size_t Chunker::cut_of(const Chunk& chunk, bool ended) const {
  if (!cuts_.empty()) {
    const auto at = std::upper_bound(cuts_.begin(), cuts_.end(), chunk.offset);
    return at != cuts_.end() && *at < chunk.offset + chunk.size ? static_cast<size_t>(*at - chunk.offset) : 0;
  }
  if (ended && chunk.size <= chunk_bytes_) return 0;
  const size_t at = last_event_start(chunk.text());
  return at == std::string_view::npos ? 0 : at;
}

void Chunker::recycle(Chunk chunk) {
  // A buffer that grew for a huge event goes back to the system.
  if (chunk.capacity > 4 * chunk_bytes_ + kPadding) return;
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(chunk));
}

}  // namespace lanewise::trace::kineto_json

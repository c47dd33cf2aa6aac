// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Chunker: cuts a stream of bytes into chunks, each in one piece of memory, at places where an event very likely starts. A
// wrong guess costs time, never a result (see chunk.h). Buffers come back through recycle().
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "trace/import/kineto_json/chunk.h"
#include "trace/input/byte_source.h"

namespace lanewise::trace::kineto_json {

class Chunker {
 public:
  // `cuts`: exactly these places instead of guesses (tests); ascending.
  Chunker(input::ByteSource& source, size_t chunk_bytes, std::vector<uint64_t> cuts = {});

  // The next chunk; the last one has `last` set and may be empty. One thread at a time.
  Result<Chunk> next();
  // Any thread.
  void recycle(Chunk chunk);

  // The first byte of the text that is no blank, once the first chunk is there.
  char first_byte() const { return first_byte_; }

  // A buffer for `size` bytes of text and their padding.
  static void reserve(Chunk* chunk, size_t size);
  // Writes the padding behind the text.
  static void pad(Chunk* chunk);

 private:
  Result<bool> fill(Chunk* chunk, size_t size);  // true: the source has ended
  size_t cut_of(const Chunk& chunk, bool ended) const;

  input::ByteSource& source_;
  const size_t chunk_bytes_;
  const std::vector<uint64_t> cuts_;
  uint64_t offset_ = 0, index_ = 0;
  std::string carry_;
  bool guessed_ = false, ended_ = false;
  char first_byte_ = 0;
  std::mutex mutex_;
  std::vector<Chunk> free_;
};

}  // namespace lanewise::trace::kineto_json

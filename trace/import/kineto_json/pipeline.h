// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Pipeline: one thread reads and cuts, some parse, the caller gets the results in file order. With no threads the caller
// does it all. Memory is bounded: a fixed number of chunks is on the way.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/status.h"
#include "trace/import/kineto_json/chunk.h"
#include "trace/import/kineto_json/chunker.h"
#include "trace/import/kineto_json/parser.h"

namespace lanewise::trace::kineto_json {

struct ParsedChunk {
  Chunk chunk;
  State assumed;
  ChunkResult result;
  bool parsed = false;
};

class Pipeline {
 public:
  using MakeParser = std::function<std::unique_ptr<Parser>()>;
  // `parsers` = 0: everything on the caller's thread.
  Pipeline(Chunker& chunker, int parsers, MakeParser make_parser);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // The next chunk in file order. After the one with chunk.last set there is none.
  Result<std::unique_ptr<ParsedChunk>> next();
  // Gives memory back for the chunks to come.
  void recycle(std::unique_ptr<ParsedChunk> chunk);

 private:
  Result<std::unique_ptr<ParsedChunk>> read_one();
  void read_all();
  void parse_all();

  Chunker& chunker_;
  const MakeParser make_parser_;
  size_t limit_ = 0;
  std::unique_ptr<Parser> own_parser_;
  std::vector<std::thread> threads_;

  std::mutex mutex_;
  std::condition_variable wake_reader_, wake_parser_, wake_caller_;
  std::deque<std::unique_ptr<ParsedChunk>> waiting_;                // read, not parsed
  std::map<uint64_t, std::unique_ptr<ParsedChunk>> done_;           // parsed, by index
  std::vector<std::unique_ptr<ParsedChunk>> free_;
  size_t on_the_way_ = 0;
  uint64_t next_index_ = 0;
  bool stop_ = false;
  bool read_to_end_ = false;
  Status failure_;
};

}  // namespace lanewise::trace::kineto_json

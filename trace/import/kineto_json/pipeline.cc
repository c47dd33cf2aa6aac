// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/pipeline.h"

#include <utility>

namespace lanewise::trace::kineto_json {

Pipeline::Pipeline(Chunker& chunker, int parsers, MakeParser make_parser)
    : chunker_(chunker), make_parser_(std::move(make_parser)), limit_(static_cast<size_t>(2 * parsers + 3)) {
  if (parsers == 0) {
    own_parser_ = make_parser_();
    return;
  }
  threads_.emplace_back([this] { read_all(); });
  for (int i = 0; i < parsers; ++i) threads_.emplace_back([this] { parse_all(); });
}

Pipeline::~Pipeline() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_reader_.notify_all();
  wake_parser_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Result<std::unique_ptr<ParsedChunk>> Pipeline::read_one() {
  std::unique_ptr<ParsedChunk> parsed;
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      parsed = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (parsed == nullptr) parsed = std::make_unique<ParsedChunk>();
  auto chunk = chunker_.next();
  if (!chunk.ok()) return chunk.status();
  parsed->chunk = std::move(*chunk);
  parsed->parsed = false;
  parsed->assumed = {};
  if (parsed->chunk.guessed) {
    const bool object = chunker_.first_byte() == '{';
    parsed->assumed = State::guess(object ? State::Container::object : State::Container::array);
  }
  return parsed;
}

void Pipeline::read_all() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_reader_.wait(lock, [&] { return stop_ || on_the_way_ < limit_; });
      if (stop_) return;
      ++on_the_way_;
    }
    auto parsed = read_one();
    std::lock_guard lock(mutex_);
    if (!parsed.ok()) {
      failure_ = parsed.status();
      stop_ = true;
      wake_parser_.notify_all();
      wake_caller_.notify_all();
      return;
    }
    const bool last = (*parsed)->chunk.last;
    // Without a guess only the walk that arrives there knows where it stands: the caller's.
    if ((*parsed)->chunk.guessed || (*parsed)->chunk.index == 0) {
      waiting_.push_back(std::move(*parsed));
      wake_parser_.notify_one();
    } else {
      const uint64_t index = (*parsed)->chunk.index;
      done_.emplace(index, std::move(*parsed));
      wake_caller_.notify_one();
    }
    if (last) {
      read_to_end_ = true;
      wake_parser_.notify_all();
      return;
    }
  }
}

void Pipeline::parse_all() {
  const std::unique_ptr<Parser> parser = make_parser_();
  for (;;) {
    std::unique_ptr<ParsedChunk> parsed;
    {
      std::unique_lock lock(mutex_);
      wake_parser_.wait(lock, [&] { return stop_ || !waiting_.empty() || read_to_end_; });
      if (stop_ || waiting_.empty()) return;
      parsed = std::move(waiting_.front());
      waiting_.pop_front();
    }
    parser->parse(parsed->chunk, parsed->assumed, &parsed->result);
    parsed->parsed = true;
    std::lock_guard lock(mutex_);
    const uint64_t index = parsed->chunk.index;
    done_.emplace(index, std::move(parsed));
    wake_caller_.notify_one();
  }
}

Result<std::unique_ptr<ParsedChunk>> Pipeline::next() {
  if (threads_.empty()) {
    auto parsed = read_one();
    if (!parsed.ok()) return parsed;
    ParsedChunk& p = **parsed;
    if (p.chunk.guessed || p.chunk.index == 0) {
      own_parser_->parse(p.chunk, p.assumed, &p.result);
      p.parsed = true;
    }
    return parsed;
  }
  std::unique_lock lock(mutex_);
  wake_caller_.wait(lock, [&] { return !failure_.ok() || done_.contains(next_index_); });
  if (!failure_.ok()) return failure_;
  auto at = done_.find(next_index_++);
  std::unique_ptr<ParsedChunk> parsed = std::move(at->second);
  done_.erase(at);
  return parsed;
}

void Pipeline::recycle(std::unique_ptr<ParsedChunk> parsed) {
  chunker_.recycle(std::move(parsed->chunk));
  parsed->chunk = {};
  parsed->result.clear();
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(parsed));
  if (on_the_way_ > 0) --on_the_way_;
  wake_reader_.notify_one();
}

}  // namespace lanewise::trace::kineto_json

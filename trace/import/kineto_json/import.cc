// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/import.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "trace/import/kineto_json/chunker.h"
#include "trace/import/kineto_json/header.h"
#include "trace/import/kineto_json/merger.h"
#include "trace/import/kineto_json/pairing.h"
#include "trace/import/kineto_json/pipeline.h"

namespace lanewise::trace::kineto_json {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProgressEvery = std::chrono::milliseconds(100);
// Below this size as stored, starting threads costs more than they gain.
constexpr uint64_t kSmallFile = 64 << 10;

int parser_threads(const schema::ImportOptions& options, const input::ByteSource& source) {
  int threads = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  if (threads <= 1 || (options.threads <= 0 && source.stored_bytes_total() < kSmallFile)) return 0;
  return threads;
}

// Calls back at most ten times a second; false = cancelled.
class Reporter {
 public:
  Reporter(const schema::ImportOptions& options, const input::ByteSource& source, Merger& merger)
      : options_(options), source_(source), merger_(merger) {}

  bool report(uint64_t text_bytes) {
    if (options_.publish && merger_.builder().rows() >= published_ + store::kSegmentRows) {
      published_ = merger_.builder().rows();
      options_.publish(merger_.builder().publish());
    }
    if (!options_.progress) return true;
    const auto now = Clock::now();
    if (now < next_) return true;
    next_ = now + kProgressEvery;
    return options_.progress({source_.stored_bytes_done(), source_.stored_bytes_total(), text_bytes,
                              merger_.builder().rows()});
  }

 private:
  const schema::ImportOptions& options_;
  const input::ByteSource& source_;
  Merger& merger_;
  size_t published_ = 0;
  Clock::time_point next_ = Clock::now() + kProgressEvery;
};

constexpr size_t kSmallChunk = 64 << 10, kChunksOfAFile = 16;

}  // namespace

bool looks_like_json(std::string_view first_bytes) {
  if (first_bytes.starts_with("\xef\xbb\xbf")) first_bytes.remove_prefix(3);
  const size_t at = first_bytes.find_first_not_of(" \t\r\n");
  return at != first_bytes.npos && (first_bytes[at] == '{' || first_bytes[at] == '[');
}

Result<schema::TraceFile> import_json(input::ByteSource& source, store::StringPool& strings,
                                      const schema::Producers& producers, const schema::ImportOptions& options,
                                      const Tuning& tuning) {
  const auto make = [&] { return tuning.scalar ? make_scalar_parser() : make_parser(); };
  // A small file needs no large chunks, whose number on the way is fixed.
  const size_t enough = std::max<size_t>(kSmallChunk, source.stored_bytes_total() / kChunksOfAFile);
  Chunker chunker(source, std::min(options.chunk_bytes, enough), tuning.cuts);
  const std::unique_ptr<Parser> walker = make();
  Merger merger(strings, producers, *walker);
  schema::TraceFile file;
  uint64_t text_bytes = 0;
  size_t largest_chunk = 0;
  {
    Pipeline pipeline(chunker, parser_threads(options, source), make);
    Reporter reporter(options, source, merger);
    for (bool last = false; !last;) {
      LW_ASSIGN_OR_RETURN(std::unique_ptr<ParsedChunk> parsed, pipeline.next());
      text_bytes += parsed->chunk.size;
      largest_chunk = std::max(largest_chunk, parsed->chunk.capacity);
      last = parsed->chunk.last;
      LW_RETURN_IF_ERROR(merger.add(parsed->chunk, parsed->assumed, parsed->parsed ? &parsed->result : nullptr));
      pipeline.recycle(std::move(parsed));
      if (!reporter.report(text_bytes)) return Status(StatusCode::cancelled, "import cancelled");
    }
  }
  if (tuning.wrong_guesses != nullptr) *tuning.wrong_guesses = merger.wrong_guesses();
  if (tuning.largest_buffer != nullptr) *tuning.largest_buffer = std::max(largest_chunk, merger.largest_rest());

  schema::Ledger& ledger = merger.ledger();
  ledger.input_bytes = text_bytes;
  if (const input::SourceEnd end = source.end(); !end.reason.empty()) {
    ledger.add(end.reason, end.stored_offset, 0);
    // A cut stream also cuts the text: one place, not two.
    if (end.reason != "trailing_bytes" && ledger.truncated == 0) ++ledger.truncated;
  }
  if (ledger.kept == 0 && !merger.saw_events_array()) {
    return data_loss(text_bytes == 0 ? "the file is empty" : "the file holds no trace events");
  }
  pair_begin_end(merger.builder(), ledger);
  file.format = "kineto_json";
  file.compression = source.compression();
  file.file_bytes = source.stored_bytes_total();
  file.file_mtime_ns = source.mtime_ns();
  file.events = merger.builder().publish();
  file.ledger = std::move(ledger);
  file.metadata = std::move(merger.metadata());
  file.producers.assign(merger.producers().begin(), merger.producers().end());
  read_header(&file);
  if (options.publish) options.publish(file.events);
  return file;
}

}  // namespace lanewise::trace::kineto_json

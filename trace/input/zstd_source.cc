// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/input/zstd_source.h"

#include <zstd.h>

#include <vector>

namespace lanewise::trace::input {
namespace {

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(std::shared_ptr<StoredFile> file)
      : file_(std::move(file)), buffer_(ZSTD_DStreamInSize()), stream_(ZSTD_createDStream()) {
    LW_CHECK(stream_ != nullptr, "zstd has no memory");
    total_ = file_->size();
    mtime_ns_ = file_->mtime_ns();
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  std::string_view compression() const override { return "zstd"; }
  SourceEnd end() const override { return end_; }

  Result<size_t> read(char* to, size_t n) override {
    ZSTD_outBuffer out{to, n, 0};
    while (out.pos < out.size && !ended_) {
      bool at_end = false;
      if (in_.pos == in_.size) {
        auto got = file_->read_at(stored_, buffer_.data(), buffer_.size());
        if (!got.ok()) return got;
        stored_ += *got;
        done_.store(stored_, std::memory_order_relaxed);
        in_ = {buffer_.data(), *got, 0};
        at_end = *got == 0;
      }
      if (at_end && frame_done_) {
        ended_ = true;
        break;
      }
      const size_t before = out.pos;
      const size_t hint = ZSTD_decompressStream(stream_, &out, &in_);
      if (ZSTD_isError(hint)) {
        // Between frames it is no damage of what was read.
        finish(frame_done_ && stored_ > in_.size - in_.pos && out.pos == before && any_frame_ ? "trailing_bytes"
                                                                                             : "damaged_compression");
        break;
      }
      frame_done_ = hint == 0;
      any_frame_ |= frame_done_;
      if (at_end && out.pos == before && !frame_done_) finish("truncated_compression");
    }
    return out.pos;
  }

 private:
  void finish(std::string_view reason) {
    ended_ = true;
    end_ = {reason, stored_ - (in_.size - in_.pos)};
  }

  const std::shared_ptr<StoredFile> file_;
  std::vector<char> buffer_;
  ZSTD_DStream* const stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  uint64_t stored_ = 0;
  bool frame_done_ = false, any_frame_ = false, ended_ = false;
  SourceEnd end_;
};

}  // namespace

std::unique_ptr<ByteSource> zstd_source(std::shared_ptr<StoredFile> file) {
  return std::make_unique<ZstdSource>(std::move(file));
}

}  // namespace lanewise::trace::input

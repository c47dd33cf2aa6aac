// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/input/gzip_source.h"

#include <algorithm>
#include <vector>

#if LANEWISE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

namespace lanewise::trace::input {
namespace {

constexpr size_t kInputBytes = size_t{256} << 10;

enum class Step { progress, member_end, damage };

// One gzip member at a time, behind whichever library there is.
class Inflater {
 public:
  Inflater() { start(); }
#if LANEWISE_ISAL
  void start() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }
  Step step(const uint8_t*& in, size_t& in_left, uint8_t*& out, size_t& out_left) {
    state_.next_in = const_cast<uint8_t*>(in);
    state_.avail_in = static_cast<uint32_t>(in_left);
    state_.next_out = out;
    state_.avail_out = static_cast<uint32_t>(std::min<size_t>(out_left, size_t{1} << 30));
    const uint32_t given = state_.avail_out;
    const int result = isal_inflate(&state_);
    in = state_.next_in, in_left = state_.avail_in;
    out = state_.next_out, out_left -= given - state_.avail_out;
    if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT) return Step::damage;
    return state_.block_state == ISAL_BLOCK_FINISH ? Step::member_end : Step::progress;
  }

 private:
  struct inflate_state state_;
#else
  ~Inflater() { inflateEnd(&state_); }
  void start() {
    if (open_) inflateEnd(&state_);
    state_ = {};
    open_ = inflateInit2(&state_, 15 + 16) == Z_OK;
    LW_CHECK(open_, "zlib has no memory");
  }
  Step step(const uint8_t*& in, size_t& in_left, uint8_t*& out, size_t& out_left) {
    state_.next_in = const_cast<uint8_t*>(in);
    state_.avail_in = static_cast<uInt>(in_left);
    state_.next_out = out;
    state_.avail_out = static_cast<uInt>(std::min<size_t>(out_left, size_t{1} << 30));
    const uInt given = state_.avail_out;
    const int result = inflate(&state_, Z_NO_FLUSH);
    in = state_.next_in, in_left = state_.avail_in;
    out = state_.next_out, out_left -= given - state_.avail_out;
    if (result == Z_STREAM_END) return Step::member_end;
    return result == Z_OK || result == Z_BUF_ERROR ? Step::progress : Step::damage;
  }

 private:
  z_stream state_{};
  bool open_ = false;
#endif
};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::shared_ptr<StoredFile> file) : file_(std::move(file)), buffer_(kInputBytes) {
    total_ = file_->size();
    mtime_ns_ = file_->mtime_ns();
  }

  std::string_view compression() const override { return "gzip"; }
  SourceEnd end() const override { return end_; }

  Result<size_t> read(char* to, size_t n) override {
    uint8_t* out = reinterpret_cast<uint8_t*>(to);
    size_t left = n;
    while (left > 0 && !ended_) {
      if (between_members_) {
        LW_RETURN_IF_ERROR(next_member());
        continue;
      }
      if (in_left_ == 0) {
        LW_ASSIGN_OR_RETURN(const size_t got, refill());
        // At the end of the file the library may still hold output: one more step tells.
        if (got == 0) {
          const size_t before = left;
          const Step step = inflater_.step(in_, in_left_, out, left);
          if (step == Step::member_end) between_members_ = true;
          else if (step == Step::damage) finish("damaged_compression");
          else if (left == before) finish("truncated_compression");
          continue;
        }
      }
      const Step step = inflater_.step(in_, in_left_, out, left);
      if (step == Step::member_end) between_members_ = true;
      if (step == Step::damage) finish("damaged_compression");
    }
    return n - left;
  }

 private:
  uint64_t position() const { return stored_ - in_left_; }

  Result<size_t> refill() {
    // Keeps what is left, so that the two bytes of a header may lie across two reads.
    std::copy(in_, in_ + in_left_, buffer_.data());
    in_ = buffer_.data();
    auto got = file_->read_at(stored_, reinterpret_cast<char*>(buffer_.data() + in_left_), buffer_.size() - in_left_);
    if (!got.ok()) return got;
    stored_ += *got;
    in_left_ += *got;
    done_.store(stored_, std::memory_order_relaxed);
    return got;
  }

  Status next_member() {
    if (in_left_ < 2) {
      if (auto got = refill(); !got.ok()) return got.status();
    }
    if (in_left_ == 0) {
      finish("");
    } else if (in_left_ >= 2 && in_[0] == 0x1f && in_[1] == 0x8b) {
      inflater_.start();
      between_members_ = false;
    } else {
      finish("trailing_bytes");
    }
    return ok_status();
  }

  void finish(std::string_view reason) {
    ended_ = true;
    if (!reason.empty()) end_ = {reason, position()};
  }

  const std::shared_ptr<StoredFile> file_;
  std::vector<uint8_t> buffer_;
  const uint8_t* in_ = nullptr;
  size_t in_left_ = 0;
  uint64_t stored_ = 0;  // bytes of the file that were read into the buffer
  Inflater inflater_;
  bool between_members_ = false;
  bool ended_ = false;
  SourceEnd end_;
};

}  // namespace

std::unique_ptr<ByteSource> gzip_source(std::shared_ptr<StoredFile> file) {
  return std::make_unique<GzipSource>(std::move(file));
}

}  // namespace lanewise::trace::input

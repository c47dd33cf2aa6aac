// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Random access to gzip: deflate may only be entered at the edge of one of its blocks, with the bit position there and the
// 32 KiB of text before it. zlib stops at such edges when asked (Z_BLOCK); a point is kept at the first edge after every
// kPointBytes of text, and at the start of every member.
#include "trace/input/gzip_ranges.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace lanewise::trace::input {
namespace {

constexpr size_t kWindow = 32 << 10;
constexpr size_t kInput = 128 << 10;

struct Point {
  uint64_t text = 0;    // offset of the next byte of text
  uint64_t stored = 0;  // offset of the next whole byte of the file
  int bits = 0;         // of the byte before it that belong to the next block
  bool member_start = false;
  std::string window;
};

class GzipRanges : public RangeReader {
 public:
  explicit GzipRanges(std::shared_ptr<StoredFile> file) : file_(std::move(file)), input_(kInput) {
    points_.push_back({.member_start = true});
  }
  ~GzipRanges() override { close(); }

  Result<std::string> read(uint64_t offset, size_t length) override {
    LW_RETURN_IF_ERROR(file_->unchanged());
    LW_RETURN_IF_ERROR(seek(offset));
    std::string text(length, '\0');
    LW_RETURN_IF_ERROR(inflate_to(offset, text.data(), length));
    return text;
  }

 private:
  void close() {
    if (open_) inflateEnd(&stream_);
    open_ = false;
  }

  // Makes sure that the stream stands at or before `offset`, as near as the points allow.
  Status seek(uint64_t offset) {
    auto point = std::upper_bound(points_.begin(), points_.end(), offset,
                                  [](uint64_t value, const Point& p) { return value < p.text; });
    --point;
    if (open_ && at_ <= offset && at_ >= point->text) return ok_status();
    close();
    stream_ = {};
    if (inflateInit2(&stream_, point->member_start ? 15 + 16 : -15) != Z_OK) {
      return resource_exhausted("no memory to inflate " + file_->path());
    }
    open_ = true;
    raw_ = !point->member_start;
    at_ = point->text;
    stored_ = point->stored;
    recent_.assign(point->window);
    if (raw_) {
      if (point->bits > 0) {
        char byte = 0;
        LW_ASSIGN_OR_RETURN(const size_t got, file_->read_at(stored_ - 1, &byte, 1));
        if (got != 1) return data_loss(file_->path() + " ends inside its compressed stream");
        inflatePrime(&stream_, point->bits, static_cast<unsigned char>(byte) >> (8 - point->bits));
      }
      inflateSetDictionary(&stream_, reinterpret_cast<const Bytef*>(point->window.data()),
                           static_cast<uInt>(point->window.size()));
    }
    return ok_status();
  }

  // Inflates up to offset + length; bytes from `offset` on go to `to`.
  Status inflate_to(uint64_t offset, char* to, size_t length) {
    std::vector<char> block(64 << 10);
    const uint64_t end = offset + length;
    while (at_ < end) {
      if (stream_.avail_in == 0) {
        LW_ASSIGN_OR_RETURN(const size_t got, file_->read_at(stored_, input_.data(), input_.size()));
        if (got == 0) return out_of_range("the text of " + file_->path() + " ends before the range");
        stored_ += got;
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
        stream_.avail_in = static_cast<uInt>(got);
      }
      const uint64_t wanted = std::min<uint64_t>(block.size(), end - at_);
      stream_.next_out = reinterpret_cast<Bytef*>(block.data());
      stream_.avail_out = static_cast<uInt>(wanted);
      const int result = inflate(&stream_, Z_BLOCK);
      const size_t made = static_cast<size_t>(wanted - stream_.avail_out);
      deliver(std::string_view(block.data(), made), offset, to, length);
      if (result == Z_STREAM_END) {
        LW_RETURN_IF_ERROR(next_member());
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        return data_loss(file_->path() + ": damaged compressed stream near byte " +
                         std::to_string(stored_ - stream_.avail_in));
      } else if ((stream_.data_type & 128) != 0 && (stream_.data_type & 64) == 0 &&
                 at_ >= points_.back().text + kPointBytes) {
        points_.push_back({at_, stored_ - stream_.avail_in, stream_.data_type & 7, false, recent_});
      }
    }
    return ok_status();
  }

  void deliver(std::string_view made, uint64_t offset, char* to, size_t length) {
    if (at_ + made.size() > offset) {
      const uint64_t skip = offset > at_ ? offset - at_ : 0;
      const uint64_t into = at_ + skip - offset;
      std::memcpy(to + into, made.data() + skip, std::min<uint64_t>(made.size() - skip, length - into));
    }
    at_ += made.size();
    recent_.append(made);
    if (recent_.size() > kWindow) recent_.erase(0, recent_.size() - kWindow);
  }

  // Behind the end of a member: past its trailer (a raw stream leaves it to us), then the next header.
  Status next_member() {
    uint64_t at = stored_ - stream_.avail_in + (raw_ ? 8 : 0);
    close();
    stream_ = {};
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) return resource_exhausted("no memory to inflate " + file_->path());
    open_ = true;
    raw_ = false;
    stored_ = at;
    recent_.clear();
    if (at_ >= points_.back().text + kPointBytes) points_.push_back({at_, at, 0, true, {}});
    return ok_status();
  }

  const std::shared_ptr<StoredFile> file_;
  std::vector<char> input_;
  std::vector<Point> points_;  // ascending by text
  z_stream stream_{};
  bool open_ = false, raw_ = false;
  uint64_t at_ = 0, stored_ = 0;
  std::string recent_;  // the last kWindow bytes of text
};

}  // namespace

std::unique_ptr<RangeReader> gzip_ranges(std::shared_ptr<StoredFile> file) {
  return std::make_unique<GzipRanges>(std::move(file));
}

}  // namespace lanewise::trace::input

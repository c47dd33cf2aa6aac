// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// BitMask: a set of places of a lane, asked "is there one between i and j" in constant time. Empty masks take no memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanewise::server::timeline {

class BitMask {
 public:
  BitMask() = default;
  explicit BitMask(size_t size) : size_(size) {}

  void set(size_t i) {
    if (words_.empty()) words_.assign((size_ + 63) / 64, 0);
    words_[i >> 6] |= uint64_t{1} << (i & 63);
  }
  // After the last set().
  void freeze() {
    rank_.resize(words_.size() + (words_.empty() ? 0 : 1));
    uint32_t sum = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      rank_[i] = sum;
      sum += static_cast<uint32_t>(std::popcount(words_[i]));
    }
    if (!rank_.empty()) rank_.back() = sum;
  }

  bool empty() const { return words_.empty(); }
  bool test(size_t i) const { return !words_.empty() && (words_[i >> 6] >> (i & 63) & 1) != 0; }
  size_t count() const { return rank_.empty() ? 0 : rank_.back(); }
  // Of [i, j).
  bool any(size_t i, size_t j) const { return !words_.empty() && before(j) > before(i); }

 private:
  uint32_t before(size_t i) const {
    if (i >= size_) return rank_.back();
    const uint64_t below = words_[i >> 6] & ((uint64_t{1} << (i & 63)) - 1);
    return rank_[i >> 6] + static_cast<uint32_t>(std::popcount(below));
  }

  size_t size_ = 0;
  std::vector<uint64_t> words_;
  std::vector<uint32_t> rank_;
};

}  // namespace lanewise::server::timeline

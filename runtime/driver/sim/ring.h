// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A first-in first-out list in one array that doubles when it is full: no allocation per element. Elements are also
// known by their sequence number, which never repeats.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace lanewise::runtime::sim_driver {

template <typename T>
class Ring {
 public:
  bool empty() const { return head_ == tail_; }
  uint64_t size() const { return tail_ - head_; }
  uint64_t head() const { return head_; }   // sequence number of the front
  uint64_t tail() const { return tail_; }   // of the next one to come

  uint64_t push(T value) {
    if (size() == slots_.size()) grow();
    at(tail_) = std::move(value);
    return tail_++;
  }
  T pop() {
    T value = std::move(at(head_));
    ++head_;
    return value;
  }
  T& at(uint64_t sequence) { return slots_[sequence & (slots_.size() - 1)]; }
  const T& at(uint64_t sequence) const { return slots_[sequence & (slots_.size() - 1)]; }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 64 : 2 * slots_.size());
    for (uint64_t i = head_; i != tail_; ++i) larger[i & (larger.size() - 1)] = std::move(at(i));
    slots_ = std::move(larger);
  }
  std::vector<T> slots_;   // a power of two
  uint64_t head_ = 0, tail_ = 0;
};

}  // namespace lanewise::runtime::sim_driver

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A resolved access pattern: a host address, and how to walk from it in element order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/dtype.h"

namespace lanewise::sim::core {

inline constexpr int kMaxRank = 8;

// Dimensions are outermost first; for a tile dimension 0 is the partition. Strides are in bytes.
struct View {
  std::byte* base = nullptr;
  isa::DType dtype = isa::DType::f32;
  int rank = 0;
  std::array<int64_t, kMaxRank> count{};
  std::array<int64_t, kMaxRank> stride{};

  void push(int64_t n, int64_t bytes) {
    count[rank] = n;
    stride[rank] = bytes;
    ++rank;
  }
  int64_t elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= count[i];
    return n;
  }
};

// The same element order with the fewest dimensions: ones dropped, neighbours that continue each other joined.
// Always keeps at least one dimension.
View merged(const View& view);

// Walks a view as runs of evenly spaced elements.
class RunCursor {
 public:
  explicit RunCursor(const View& view);

  std::byte* at() const { return at_; }
  int64_t run() const { return run_; }         // elements left at `stride()` bytes from each other
  int64_t stride() const { return stride_; }
  isa::DType dtype() const { return view_.dtype; }

  // Moves on by n elements, n <= run().
  void skip(int64_t n) {
    run_ -= n;
    at_ += n * stride_;
    if (run_ == 0) next_run();
  }

 private:
  void next_run();

  View view_;
  std::byte* at_;
  std::byte* row_;            // first element of the present run
  int64_t run_, stride_;
  std::array<int64_t, kMaxRank> index_{};
};

}  // namespace lanewise::sim::core

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Column: an immutable, segmented array. ColumnBuilder: the one writer that grows it.
//
//   row ─► segment = row >> 16 ─► data[row & 0xffff]
//
// A Column is a value: a list of shared segments and a size. The builder publishes a new Column whenever it likes; older
// ones stay valid and never change, so a reader can work while a file still loads. A builder writes only rows that no
// published Column holds. Every segment but the last has exactly kSegmentRows rows and Arrow's layout of its type.
//
// Null is a value of the type (null_value<T>()); where a whole segment is null, it costs no memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "base/status.h"

namespace lanewise::trace::store {

inline constexpr int kSegmentShift = 16;
inline constexpr size_t kSegmentRows = size_t{1} << kSegmentShift;
inline constexpr size_t kSegmentMask = kSegmentRows - 1;

// Smallest value of a signed type, largest of an unsigned one.
template <typename T>
constexpr T null_value() {
  return std::is_signed_v<T> ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

// kSegmentRows nulls, shared by every column of the type.
template <typename T>
const T* null_segment() {
  static const std::vector<T> nulls(kSegmentRows, null_value<T>());
  return nulls.data();
}

template <typename T>
class ColumnBuilder;

template <typename T>
class Column {
 public:
  using value_type = T;

  T operator[](size_t row) const { return data_[row >> kSegmentShift][row & kSegmentMask]; }
  bool is_null(size_t row) const { return (*this)[row] == null_value<T>(); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  size_t segment_count() const { return data_.size(); }
  // The rows [i * kSegmentRows, ...) of segment i; valid while this Column or a copy lives.
  std::span<const T> segment(size_t i) const {
    return {data_[i], std::min(kSegmentRows, size_ - i * kSegmentRows)};
  }
  // True: every row of the segment is null and nothing is stored. False says nothing.
  bool segment_is_null(size_t i) const { return owners_[i] == nullptr; }

 private:
  friend class ColumnBuilder<T>;
  std::vector<std::shared_ptr<T[]>> owners_;
  std::vector<const T*> data_;
  size_t size_ = 0;
};

template <typename T>
class ColumnBuilder {
 public:
  size_t size() const { return column_.size_; }

  void append(T value) {
    const size_t at = column_.size_ & kSegmentMask;
    if (at == 0 && column_.data_.size() * kSegmentRows == column_.size_) add_segment(false);
    writable(column_.size_ >> kSegmentShift)[at] = value;
    ++column_.size_;
  }

  void append(std::span<const T> values) {
    while (!values.empty()) {
      const size_t at = column_.size_ & kSegmentMask;
      if (at == 0 && column_.data_.size() * kSegmentRows == column_.size_) add_segment(false);
      const size_t n = std::min(values.size(), kSegmentRows - at);
      std::memcpy(writable(column_.size_ >> kSegmentShift) + at, values.data(), n * sizeof(T));
      column_.size_ += n;
      values = values.subspan(n);
    }
  }

  // The place of the next rows, at most `wanted` and at most what is left of their segment; commit() adds them.
  T* begin_run(size_t wanted, size_t* rows) {
    const size_t at = column_.size_ & kSegmentMask;
    if (at == 0 && column_.data_.size() * kSegmentRows == column_.size_) add_segment(false);
    *rows = std::min(wanted, kSegmentRows - at);
    return writable(column_.size_ >> kSegmentShift) + at;
  }
  void commit(size_t rows) { column_.size_ += rows; }

  // Grows to `size` rows with nulls; a segment takes memory at its first put().
  void extend(size_t size) {
    while (column_.data_.size() * kSegmentRows < size) add_segment(true);
    column_.size_ = size;
  }

  // Sets a row that no published Column holds.
  void put(size_t row, T value) {
    const size_t i = row >> kSegmentShift;
    if (column_.owners_[i] == nullptr) materialise(i);
    writable(i)[row & kSegmentMask] = value;
  }

  // Sets a row that may be published: the segment is copied first, so published Columns keep what they show.
  void replace(size_t row, T value) {
    const size_t i = row >> kSegmentShift;
    if (column_.owners_[i] == nullptr) materialise(i);
    if (column_.owners_[i].use_count() > 1) {
      auto copy = std::shared_ptr<T[]>(new T[kSegmentRows]);
      std::memcpy(copy.get(), column_.data_[i], column_.segment(i).size() * sizeof(T));
      set_segment(i, std::move(copy));
    }
    writable(i)[row & kSegmentMask] = value;
  }

  T operator[](size_t row) const { return column_[row]; }

  // What was built so far. Cheap: segments are shared.
  const Column<T>& publish() const { return column_; }

 private:
  T* writable(size_t i) { return column_.owners_[i].get(); }

  void add_segment(bool null) {
    column_.owners_.push_back(null ? nullptr : std::shared_ptr<T[]>(new T[kSegmentRows]));
    column_.data_.push_back(null ? null_segment<T>() : column_.owners_.back().get());
  }
  void materialise(size_t i) {
    auto segment = std::shared_ptr<T[]>(new T[kSegmentRows]);
    std::fill_n(segment.get(), kSegmentRows, null_value<T>());
    set_segment(i, std::move(segment));
  }
  void set_segment(size_t i, std::shared_ptr<T[]> segment) {
    column_.data_[i] = segment.get();
    column_.owners_[i] = std::move(segment);
  }

  Column<T> column_;
};

// Values of the few rows that have one: two columns, rows ascending and distinct.
template <typename T>
class SparseColumn {
 public:
  SparseColumn() = default;
  SparseColumn(Column<uint32_t> rows, Column<T> values) : rows_(std::move(rows)), values_(std::move(values)) {}

  size_t size() const { return rows_.size(); }
  uint32_t row(size_t i) const { return rows_[i]; }
  T value(size_t i) const { return values_[i]; }
  const Column<uint32_t>& rows() const { return rows_; }
  const Column<T>& values() const { return values_; }

  // First i with row(i) >= row, or size(). O(log n): to visit many rows in order, walk i instead.
  size_t lower_bound(uint32_t row) const {
    size_t low = 0, high = size();
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (rows_[middle] < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  // The value of a row, or null_value<T>().
  T find(uint32_t row) const {
    const size_t i = lower_bound(row);
    return i < size() && rows_[i] == row ? values_[i] : null_value<T>();
  }

 private:
  Column<uint32_t> rows_;
  Column<T> values_;
};

template <typename T>
class SparseColumnBuilder {
 public:
  // Rows come in ascending order; the same row again replaces its value while it is unpublished.
  void append(uint32_t row, T value) {
    const size_t n = rows_.size();
    if (n > 0 && rows_[n - 1] >= row) [[unlikely]] {
      LW_CHECK(rows_[n - 1] == row, "a sparse column is written in order");
      values_.replace(n - 1, value);
      return;
    }
    rows_.append(row);
    values_.append(value);
  }
  SparseColumn<T> publish() const { return {rows_.publish(), values_.publish()}; }

 private:
  ColumnBuilder<uint32_t> rows_;
  ColumnBuilder<T> values_;
};

}  // namespace lanewise::trace::store

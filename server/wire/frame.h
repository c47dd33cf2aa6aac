// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// FrameWriter: columns as typed arrays in one answer (docs/formats/server.md, "Frame"). Tables are written one after the other,
// members of a table before its columns:
//
//   FrameWriter frame;
//   frame.begin_table("lane", rows).member("lane", id).column("row", "integer", std::span(rows_of)).end_table();
//   frame.member("total", 3);
//   std::string bytes = std::move(frame).finish();
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"

namespace lanewise::server::wire {

inline constexpr std::string_view kFrameType = "application/vnd.lanewise.frame";
inline constexpr uint32_t kNullCode = 0xffffffffu;

class FrameWriter {
 public:
  FrameWriter();

  FrameWriter& begin_table(std::string_view name, size_t rows);
  // Of the open table, before its first column; of the whole frame when no table is open.
  template <typename T>
  FrameWriter& member(std::string_view name, const T& value) {
    (open_ ? header_ : members_).member(name, value);
    return *this;
  }
  FrameWriter& raw_member(std::string_view name, std::string_view json) {
    (open_ ? header_ : members_).key(name).raw(json);
    return *this;
  }

  FrameWriter& column(std::string_view name, std::string_view type, std::span<const double> values) { return numbers(name, type, "f64", values); }
  FrameWriter& column(std::string_view name, std::string_view type, std::span<const float> values) { return numbers(name, type, "f32", values); }
  FrameWriter& column(std::string_view name, std::string_view type, std::span<const int32_t> values) { return numbers(name, type, "i32", values); }
  FrameWriter& column(std::string_view name, std::string_view type, std::span<const uint32_t> values) { return numbers(name, type, "u32", values); }
  FrameWriter& column(std::string_view name, std::string_view type, std::span<const uint16_t> values) { return numbers(name, type, "u16", values); }
  FrameWriter& column(std::string_view name, std::string_view type, std::span<const uint8_t> values) { return numbers(name, type, "u8", values); }
  // kNullCode is null. `exact`: the texts are integers that no double holds.
  FrameWriter& dictionary(std::string_view name, std::string_view type, std::span<const uint32_t> codes,
                          const std::vector<std::string_view>& texts, bool exact = false);
  // `ends` by row into `values`.
  FrameWriter& lists(std::string_view name, std::string_view type, std::span<const uint32_t> ends, std::span<const double> values);
  FrameWriter& end_table();

  std::string finish() &&;

 private:
  template <typename T>
  FrameWriter& numbers(std::string_view name, std::string_view type, std::string_view storage, std::span<const T> values) {
    begin_column(name, type, storage, add(values.data(), values.size_bytes()), values.size());
    header_.end_object();
    return *this;
  }
  void begin_column(std::string_view name, std::string_view type, std::string_view storage, size_t offset, size_t length);
  size_t add(const void* data, size_t bytes);

  JsonWriter header_, members_;
  std::string buffers_;
  size_t rows_ = 0;
  bool open_ = false, columns_open_ = false;
};

}  // namespace lanewise::server::wire

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/wire/frame.h"

#include <bit>

#include "base/status.h"

namespace lanewise::server::wire {

static_assert(std::endian::native == std::endian::little, "frames are little-endian and written as they lie in memory");

FrameWriter::FrameWriter() {
  header_.begin_object().key("tables").begin_array();
  members_.begin_object();
}

FrameWriter& FrameWriter::begin_table(std::string_view name, size_t rows) {
  LW_CHECK(!open_, "a frame has one open table");
  open_ = true;
  columns_open_ = false;
  rows_ = rows;
  header_.begin_object().member("name", name).member("rows", rows);
  return *this;
}

void FrameWriter::begin_column(std::string_view name, std::string_view type, std::string_view storage, size_t offset, size_t length) {
  LW_CHECK(open_ && length == rows_, "a column has as many values as its table has rows");
  if (!columns_open_) header_.key("columns").begin_array();
  columns_open_ = true;
  header_.begin_object().member("name", name).member("type", type).member("storage", storage);
  header_.member("offset", offset).member("length", length);
}

size_t FrameWriter::add(const void* data, size_t bytes) {
  const size_t at = buffers_.size();
  if (bytes > 0) buffers_.append(static_cast<const char*>(data), bytes);
  buffers_.resize((buffers_.size() + 7) & ~size_t{7}, '\0');
  return at;
}

FrameWriter& FrameWriter::dictionary(std::string_view name, std::string_view type, std::span<const uint32_t> codes,
                                     const std::vector<std::string_view>& texts, bool exact) {
  begin_column(name, type, "dict", add(codes.data(), codes.size_bytes()), codes.size());
  if (exact) header_.member("exact", true);
  header_.key("dictionary").begin_array();
  for (const std::string_view text : texts) header_.value(text);
  header_.end_array().end_object();
  return *this;
}

FrameWriter& FrameWriter::lists(std::string_view name, std::string_view type, std::span<const uint32_t> ends, std::span<const double> values) {
  begin_column(name, type, "lists", add(ends.data(), ends.size_bytes()), ends.size());
  const size_t at = add(values.data(), values.size_bytes());
  header_.member("value_offset", at).member("value_length", values.size()).end_object();
  return *this;
}

FrameWriter& FrameWriter::end_table() {
  LW_CHECK(open_, "no table is open");
  if (!columns_open_) header_.key("columns").begin_array();
  header_.end_array().end_object();
  open_ = false;
  return *this;
}

std::string FrameWriter::finish() && {
  LW_CHECK(!open_, "a table is still open");
  header_.end_array();
  members_.end_object();
  std::string header = header_.text();
  const std::string members = members_.text();
  if (members.size() > 2) header += "," + members.substr(1, members.size() - 2);
  header += '}';
  while ((8 + header.size()) % 8 != 0) header += ' ';
  const auto length = static_cast<uint32_t>(header.size());
  std::string out = "LWF1";
  out.reserve(8 + header.size() + buffers_.size());
  out.append(reinterpret_cast<const char*>(&length), sizeof(length));
  out += header;
  out += buffers_;
  return out;
}

}  // namespace lanewise::server::wire

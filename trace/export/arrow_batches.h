// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrow arrays made of memory that is there already: an array names buffers and keeps their owners alive until it is released.
//
//   ArrayParts p = integers(values.data(), values.size(), owner);
//   batches->schema(&s); batches->batch(0, &a);        make_stream(batches, &stream);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/export/arrow_c_data.h"

namespace lanewise::trace::exporting {

// An array before it is handed out.
struct ArrayParts {
  int64_t length = 0, null_count = 0;
  std::vector<const void*> buffers;  // as Arrow orders them for the format; the first is the validity bits, null = all valid
  std::vector<ArrayParts> children;
  std::vector<ArrayParts> dictionary;  // none or one
  std::vector<std::shared_ptr<const void>> owners;
};

struct FieldParts {
  std::string name, format;  // as Arrow writes formats: "l" int64, "U" text with 64-bit offsets, "+s" struct, ...
  std::vector<FieldParts> children;
  std::vector<FieldParts> dictionary;  // none or one: the field's format is that of the indices
  std::string unit;                    // "ns", "bytes", "event": metadata key "unit"; "" = none
};

void make_array(ArrayParts parts, ArrowArray* out);
void make_schema(const FieldParts& parts, ArrowSchema* out);

// A table as batches of rows. Immutable: may be read from any thread.
class Batches {
 public:
  virtual ~Batches() = default;
  virtual const std::vector<FieldParts>& fields() const = 0;
  virtual int64_t rows() const = 0;
  virtual size_t count() const = 0;
  virtual int64_t first_row(size_t batch) const = 0;
  // The columns of one batch.
  virtual std::vector<ArrayParts> columns(size_t batch) const = 0;

  void schema(ArrowSchema* out) const;
  void batch(size_t i, ArrowArray* out) const;
};

// Every stream starts at the first batch.
void make_stream(std::shared_ptr<const Batches> batches, ArrowArrayStream* out);

// Validity bits of values, `null` meaning null. Returns how many are null; *bits stays empty when none is.
template <typename T, typename IsNull>
int64_t validity(const T* values, size_t n, const IsNull& is_null, std::vector<uint8_t>* bits) {
  int64_t nulls = 0;
  for (size_t i = 0; i < n; ++i) nulls += is_null(values[i]) ? 1 : 0;
  if (nulls == 0) return 0;
  bits->assign((n + 7) / 8, 0);
  for (size_t i = 0; i < n; ++i) {
    if (!is_null(values[i])) (*bits)[i >> 3] |= static_cast<uint8_t>(1u << (i & 7));
  }
  return nulls;
}

// A fixed-width array over `values`, which `owner` keeps alive.
template <typename T, typename IsNull>
ArrayParts fixed_width(const T* values, size_t n, std::shared_ptr<const void> owner, const IsNull& is_null) {
  ArrayParts parts;
  parts.length = static_cast<int64_t>(n);
  auto bits = std::make_shared<std::vector<uint8_t>>();
  parts.null_count = validity(values, n, is_null, bits.get());
  parts.buffers = {parts.null_count > 0 ? bits->data() : nullptr, values};
  parts.owners = {std::move(owner), std::move(bits)};
  return parts;
}
// The same over values of its own.
template <typename T, typename IsNull>
ArrayParts fixed_width(std::vector<T> values, const IsNull& is_null) {
  auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  return fixed_width(kept->data(), kept->size(), kept, is_null);
}
inline constexpr auto kNeverNull = [](auto) { return false; };

// Texts with 64-bit offsets ("U"), copied once.
class TextArray {
 public:
  void add(std::string_view text) {
    bytes_ += text;
    ends_.push_back(static_cast<int64_t>(bytes_.size()));
  }
  size_t size() const { return ends_.size() - 1; }
  static ArrayParts parts(std::shared_ptr<const TextArray> texts);

 private:
  std::string bytes_;
  std::vector<int64_t> ends_ = {0};
};

// A field of texts by index into a dictionary; `format`: that of the indices.
FieldParts dictionary_field(std::string name, std::string format);

}  // namespace lanewise::trace::exporting

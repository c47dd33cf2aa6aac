// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/export/arrow_batches.h"

namespace lanewise::trace::exporting {
namespace {

// What an exported struct points to. Children and dictionary may be moved away by who receives them: then their release is null.
template <typename T>
struct Kept {
  std::vector<T> children;
  std::vector<T*> child_pointers;
  T dictionary = {};

  void link(T* out) {
    for (T& child : children) child_pointers.push_back(&child);
    out->n_children = static_cast<int64_t>(children.size());
    out->children = child_pointers.data();
    out->dictionary = dictionary.release ? &dictionary : nullptr;
  }
  void release() {
    for (T& child : children) {
      if (child.release) child.release(&child);
    }
    if (dictionary.release) dictionary.release(&dictionary);
  }
};

struct KeptArray : Kept<ArrowArray> {
  std::vector<const void*> buffers;
  std::vector<std::shared_ptr<const void>> owners;
};
struct KeptSchema : Kept<ArrowSchema> {
  std::string name, format, metadata;
};

template <typename KeptT, typename T>
void release(T* self) {
  auto* kept = static_cast<KeptT*>(self->private_data);
  kept->release();
  self->release = nullptr;
  delete kept;
}

void add_int32(std::string* to, size_t value) {
  const auto word = static_cast<int32_t>(value);
  to->append(reinterpret_cast<const char*>(&word), sizeof(word));
}

struct Stream {
  std::shared_ptr<const Batches> batches;
  size_t at = 0;
};

}  // namespace

void make_array(ArrayParts parts, ArrowArray* out) {
  auto* kept = new KeptArray;
  kept->buffers = std::move(parts.buffers);
  kept->owners = std::move(parts.owners);
  kept->children.resize(parts.children.size());
  for (size_t i = 0; i < parts.children.size(); ++i) make_array(std::move(parts.children[i]), &kept->children[i]);
  if (!parts.dictionary.empty()) make_array(std::move(parts.dictionary[0]), &kept->dictionary);
  *out = {};
  out->length = parts.length;
  out->null_count = parts.null_count;
  out->n_buffers = static_cast<int64_t>(kept->buffers.size());
  out->buffers = kept->buffers.data();
  kept->link(out);
  out->release = release<KeptArray, ArrowArray>;
  out->private_data = kept;
}

void make_schema(const FieldParts& parts, ArrowSchema* out) {
  auto* kept = new KeptSchema;
  kept->name = parts.name;
  kept->format = parts.format;
  if (!parts.unit.empty()) {  // pairs of texts with their lengths, 32 bit, in the machine's byte order
    add_int32(&kept->metadata, 1);
    add_int32(&kept->metadata, 4);
    kept->metadata += "unit";
    add_int32(&kept->metadata, parts.unit.size());
    kept->metadata += parts.unit;
  }
  kept->children.resize(parts.children.size());
  for (size_t i = 0; i < parts.children.size(); ++i) make_schema(parts.children[i], &kept->children[i]);
  if (!parts.dictionary.empty()) make_schema(parts.dictionary[0], &kept->dictionary);
  *out = {};
  out->format = kept->format.c_str();
  out->name = kept->name.c_str();
  out->metadata = kept->metadata.empty() ? nullptr : kept->metadata.data();
  out->flags = ARROW_FLAG_NULLABLE;
  kept->link(out);
  out->release = release<KeptSchema, ArrowSchema>;
  out->private_data = kept;
}

void Batches::schema(ArrowSchema* out) const {
  make_schema({.name = "", .format = "+s", .children = fields(), .dictionary = {}, .unit = ""}, out);
}

void Batches::batch(size_t i, ArrowArray* out) const {
  ArrayParts parts;
  parts.length = (i + 1 < count() ? first_row(i + 1) : rows()) - first_row(i);
  parts.buffers = {nullptr};
  parts.children = columns(i);
  make_array(std::move(parts), out);
}

void make_stream(std::shared_ptr<const Batches> batches, ArrowArrayStream* out) {
  *out = {};
  out->private_data = new Stream{std::move(batches), 0};
  out->get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    static_cast<Stream*>(self->private_data)->batches->schema(schema);
    return 0;
  };
  out->get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    auto* stream = static_cast<Stream*>(self->private_data);
    *array = {};
    if (stream->at < stream->batches->count()) stream->batches->batch(stream->at++, array);
    return 0;
  };
  // Neither call can fail: everything is in memory.
  out->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  out->release = [](ArrowArrayStream* self) {
    delete static_cast<Stream*>(self->private_data);
    self->release = nullptr;
  };
}

ArrayParts TextArray::parts(std::shared_ptr<const TextArray> texts) {
  ArrayParts parts;
  parts.length = static_cast<int64_t>(texts->size());
  parts.buffers = {nullptr, texts->ends_.data(), texts->bytes_.data()};
  parts.owners = {std::move(texts)};
  return parts;
}

FieldParts dictionary_field(std::string name, std::string format) {
  return {.name = std::move(name), .format = std::move(format), .children = {}, .dictionary = {{.name = "", .format = "U", .children = {}, .dictionary = {}, .unit = ""}}, .unit = ""};
}

}  // namespace lanewise::trace::exporting

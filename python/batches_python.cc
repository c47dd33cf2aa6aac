// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "python/batches_python.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>

namespace lanewise::python {
namespace {

namespace nb = nanobind;
using trace::exporting::ArrayParts;
using trace::exporting::Batches;
using trace::exporting::FieldParts;

// A capsule releases what nobody took: who takes it sets release to null.
template <typename T>
nb::object capsule(std::unique_ptr<T> value, const char* name) {
  PyObject* made = PyCapsule_New(value.get(), name, [](PyObject* self) {
    auto* held = static_cast<T*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (held->release) held->release(held);
    delete held;
  });
  if (made == nullptr) throw nb::python_error();
  value.release();
  return nb::steal(made);
}

nb::object schema_capsule(const Batches& batches) {
  auto schema = std::make_unique<ArrowSchema>();
  batches.schema(schema.get());
  return capsule(std::move(schema), "arrow_schema");
}

// A requested schema is a wish; the specification lets a producer answer with what it has.
nb::object stream_capsule(const std::shared_ptr<const Batches>& batches, const nb::object&) {
  auto stream = std::make_unique<ArrowArrayStream>();
  trace::exporting::make_stream(batches, stream.get());
  return capsule(std::move(stream), "arrow_array_stream");
}

nb::object array_capsules(const Batches& batches, const nb::object&) {
  if (batches.count() != 1) throw nb::value_error("this table has several batches: use __arrow_c_stream__");
  auto array = std::make_unique<ArrowArray>();
  batches.batch(0, array.get());
  return nb::make_tuple(schema_capsule(batches), capsule(std::move(array), "arrow_array"));
}

template <typename T>
T item(const ArrayParts& parts, size_t buffer, int64_t row) {
  return static_cast<const T*>(parts.buffers[buffer])[row];
}
bool bit(const void* bits, int64_t row) { return (static_cast<const uint8_t*>(bits)[row >> 3] >> (row & 7) & 1) != 0; }

nb::object cell(const FieldParts& field, const ArrayParts& parts, int64_t row) {
  if (parts.buffers[0] != nullptr && !bit(parts.buffers[0], row)) return nb::none();
  const auto number = [&]() -> int64_t {
    switch (field.format[0]) {
      case 'c': return item<int8_t>(parts, 1, row);
      case 'C': return item<uint8_t>(parts, 1, row);
      case 'i': return item<int32_t>(parts, 1, row);
      case 'I': return item<uint32_t>(parts, 1, row);
      default: return item<int64_t>(parts, 1, row);
    }
  };
  if (!field.dictionary.empty()) return cell(field.dictionary[0], parts.dictionary[0], number());
  switch (field.format[0]) {
    case 'g': return nb::float_(item<double>(parts, 1, row));
    case 'b': return nb::bool_(bit(parts.buffers[1], row));
    case 'L': return nb::int_(item<uint64_t>(parts, 1, row));
    case 'U': {
      const auto begin = item<int64_t>(parts, 1, row), end = item<int64_t>(parts, 1, row + 1);
      PyObject* text = PyUnicode_DecodeUTF8(static_cast<const char*>(parts.buffers[2]) + begin, end - begin, "replace");
      if (text == nullptr) throw nb::python_error();
      return nb::steal(text);
    }
    case '+': {
      nb::list list;
      for (auto i = item<int64_t>(parts, 1, row); i < item<int64_t>(parts, 1, row + 1); ++i) list.append(cell(field.children[0], parts.children[0], i));
      return list;
    }
    default: return nb::int_(number());
  }
}

// The rows [begin, end) as tuples.
nb::list rows(const Batches& batches, int64_t begin, int64_t end) {
  nb::list out;
  begin = std::max<int64_t>(begin, 0), end = std::min(end, batches.rows());
  for (size_t i = 0; i < batches.count(); ++i) {
    const int64_t first = batches.first_row(i), last = i + 1 < batches.count() ? batches.first_row(i + 1) : batches.rows();
    if (last <= begin || first >= end) continue;
    const std::vector<ArrayParts> columns = batches.columns(i);
    for (int64_t row = std::max(begin, first); row < std::min(end, last); ++row) {
      nb::list values;
      for (size_t c = 0; c < columns.size(); ++c) values.append(cell(batches.fields()[c], columns[c], row - first));
      out.append(nb::tuple(values));
    }
  }
  return out;
}

std::vector<std::string> names(const Batches& batches) {
  std::vector<std::string> names;
  for (const FieldParts& field : batches.fields()) names.push_back(field.name);
  return names;
}
std::vector<std::string> units(const Batches& batches) {
  std::vector<std::string> units;
  for (const FieldParts& field : batches.fields()) units.push_back(field.unit);
  return units;
}

}  // namespace

void bind_batches(nb::module_& module) {
  nb::class_<Batches>(module, "Batches", "A table in memory; the Arrow PyCapsule interface.")
      .def("__arrow_c_schema__", &schema_capsule)
      .def("__arrow_c_stream__", [](std::shared_ptr<Batches> self, const nb::object& schema) { return stream_capsule(self, schema); },
           nb::arg("requested_schema") = nb::none())
      .def("__arrow_c_array__", &array_capsules, nb::arg("requested_schema") = nb::none())
      .def("__len__", [](const Batches& self) { return self.rows(); })
      .def_prop_ro("batches", &Batches::count)
      .def_prop_ro("names", &names)
      .def_prop_ro("units", &units)
      .def("rows", &rows, nb::arg("begin"), nb::arg("end"));
}

}  // namespace lanewise::python

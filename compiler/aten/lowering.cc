// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/aten/lowering.h"

#include "compiler/aten/promotion.h"
#include "compiler/aten/table.h"
#include "compiler/ir/number.h"
#include "compiler/ir/scanner.h"

namespace lanewise::compiler::aten {
namespace {

template <typename T>
const T* as(const Argument* argument) {
  return argument ? std::get_if<T>(&argument->value) : nullptr;
}

std::optional<double> literal_of(const Argument* argument) {
  if (const auto* value = as<double>(argument)) return *value;
  if (const auto* value = as<int64_t>(argument)) return static_cast<double>(*value);
  if (const auto* value = as<bool>(argument)) return *value ? 1.0 : 0.0;
  return std::nullopt;
}

}  // namespace

Status Lowering::lower_instead(const Node& other) {
  const Row* row = find_row(other.op);
  LW_CHECK(row, other.op + " is not in the table");
  LW_RETURN_IF_ERROR(check_signature(*row, other));
  Lowering lowering(graph_, other, build, values_);
  return row->lower(lowering);
}

bool Lowering::given(size_t i) const { return argument(i) && !as<None>(argument(i)); }
bool Lowering::is_tensor(size_t i) const { return as<ValueRef>(argument(i)) != nullptr; }

ValueId Lowering::tensor(size_t i) const {
  const auto* value = as<ValueRef>(argument(i));
  LW_CHECK(value, node_.op + ": the signature says tensor where the lowering reads one");
  return values_[value->index];
}

std::vector<ValueId> Lowering::tensors(size_t i) const {
  std::vector<ValueId> result;
  if (const auto* list = as<ArgumentList>(argument(i))) {
    for (const Argument& element : *list) {
      if (const auto* value = as<ValueRef>(&element)) result.push_back(values_[value->index]);
    }
  }
  return result;
}

std::vector<Lowering::Position> Lowering::positions(size_t i) const {
  std::vector<Position> found;
  const auto* list = as<ArgumentList>(argument(i));
  for (size_t k = 0; list && k < list->size(); ++k) {
    const auto* value = as<ValueRef>(&(*list)[k]);
    if (value) found.push_back({static_cast<int64_t>(k), values_[value->index]});
  }
  return found;
}

int64_t Lowering::integer(size_t i, int64_t otherwise) const {
  const auto* value = as<int64_t>(argument(i));
  return value ? *value : otherwise;
}

bool Lowering::boolean(size_t i, bool otherwise) const {
  const auto* value = as<bool>(argument(i));
  return value ? *value : otherwise;
}

std::vector<int64_t> Lowering::integers(size_t i) const {
  if (const auto* value = as<int64_t>(argument(i))) return {*value};
  std::vector<int64_t> result;
  if (const auto* list = as<ArgumentList>(argument(i))) {
    for (const Argument& element : *list) {
      if (const auto* value = as<int64_t>(&element)) result.push_back(*value);
    }
  }
  return result;
}

std::vector<bool> Lowering::booleans(size_t i) const {
  std::vector<bool> result;
  if (const auto* list = as<ArgumentList>(argument(i))) {
    for (const Argument& element : *list) {
      if (const auto* value = as<bool>(&element)) result.push_back(*value);
    }
  }
  return result;
}

std::string Lowering::text(size_t i) const {
  const auto* value = as<std::string>(argument(i));
  return value ? *value : "";
}

std::optional<DType> Lowering::dtype(size_t i) const {
  const auto* value = as<DType>(argument(i));
  return value ? std::optional<DType>(*value) : std::nullopt;
}

std::optional<double> Lowering::literal(size_t i) const { return literal_of(argument(i)); }

Shape Lowering::ones(size_t rank) const {
  if (rank != kResultRank) return Shape(rank, 1);
  for (size_t k = 0; k < results(); ++k) {
    if (wanted(k)) return Shape(meta(k).sizes.size(), 1);
  }
  return {};
}

ValueId Lowering::number(size_t i, DType dtype, size_t rank) const { return filled(i, dtype, ones(rank)); }

ValueId Lowering::filled(size_t i, DType dtype, const Shape& shape) const {
  if (const auto* parameter = as<ParameterRef>(argument(i))) {
    return build.broadcast(build.convert(build.parameter(parameter->index, Shape(shape.size(), 1)), dtype), shape);
  }
  // Integers stay integers: a double does not hold all of them.
  if (const auto* value = as<int64_t>(argument(i))) return build.constant_integer(dtype, *value, shape);
  const auto value = literal_of(argument(i));
  LW_CHECK(value, node_.op + ": the signature says number where the lowering reads one");
  return build.constant(dtype, *value, shape);
}

ValueId Lowering::number_or(size_t i, double otherwise, DType dtype, size_t rank) const {
  return given(i) ? number(i, dtype, rank) : constant(dtype, otherwise, rank);
}

ValueId Lowering::constant(DType dtype, double value, size_t rank) const { return build.constant(dtype, value, ones(rank)); }

DType Lowering::promoted(const std::vector<size_t>& arguments) const {
  Promotion promotion;
  for (const size_t i : arguments) {
    const Argument* argument = this->argument(i);
    if (is_tensor(i)) {
      promotion.add_tensor(build.dtype(tensor(i)), build.rank(tensor(i)) == 0);
    } else if (const auto* parameter = as<ParameterRef>(argument)) {
      promotion.add_number(graph_.parameters[parameter->index]);
    } else if (as<double>(argument)) {
      promotion.add_number(DType::f32);
    } else if (as<int64_t>(argument)) {
      promotion.add_number(DType::i64);
    } else if (as<bool>(argument)) {
      promotion.add_number(DType::b8);
    }
  }
  return promotion.result();
}

ValueId Lowering::operand(size_t i, DType promoted, bool exact_scalars) const {
  const DType math = math_dtype(promoted);
  if (is_tensor(i)) {
    const ValueId value = tensor(i);
    const bool direct = exact_scalars && build.rank(value) == 0;
    return build.convert(direct ? value : build.convert(value, promoted), math);
  }
  if (exact_scalars) return number(i, math);
  if (const auto value = literal(i); value && isa::is_float(promoted)) {
    return constant(math, ir::round_to(promoted, *value));
  }
  return build.convert(number(i, promoted), math);
}

const TensorMeta& Lowering::meta(size_t k) const {
  LW_CHECK(wanted(k), node_.op + ": the lowering reads the type of a result that is not wanted");
  return graph_.values[node_.results[k]].meta;
}

Status Lowering::result(size_t k, ValueId value) {
  if (!wanted(k)) return ok_status();
  const TensorMeta& meta = this->meta(k);
  if (build.shape(value) != meta.sizes) {
    return wrong("result " + std::to_string(k) + " has sizes " + ir::spell(build.shape(value), '[', ']') + ", the graph says " +
                 ir::spell(meta.sizes, '[', ']'));
  }
  values_[node_.results[k]] = build.convert(value, meta.dtype);
  return ok_status();
}

Status Lowering::unsupported(std::string_view what) const { return unimplemented(node_.op + ": " + std::string(what)); }
Status Lowering::wrong(std::string_view what) const { return invalid_argument(node_.op + ": " + std::string(what)); }

Result<int64_t> Lowering::dim(int64_t dim, int64_t rank) const {
  const int64_t counted = dim < 0 ? dim + std::max<int64_t>(rank, 1) : dim;
  if (counted < 0 || counted >= std::max<int64_t>(rank, 1)) {
    return wrong("dimension " + std::to_string(dim) + " of a tensor with " + std::to_string(rank));
  }
  return counted;
}

Result<std::vector<int64_t>> Lowering::dims(const std::vector<int64_t>& dims, int64_t rank) const {
  std::vector<int64_t> result;
  for (const int64_t d : dims) {
    LW_ASSIGN_OR_RETURN(const int64_t counted, dim(d, rank));
    for (const int64_t earlier : result) {
      if (earlier == counted) return wrong("dimension " + std::to_string(d) + " appears twice");
    }
    result.push_back(counted);
  }
  return result;
}

}  // namespace lanewise::compiler::aten

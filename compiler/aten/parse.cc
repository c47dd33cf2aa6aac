// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "compiler/aten/graph.h"
#include "compiler/ir/scanner.h"

namespace lanewise::compiler::aten {
namespace {

constexpr int kMaxNesting = 16;   // of lists; calls have at most two

class GraphParser {
 public:
  explicit GraphParser(std::string_view text) : scanner_(text) {}

  Result<Graph> parse() {
    while (!scanner_.accept("return")) {
      if (scanner_.at_end()) return scanner_.fail("expected 'return'");
      LW_RETURN_IF_ERROR(statement());
    }
    LW_RETURN_IF_ERROR(outputs());
    if (scanner_.accept("params")) LW_RETURN_IF_ERROR(parameters());
    if (!scanner_.at_end()) return scanner_.fail("expected nothing after the graph");
    if (most_parameter_ >= static_cast<int64_t>(graph_.parameters.size())) {
      return invalid_argument("$" + std::to_string(most_parameter_) + " is used but params declares " +
                              std::to_string(graph_.parameters.size()));
    }
    return std::move(graph_);
  }

 private:
  Status statement();
  Status input(std::string_view name);
  Status call(const std::vector<std::string>& names);
  Status outputs();
  Status parameters();
  Result<Argument> argument(int nesting);
  Result<TensorMeta> meta();
  Result<int32_t> use();
  Result<int32_t> define(std::string_view name, TensorMeta meta);
  int32_t input_of(int32_t value) const;

  ir::Scanner scanner_;
  Graph graph_;
  std::unordered_map<std::string, int32_t> values_;
  int64_t most_parameter_ = -1;
};

Result<TensorMeta> GraphParser::meta() {
  TensorMeta meta;
  LW_ASSIGN_OR_RETURN(meta.dtype, scanner_.dtype());
  LW_ASSIGN_OR_RETURN(meta.sizes, scanner_.integers('[', ']'));
  LW_ASSIGN_OR_RETURN(meta.strides, scanner_.integers('{', '}'));
  if (meta.strides.size() != meta.sizes.size()) return scanner_.reject("as many strides as sizes are needed");
  if (ir::checked_elements(meta.sizes) < 0) return scanner_.reject("sizes must not be negative, nor too large");
  return meta;
}

Result<int32_t> GraphParser::define(std::string_view name, TensorMeta meta) {
  const int32_t index = static_cast<int32_t>(graph_.values.size());
  if (!values_.emplace(std::string(name), index).second) return scanner_.reject("%" + std::string(name) + " is defined twice");
  graph_.values.push_back({std::string(name), std::move(meta)});
  return index;
}

Result<int32_t> GraphParser::use() {
  LW_ASSIGN_OR_RETURN(const std::string_view name, scanner_.value_name());
  const auto found = values_.find(std::string(name));
  if (found == values_.end()) return scanner_.reject("%" + std::string(name) + " is not defined before its use");
  return found->second;
}

int32_t GraphParser::input_of(int32_t value) const {
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    if (graph_.inputs[i].value == value) return static_cast<int32_t>(i);
  }
  return -1;
}

Status GraphParser::input(std::string_view name) {
  if (!graph_.nodes.empty()) return scanner_.fail("inputs come before calls");
  Input input;
  LW_ASSIGN_OR_RETURN(TensorMeta meta, this->meta());
  LW_ASSIGN_OR_RETURN(input.value, define(name, std::move(meta)));
  if (scanner_.accept("alias")) {
    LW_ASSIGN_OR_RETURN(const int64_t alias, scanner_.integer());
    if (alias < 0 || alias >= static_cast<int64_t>(graph_.inputs.size())) return scanner_.reject("alias is the position of an earlier input");
    input.alias = static_cast<int32_t>(alias);
  }
  graph_.inputs.push_back(input);
  return ok_status();
}

Result<Argument> GraphParser::argument(int nesting) {
  if (nesting > kMaxNesting) return scanner_.fail("lists are nested too deeply");
  const char next = scanner_.peek();
  if (next == '%') {
    LW_ASSIGN_OR_RETURN(const int32_t value, use());
    return Argument{ValueRef{value}};
  }
  if (next == '"') {
    LW_ASSIGN_OR_RETURN(std::string text, scanner_.quoted());
    return Argument{std::move(text)};
  }
  if (scanner_.accept("$")) {
    LW_ASSIGN_OR_RETURN(const int64_t parameter, scanner_.integer());
    if (parameter < 0 || parameter > 1 << 20) return scanner_.reject("run-time parameter number out of range");
    most_parameter_ = std::max(most_parameter_, parameter);
    return Argument{ParameterRef{static_cast<int32_t>(parameter)}};
  }
  if (scanner_.accept("[")) {
    ArgumentList list;
    if (scanner_.accept("]")) return Argument{std::move(list)};
    do {
      LW_ASSIGN_OR_RETURN(Argument element, argument(nesting + 1));
      list.push_back(std::move(element));
    } while (scanner_.accept(","));
    LW_RETURN_IF_ERROR(scanner_.expect("]"));
    return Argument{std::move(list)};
  }
  if (scanner_.accept("true")) return Argument{true};
  if (scanner_.accept("false")) return Argument{false};
  if (scanner_.accept("none")) return Argument{None{}};
  const bool number = (next >= '0' && next <= '9') || next == '-' || next == '+' || next == '.' || next == 'i' || next == 'n';
  if (!number || scanner_.comes("i64") || scanner_.comes("i32") || scanner_.comes("i16") || scanner_.comes("i8")) {
    LW_ASSIGN_OR_RETURN(const isa::DType dtype, scanner_.dtype());
    return Argument{dtype};
  }
  LW_ASSIGN_OR_RETURN(const std::string_view spelling, scanner_.number());
  if (spelling.find_first_of(".ein") != std::string_view::npos) {
    const auto value = ir::Scanner(spelling).floating();
    return value.ok() ? Result<Argument>(Argument{*value}) : scanner_.reject("not a number: " + std::string(spelling));
  }
  const auto value = ir::Scanner(spelling).integer();
  return value.ok() ? Result<Argument>(Argument{*value}) : scanner_.reject("not an integer of 64 bits: " + std::string(spelling));
}

Status GraphParser::call(const std::vector<std::string>& names) {
  Node node;
  LW_ASSIGN_OR_RETURN(const std::string_view op, scanner_.word("an op such as aten::mul.Tensor"));
  node.op = std::string(op);
  LW_RETURN_IF_ERROR(scanner_.expect("("));
  if (!scanner_.accept(")")) {
    do {
      LW_ASSIGN_OR_RETURN(Argument argument, this->argument(0));
      node.arguments.push_back(std::move(argument));
    } while (scanner_.accept(","));
    LW_RETURN_IF_ERROR(scanner_.expect(")"));
  }
  LW_RETURN_IF_ERROR(scanner_.expect("->"));
  for (size_t i = 0; i < names.size(); ++i) {
    if (i) LW_RETURN_IF_ERROR(scanner_.expect(","));
    if (names[i] == "_") {
      LW_RETURN_IF_ERROR(scanner_.expect("none"));
      node.results.push_back(-1);
      continue;
    }
    LW_ASSIGN_OR_RETURN(TensorMeta meta, this->meta());
    LW_ASSIGN_OR_RETURN(const int32_t value, define(names[i], std::move(meta)));
    node.results.push_back(value);
  }
  graph_.nodes.push_back(std::move(node));
  return ok_status();
}

Status GraphParser::statement() {
  std::vector<std::string> names;
  const bool several = scanner_.accept("(");
  if (!several || !scanner_.accept(")")) {
    do {
      if (several && scanner_.accept("_")) {
        names.push_back("_");
        continue;
      }
      LW_ASSIGN_OR_RETURN(const std::string_view name, scanner_.value_name());
      names.emplace_back(name);
    } while (several && scanner_.accept(","));
    if (several) LW_RETURN_IF_ERROR(scanner_.expect(")"));
  }
  LW_RETURN_IF_ERROR(scanner_.expect("="));
  if (!several && scanner_.accept("input")) return input(names[0]);
  return call(names);
}

Status GraphParser::outputs() {
  if (scanner_.peek() != '%') return ok_status();
  do {
    Output output;
    LW_ASSIGN_OR_RETURN(output.value, use());
    if (scanner_.accept(":=")) {
      output.into_input = input_of(output.value);
      if (output.into_input < 0) return scanner_.reject("only an input can be stored into");
      LW_ASSIGN_OR_RETURN(output.value, use());
    }
    graph_.outputs.push_back(output);
  } while (scanner_.accept(","));
  return ok_status();
}

Status GraphParser::parameters() {
  do {
    const bool is_float = scanner_.accept("f64");
    if (!is_float && !scanner_.accept("i64")) return scanner_.fail("a run-time parameter is f64 or i64");
    graph_.parameters.push_back(is_float ? isa::DType::f32 : isa::DType::i64);
  } while (scanner_.accept(","));
  return ok_status();
}

}  // namespace

Result<Graph> parse_text(std::string_view text) { return GraphParser(text).parse(); }

}  // namespace lanewise::compiler::aten

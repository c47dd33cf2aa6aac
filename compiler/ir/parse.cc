// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/ir/names.h"
#include "compiler/ir/scanner.h"
#include "isa/table.h"

namespace lanewise::compiler::ir {
namespace {

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : scanner_(text) {}

  Result<Module> parse() {
    LW_RETURN_IF_ERROR(header());
    while (!scanner_.accept("}")) {
      if (scanner_.accept("store")) {
        LW_RETURN_IF_ERROR(store());
      } else {
        LW_RETURN_IF_ERROR(op());
      }
    }
    if (!scanner_.at_end()) return scanner_.fail("expected nothing after the module");
    return finish();
  }

 private:
  Status header();
  Status op();
  Status attributes(Op& op);
  Status store();
  Result<Module> finish();
  Result<int32_t> operand();
  Result<int32_t> small(std::string_view what, int64_t most);

  Scanner scanner_;
  Module module_;
  std::vector<std::pair<int32_t, int32_t>> aliases_;
};

Result<int32_t> ModuleParser::small(std::string_view what, int64_t most) {
  LW_ASSIGN_OR_RETURN(const int64_t value, scanner_.integer());
  if (value < 0 || value > most) return scanner_.reject(std::string(what) + " " + std::to_string(value) + " is out of range");
  return static_cast<int32_t>(value);
}

constexpr int64_t kMostPorts = 1 << 20;

Status ModuleParser::header() {
  LW_RETURN_IF_ERROR(scanner_.expect("module"));
  LW_ASSIGN_OR_RETURN(module_.name, scanner_.quoted());
  while (!scanner_.accept("{")) {
    if (scanner_.accept("inputs")) {
      LW_ASSIGN_OR_RETURN(module_.inputs, small("input count", kMostPorts));
    } else if (scanner_.accept("outputs")) {
      LW_ASSIGN_OR_RETURN(module_.outputs, small("output count", kMostPorts));
    } else if (scanner_.accept("params")) {
      do {
        const bool is_float = scanner_.accept("f64");
        if (!is_float) LW_RETURN_IF_ERROR(scanner_.expect("i64"));
        module_.parameters.push_back(is_float ? isa::DType::f32 : isa::DType::i64);
      } while (scanner_.accept(","));
    } else if (scanner_.accept("alias")) {
      do {
        LW_ASSIGN_OR_RETURN(const int32_t input, small("input", kMostPorts));
        LW_RETURN_IF_ERROR(scanner_.expect(":"));
        LW_ASSIGN_OR_RETURN(const int32_t earlier, small("input", kMostPorts));
        aliases_.emplace_back(input, earlier);
      } while (scanner_.accept(","));
    } else {
      return scanner_.fail("expected inputs, outputs, params, alias or '{'");
    }
  }
  return ok_status();
}

Result<int32_t> ModuleParser::operand() {
  LW_RETURN_IF_ERROR(scanner_.expect("%"));
  LW_ASSIGN_OR_RETURN(const int32_t value, small("value", static_cast<int64_t>(module_.ops.size()) - 1));
  return value;
}

Status ModuleParser::attributes(Op& op) {
  switch (op.kind) {
    case OpKind::input:
    case OpKind::parameter: {
      LW_ASSIGN_OR_RETURN(op.index, small("number", kMostPorts));
      return ok_status();
    }
    case OpKind::unary: {
      LW_ASSIGN_OR_RETURN(const std::string_view name, scanner_.word("a function"));
      const auto fn = isa::parse_act_fn(name);
      if (!fn) return scanner_.reject("unknown function " + std::string(name));
      op.fn = *fn;
      return ok_status();
    }
    case OpKind::binary:
    case OpKind::reduce: {
      LW_ASSIGN_OR_RETURN(const std::string_view name, scanner_.word("an operation"));
      const auto alu = isa::parse_alu_op(name);
      if (!alu) return scanner_.reject("unknown operation " + std::string(name));
      op.alu = *alu;
      break;
    }
    case OpKind::convert: op.rounds = scanner_.accept("rounds"); return ok_status();
    default: break;
  }
  if (scanner_.accept("dims")) {
    LW_ASSIGN_OR_RETURN(op.dims, scanner_.integers('[', ']'));
  }
  if (scanner_.accept("starts")) {
    LW_ASSIGN_OR_RETURN(op.starts, scanner_.integers('[', ']'));
    LW_RETURN_IF_ERROR(scanner_.expect("steps"));
    LW_ASSIGN_OR_RETURN(op.steps, scanner_.integers('[', ']'));
  }
  if (op.kind == OpKind::iota) {
    LW_RETURN_IF_ERROR(scanner_.expect("start"));
    LW_ASSIGN_OR_RETURN(op.ivalue, scanner_.integer());
    LW_RETURN_IF_ERROR(scanner_.expect("step"));
    LW_ASSIGN_OR_RETURN(op.step, scanner_.integer());
  }
  return ok_status();
}

Status ModuleParser::op() {
  LW_RETURN_IF_ERROR(scanner_.expect("%"));
  LW_ASSIGN_OR_RETURN(const int64_t number, scanner_.integer());
  if (number != static_cast<int64_t>(module_.ops.size())) return scanner_.reject("values must be numbered in order");
  LW_RETURN_IF_ERROR(scanner_.expect("="));
  LW_ASSIGN_OR_RETURN(const std::string_view name, scanner_.word("an op"));
  const auto kind = parse_kind(name);
  if (!kind) return scanner_.reject("unknown op " + std::string(name));
  Op op;
  op.kind = *kind;
  double fvalue = 0;
  int64_t ivalue = 0;
  bool spelled_as_float = false;
  if (op.kind == OpKind::constant) {
    LW_ASSIGN_OR_RETURN(const std::string_view spelling, scanner_.number());
    spelled_as_float = spelling.find_first_of(".ein") != std::string_view::npos;
    Scanner again(spelling);
    if (spelled_as_float) {
      LW_ASSIGN_OR_RETURN(fvalue, again.floating());
    } else {
      LW_ASSIGN_OR_RETURN(ivalue, again.integer());
    }
  } else {
    LW_RETURN_IF_ERROR(attributes(op));
  }
  if (scanner_.peek() == '%') {
    do {
      LW_ASSIGN_OR_RETURN(const int32_t value, operand());
      op.operands.push_back(value);
    } while (scanner_.accept(","));
  }
  LW_RETURN_IF_ERROR(scanner_.expect(":"));
  LW_ASSIGN_OR_RETURN(op.dtype, scanner_.dtype());
  LW_ASSIGN_OR_RETURN(op.shape, scanner_.integers('[', ']'));
  if (op.kind == OpKind::input) {
    LW_ASSIGN_OR_RETURN(op.strides, scanner_.integers('{', '}'));
    if (scanner_.accept("offset")) {
      LW_ASSIGN_OR_RETURN(op.offset, scanner_.integer());
    }
  }
  if (op.kind == OpKind::constant) {
    if (isa::is_float(op.dtype) != spelled_as_float) return scanner_.reject("a constant must be spelled as its dtype");
    op.fvalue = fvalue;
    op.ivalue = ivalue;
  }
  if (scanner_.accept("from")) {
    LW_ASSIGN_OR_RETURN(op.aten, scanner_.quoted());
  }
  if (scanner_.accept("node")) {
    LW_ASSIGN_OR_RETURN(const int64_t node, scanner_.integer());
    if (node < 0 || node > INT32_MAX) return scanner_.reject("no number of a node");
    op.aten_node = static_cast<int32_t>(node);
  }
  module_.ops.push_back(std::move(op));
  return ok_status();
}

Status ModuleParser::store() {
  Store store;
  LW_ASSIGN_OR_RETURN(store.value, operand());
  LW_RETURN_IF_ERROR(scanner_.expect("to"));
  store.to_input = scanner_.accept("input");
  if (!store.to_input) LW_RETURN_IF_ERROR(scanner_.expect("output"));
  LW_ASSIGN_OR_RETURN(store.index, small("number", kMostPorts));
  if (scanner_.peek() == '{') {
    LW_ASSIGN_OR_RETURN(store.strides, scanner_.integers('{', '}'));
  } else {
    const auto declared = std::find_if(module_.ops.begin(), module_.ops.end(), [&](const Op& op) {
      return op.kind == OpKind::input && op.index == store.index;
    });
    if (!store.to_input || declared == module_.ops.end()) return scanner_.fail("expected the strides of the store");
    store.strides = declared->strides;
  }
  module_.stores.push_back(std::move(store));
  return ok_status();
}

Result<Module> ModuleParser::finish() {
  for (const Op& op : module_.ops) {
    if (op.kind == OpKind::input) module_.inputs = std::max(module_.inputs, op.index + 1);
  }
  for (const Store& store : module_.stores) {
    int32_t& count = store.to_input ? module_.inputs : module_.outputs;
    count = std::max(count, store.index + 1);
  }
  for (const auto& [input, earlier] : aliases_) module_.inputs = std::max(module_.inputs, input + 1);
  module_.input_alias.assign(module_.inputs, -1);
  for (const auto& [input, earlier] : aliases_) module_.input_alias[input] = earlier;
  LW_RETURN_IF_ERROR(verify(module_));
  return std::move(module_);
}

}  // namespace

Result<Module> parse_text(std::string_view text) { return ModuleParser(text).parse(); }

}  // namespace lanewise::compiler::ir

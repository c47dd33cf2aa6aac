// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Two ops that compute the same from the same operands become the first of them. Every op is pure, reads of inputs
// included: stores happen after all of them.
#include <bit>
#include <string>
#include <unordered_map>

#include "compiler/pass/pass.h"
#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {
namespace {

// Everything but the ATen name, as bytes. The bits of a constant, so that 0 and -0 differ and NaN equals itself.
std::string key_of(const Op& op) {
  std::string key;
  const auto add = [&key](int64_t value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const auto add_list = [&](const auto& list) {
    add(static_cast<int64_t>(list.size()));
    for (const auto value : list) add(value);
  };
  add(static_cast<int64_t>(op.kind) | static_cast<int64_t>(op.dtype) << 8 | static_cast<int64_t>(op.fn) << 16 |
      static_cast<int64_t>(op.alu) << 24 | static_cast<int64_t>(op.rounds) << 32);
  add(op.index);
  add(op.offset);
  add(op.ivalue);
  add(op.step);
  add(std::bit_cast<int64_t>(op.fvalue));
  add_list(op.shape);
  add_list(op.operands);
  add_list(op.dims);
  add_list(op.starts);
  add_list(op.steps);
  add_list(op.strides);
  return key;
}

}  // namespace

Status merge_equal_ops(ir::Module& module) {
  std::unordered_map<std::string, ValueId> seen;
  rewrite(module, [&](ir::Builder& build, const Op& op, ValueId) -> std::optional<ValueId> {
    std::string key = key_of(op);
    if (const auto found = seen.find(key); found != seen.end()) return found->second;
    const ValueId value = build.add(op);
    seen.emplace(std::move(key), value);
    return value;
  });
  return ok_status();
}

}  // namespace lanewise::compiler::pass

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/numerics/compiled_run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "compiler/ir/number.h"
#include "compiler/ir/strided.h"
#include "compiler/pass/pipeline.h"
#include "compiler/schedule_module.h"
#include "sim/chip/chip.h"

namespace lanewise::test {
namespace {

using compiler::ir::Module;
using compiler::ir::Op;
using compiler::ir::OpKind;
using isa::DType;
using Bytes = std::vector<std::byte>;

void fill(Bytes& bytes, DType dtype, bool positive, std::mt19937& random) {
  const int64_t size = isa::dtype_bytes(dtype);
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    if (isa::is_float(dtype)) {
      std::uniform_real_distribution<float> value(positive ? 0.1f : -2.0f, 2.0f);
      compiler::ir::store_float(dtype, value(random), &bytes[at]);
    } else if (dtype == DType::b8) {
      compiler::ir::store_integer(dtype, random() & 1, &bytes[at]);
    } else {
      // Values past 2^24 and 2^32 show every detour through f32.
      const int bits = std::min<int>(static_cast<int>(size) * 8 - 2, 40);
      std::uniform_int_distribution<int64_t> value(positive ? 1 : -(int64_t{1} << bits), int64_t{1} << bits);
      compiler::ir::store_integer(dtype, value(random), &bytes[at]);
    }
  }
}

int64_t extent(const Op& input) {
  int64_t last = input.offset;
  for (size_t d = 0; d < input.shape.size(); ++d) last += std::max<int64_t>(0, input.strides[d]) * std::max<int64_t>(0, input.shape[d] - 1);
  return (last + 1) * isa::dtype_bytes(input.dtype);
}

double tolerance(DType dtype, const CompareOptions& options) {
  switch (dtype) {
    case DType::bf16: return 1.0 / 64;
    case DType::f16: return 1.0 / 512;
    case DType::f8e4m3: return 1.0 / 4;
    case DType::f8e5m2: return 1.0 / 2;
    default: return options.f32_tolerance;
  }
}

std::string compare_store(const Module& module, const compiler::ir::Store& store, const Bytes& want, const Bytes& have,
                          const CompareOptions& options) {
  const Op& op = module.ops[store.value];
  const auto offsets = compiler::ir::strided_offsets(op.shape, store.strides, 0);
  const int64_t size = isa::dtype_bytes(op.dtype);
  double largest = 0;
  if (isa::is_float(op.dtype))
    for (int64_t at : offsets) {
      const double v = std::abs(compiler::ir::load_float(op.dtype, &want[at * size]));
      if (std::isfinite(v)) largest = std::max(largest, v);
    }
  for (int64_t at : offsets) {
    const std::string where = "element at " + std::to_string(at) + " of the store of %" + std::to_string(store.value) + ": ";
    if (!isa::is_float(op.dtype)) {
      const int64_t a = compiler::ir::load_integer(op.dtype, &want[at * size]), b = compiler::ir::load_integer(op.dtype, &have[at * size]);
      if (a != b) return where + "want " + std::to_string(a) + ", have " + std::to_string(b);
      continue;
    }
    const double a = compiler::ir::load_float(op.dtype, &want[at * size]), b = compiler::ir::load_float(op.dtype, &have[at * size]);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b) continue;
    const double t = tolerance(op.dtype, options);
    if (!(std::abs(a - b) <= t * std::max(std::abs(a), 0.1 * largest))) return where + "want " + std::to_string(a) + ", have " + std::to_string(b);
  }
  return {};
}

}  // namespace

std::string compare_compiled(const Module& original, const CompareOptions& options) {
  Module module = original;
  if (Status s = compiler::ir::verify(module); !s.ok()) return "verify: " + s.to_string();
  if (options.passes)
    if (Status s = compiler::pass::run_pipeline(module); !s.ok()) return "passes: " + s.to_string();
  const auto machine = machine::load_machine(options.machine);
  if (!machine.ok()) return machine.status().to_string();
  const auto program = compiler::schedule_module(module, *machine, {});
  if (!program.ok()) return "schedule: " + program.status().to_string();

  std::mt19937 random(options.seed);
  std::vector<Bytes> want(program->buffers.size());
  for (size_t i = 0; i < want.size(); ++i) {
    // Passes drop dead ops, so the original module may read more than the program.
    int64_t bytes = program->buffers[i].bytes;
    for (const Op& op : original.ops)
      if (op.kind == OpKind::input && op.index == static_cast<int32_t>(i)) bytes = std::max(bytes, extent(op));
    want[i].resize(static_cast<size_t>(bytes) + 64, std::byte{0x5a});
    // Scratch holds what an earlier program left.
    if (program->buffers[i].kind == isa::Buffer::Kind::scratch) fill(want[i], DType::i64, false, random);
  }
  for (const Op& op : original.ops)
    if (op.kind == OpKind::input) fill(want[op.index], op.dtype, options.positive, random);
  std::vector<Bytes> have = want;

  std::vector<compiler::ir::HostBuffer> host;
  for (int32_t i = 0; i < module.inputs + module.outputs; ++i) host.push_back({want[i].data(), static_cast<int64_t>(want[i].size())});
  std::vector<compiler::ir::HostParameter> parameters;
  std::vector<sim::ParameterValue> values;
  for (size_t i = 0; i < module.parameters.size(); ++i) {
    parameters.push_back({0.75 + static_cast<double>(i), static_cast<int64_t>(i) + 3});
    values.push_back({parameters.back().f, parameters.back().i});
  }
  if (Status s = compiler::ir::evaluate(original, host, parameters); !s.ok()) return "evaluate: " + s.to_string();

  std::vector<sim::Binding> bound;
  for (size_t i = 0; i < have.size(); ++i) bound.push_back({have[i].data(), program->buffers[i].bytes});
  sim::RunOptions run;
  run.check_hazards = true;
  if (Status s = sim::run_values(*program, *machine, bound, values, run); !s.ok()) return "run: " + s.to_string();

  for (const compiler::ir::Store& store : original.stores) {
    const int32_t buffer = store.index + (store.to_input ? 0 : module.inputs);
    const std::string difference = compare_store(original, store, want[buffer], have[buffer], options);
    if (!difference.empty()) return difference;
    // Equal from here on, so that what is left is what no store covers.
    const int64_t size = isa::dtype_bytes(original.ops[store.value].dtype);
    for (int64_t at : compiler::ir::strided_offsets(original.ops[store.value].shape, store.strides, 0))
      std::memcpy(&have[buffer][at * size], &want[buffer][at * size], size);
  }
  for (int32_t i = 0; i < module.inputs + module.outputs; ++i)
    if (want[i] != have[i]) return "buffer " + std::to_string(i) + " was written outside of its stores";
  return {};
}

std::string compare_compiled(const std::string& ir_text, const CompareOptions& options) {
  const auto module = compiler::ir::parse_text(ir_text);
  if (!module.ok()) return "parse: " + module.status().to_string();
  return compare_compiled(*module, options);
}

Result<isa::Program> schedule_text(const std::string& ir_text) {
  LW_ASSIGN_OR_RETURN(Module module, compiler::ir::parse_text(ir_text));
  LW_RETURN_IF_ERROR(compiler::ir::verify(module));
  LW_ASSIGN_OR_RETURN(machine::Machine machine, machine::load_machine("trn2"));
  return compiler::schedule_module(module, machine, {});
}

}  // namespace lanewise::test

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/run_neff.h"

#include <algorithm>
#include <cstring>

#include "isa/trn2/table.h"
#include "lab/real_program.h"
#include "sim/chip/chip.h"
#include "trace/import/neff/program.h"

namespace lanewise::lab {
namespace {

using isa::Buffer;
using trace::neff::Npy;

std::string shape_text(const Npy& array) {
  std::string out = array.dtype + " [";
  for (size_t d = 0; d < array.shape.size(); ++d) out += (d > 0 ? ", " : "") + std::to_string(array.shape[d]);
  return out + "]";
}

// What an input or output should look like.
struct Expected {
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t bytes = 0;
};

std::string missing(const std::string& name, const std::map<std::string, Expected>& wanted) {
  std::string out = "input " + name + " is missing; the program takes";
  for (const auto& [other, e] : wanted) out += " " + other + " (" + shape_text({e.dtype, e.shape, {}}) + ")";
  return out;
}

// NumPy has no bfloat16: such arrays come as two raw bytes an element.
bool same_dtype(std::string_view wanted, std::string_view given) {
  return wanted.empty() || wanted == given || (wanted == "bfloat16" && (given == "|V2" || given == "uint16")) ||
         (wanted == "bool" && given == "uint8") || (wanted == "uint8" && given == "bool");
}

Status fill(const std::string& name, const Expected& e, const Arrays& inputs, const std::map<std::string, Expected>& wanted, std::string* to) {
  const auto found = inputs.find(name);
  if (found == inputs.end()) return not_found(missing(name, wanted));
  const Npy& given = found->second;
  if (static_cast<int64_t>(given.bytes.size()) != e.bytes || !same_dtype(e.dtype, given.dtype))
    return invalid_argument("input " + name + " is " + shape_text(given) + ", " + std::to_string(given.bytes.size()) +
                            " bytes; the program takes " + shape_text({e.dtype, e.shape, {}}) + ", " + std::to_string(e.bytes) + " bytes");
  *to = given.bytes;
  return ok_status();
}

Status nothing_else(const Arrays& inputs, const std::map<std::string, Expected>& wanted) {
  for (const auto& [name, array] : inputs)
    if (!wanted.contains(name)) return not_found("the program has no input " + name + missing("", wanted).substr(std::string("input  is missing").size()));
  return ok_status();
}

sim::Binding binding(std::string& bytes) {
  return {reinterpret_cast<std::byte*>(bytes.data()), static_cast<int64_t>(bytes.size())};
}

Result<RunResult> run_real(const trace::neff::RealNeff& neff, const Arrays& inputs, const machine::Machine& machine) {
  RunResult result;
  result.notes = neff.problems;
  std::map<std::string, Expected> wanted, made;
  std::map<std::string, std::string> memory;   // by variable, shared by the cores
  for (const trace::neff::Core& core : neff.cores)
    for (const trace::neff::Variable& v : core.variables) {
      if (v.type == "state-buffer") continue;
      if (v.bytes < 0 || v.bytes > machine.chip.hbm_bytes_per_core)
        return data_loss("variable " + v.name + " of " + std::to_string(v.bytes) + " bytes; a core has " + std::to_string(machine.chip.hbm_bytes_per_core) + " of device memory");
      Expected e{"", {}, v.bytes};
      if (const auto* info = core.tensor(v.name)) e.dtype = info->dtype, e.shape = info->shape;
      if (v.type == "input") wanted[v.name] = e;
      if (v.type == "output") made[v.name] = e;
      std::string& bytes = memory[v.name];
      if (static_cast<int64_t>(bytes.size()) < v.bytes) bytes.resize(static_cast<size_t>(v.bytes));
      const auto constant = core.constants.find(v.name);
      if (constant != core.constants.end()) bytes = constant->second.bytes;
    }
  LW_RETURN_IF_ERROR(nothing_else(inputs, wanted));
  for (const auto& [name, e] : wanted) LW_RETURN_IF_ERROR(fill(name, e, inputs, wanted, &memory[name]));
  for (size_t c = 0; c < neff.cores.size(); ++c) {
    LW_ASSIGN_OR_RETURN(const RealProgram real, real_program(neff, c));
    for (const std::string& n : real.notes)
      if (std::find(result.notes.begin(), result.notes.end(), n) == result.notes.end()) result.notes.push_back(n);
    std::vector<sim::Binding> bound;
    for (const Buffer& b : real.program.buffers) bound.push_back(b.bytes == 0 ? sim::Binding{} : binding(memory[b.name]));
    const Status status = sim::run_values(real.program, machine_for(real, machine), bound, {}, {});
    if (!status.ok()) return status.with_context(neff.cores[c].folder);
  }
  for (const auto& [name, e] : made) result.outputs[name] = {e.dtype.empty() ? "uint8" : e.dtype, e.dtype.empty() ? std::vector<int64_t>{e.bytes} : e.shape, memory[name]};
  return result;
}

// As NumPy calls it.
std::string_view numpy_name(isa::DType t) {
  for (int code = 0; code < 256; ++code) {
    const isa::trn2::DTypeRow* row = isa::trn2::dtype_row(static_cast<uint8_t>(code));
    if (row != nullptr && row->ours && row->dtype == t) return row->name;
  }
  return t == isa::DType::i64 ? "int64" : t == isa::DType::b8 ? "bool" : "uint8";
}

// The dtype by which instructions read (`writes` false) or write a buffer; the first one counts.
isa::DType dtype_of(const isa::Program& program, size_t buffer, bool writes) {
  for (const auto& stream : program.streams)
    for (const isa::Instruction& in : stream) {
      const isa::Hbm& side = writes ? in.hbm_dst : in.hbm_src;
      if (side.present() && side.buffer == static_cast<int32_t>(buffer)) return side.dtype;
    }
  return isa::DType::u8;
}

double scalar_of(const Npy& a) {
  float f = 0;
  double d = 0;
  int64_t i = 0;
  int32_t n = 0;
  if (a.dtype == "float32" && a.bytes.size() == 4) return std::memcpy(&f, a.bytes.data(), 4), f;
  if (a.dtype == "float64" && a.bytes.size() == 8) return std::memcpy(&d, a.bytes.data(), 8), d;
  if (a.dtype == "int64" && a.bytes.size() == 8) return std::memcpy(&i, a.bytes.data(), 8), static_cast<double>(i);
  if (a.dtype == "int32" && a.bytes.size() == 4) return std::memcpy(&n, a.bytes.data(), 4), n;
  return 0;
}

Result<RunResult> run_ours(const isa::Program& program, const Arrays& inputs, const machine::Machine& machine) {
  const isa::VerifyLimits limits{machine.memory.sbuf_partition_bytes, machine.memory.psum_banks * machine.memory.psum_bank_bytes};
  if (const Status legal = isa::verify(program, limits); !legal.ok()) return legal.with_context("the program in this NEFF");
  std::map<std::string, Expected> wanted;
  std::vector<std::string> memory(program.buffers.size());
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& b = program.buffers[i];
    if (b.bytes > machine.chip.hbm_bytes_per_core)
      return data_loss("buffer " + b.name + " of " + std::to_string(b.bytes) + " bytes; a core has " + std::to_string(machine.chip.hbm_bytes_per_core) + " of device memory");
    if (b.kind == Buffer::Kind::input) wanted[b.name] = {std::string(numpy_name(dtype_of(program, i, false))), {}, b.bytes};
  }
  for (const isa::Parameter& p : program.parameters) wanted[p.name] = {p.dtype == isa::DType::f32 ? "float32" : "int64", {}, p.dtype == isa::DType::f32 ? 4 : 8};
  LW_RETURN_IF_ERROR(nothing_else(inputs, wanted));
  std::vector<sim::Binding> bound;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& b = program.buffers[i];
    memory[i].resize(static_cast<size_t>(b.bytes));
    if (b.kind == Buffer::Kind::input) LW_RETURN_IF_ERROR(fill(b.name, wanted[b.name], inputs, wanted, &memory[i]));
    if (!b.data.empty()) std::memcpy(memory[i].data(), b.data.data(), b.data.size());
    bound.push_back(binding(memory[i]));
  }
  std::vector<sim::ParameterValue> parameters;
  for (const isa::Parameter& p : program.parameters) {
    const auto found = inputs.find(p.name);
    if (found == inputs.end()) return not_found(missing(p.name, wanted));
    const double v = scalar_of(found->second);
    parameters.push_back({v, static_cast<int64_t>(v)});
  }
  LW_RETURN_IF_ERROR(sim::run_values(program, machine, bound, parameters, {}));
  RunResult result;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].kind != Buffer::Kind::output) continue;
    const isa::DType t = dtype_of(program, i, true);
    const int64_t n = program.buffers[i].bytes / isa::dtype_bytes(t);
    result.outputs[program.buffers[i].name] = {std::string(numpy_name(t)), {n}, memory[i].substr(0, static_cast<size_t>(n * isa::dtype_bytes(t)))};
  }
  return result;
}

}  // namespace

Result<RunResult> run_neff(std::string_view bytes, const Arrays& inputs, const machine::Machine& machine) {
  std::string damage;
  LW_ASSIGN_OR_RETURN(const trace::record::Neff neff, trace::neff::open_container(bytes, &damage));
  if (!damage.empty()) return data_loss(damage + "; a damaged program is not run");
  if (neff.ours()) {
    LW_ASSIGN_OR_RETURN(const isa::Program program, trace::record::neff_program(neff));
    return run_ours(program, inputs, machine);
  }
  LW_ASSIGN_OR_RETURN(const trace::neff::RealNeff real, trace::neff::read_real_neff(neff));
  return run_real(real, inputs, machine);
}

}  // namespace lanewise::lab

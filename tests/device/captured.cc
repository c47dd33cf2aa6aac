// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/device/captured.h"

#include <fstream>

#include "compiler/compile.h"
#include "runtime/driver/sim/device_profile.h"
#include "sim/chip/chip.h"
#include "trace/import/lanewise_pair/pair.h"
#include "trace/record/neff.h"
#include "trace/record/ntff.h"

namespace lanewise::test {

Result<Captured> capture_program(const isa::Program& program, const std::string& spec) {
  Captured c;
  c.program = program;
  LW_ASSIGN_OR_RETURN(c.machine, machine::load_machine(spec));
  c.hash = isa::program_hash(program);
  LW_ASSIGN_OR_RETURN(const sim::Timing timing, sim::time_program(program, c.machine, {.records = true}));
  LW_ASSIGN_OR_RETURN(c.neff, trace::record::write_neff(program, c.hash, "", compiler::compiler_version()));
  trace::record::Ntff ntff;
  ntff.program_hash = c.hash;
  ntff.uuid = trace::record::pair_id(c.hash, isa::encode(program));
  ntff.program = program.name;
  ntff.neff = trace::record::neff_name(c.hash, 0);
  ntff.producer.machine_preset = c.machine.name;
  ntff.producer.machine_spec = c.machine.spec;
  ntff.producer.simulator_version = sim::simulator_version();
  ntff.producer.exec_overhead_ns = c.machine.host.exec_overhead_ns;
  ntff.producer.device_capture_overhead_ns = c.machine.host.device_capture_overhead_ns;
  ntff.profile = runtime::sim_driver::device_profile(timing);
  LW_ASSIGN_OR_RETURN(c.ntff, trace::record::write_ntff(ntff));
  return c;
}

Result<Captured> capture_graph(const std::string& graph, const std::string& name, const std::string& spec) {
  LW_ASSIGN_OR_RETURN(const compiler::aten::Graph parsed, compiler::aten::parse_text(graph));
  LW_ASSIGN_OR_RETURN(const machine::Machine machine, machine::load_machine(spec));
  compiler::CompileOptions options;
  options.name = name;
  LW_ASSIGN_OR_RETURN(const isa::Program program, compiler::compile(parsed, machine, options));
  return capture_program(program, spec);
}

Result<trace::device::DeviceProfile> profile_of(const std::string& graph, const std::string& name, const std::string& spec) {
  LW_ASSIGN_OR_RETURN(const Captured c, capture_graph(graph, name, spec));
  return trace::lanewise_pair::read_pair(c.neff, c.ntff);
}

std::string write_pair(const Captured& captured, const std::string& folder, uint32_t instance) {
  const std::string neff = folder + "/" + trace::record::neff_name(captured.hash, 0);
  std::ofstream(neff, std::ios::binary) << captured.neff;
  std::ofstream(folder + "/" + trace::record::ntff_name(captured.hash, instance, 0), std::ios::binary) << captured.ntff;
  return neff;
}

std::string matmul_graph(int64_t n, const std::string& dtype) {
  const std::string side = std::to_string(n), type = dtype + "[" + side + "," + side + "]{" + side + ",1}";
  return "%a = input " + type + "\n%b = input " + type + "\n%c = aten::mm(%a, %b) -> " + type + "\nreturn %c\n";
}

std::string add_graph(int64_t elements, const std::string& dtype) {
  const std::string type = dtype + "[" + std::to_string(elements) + "]{1}";
  return "%a = input " + type + "\n%b = input " + type + "\n%c = aten::add.Tensor(%a, %b, 1) -> " + type + "\nreturn %c\n";
}

std::string rms_norm_graph(int64_t rows, int64_t columns) {
  const std::string r = std::to_string(rows), c = std::to_string(columns), type = "bf16[" + r + "," + c + "]{" + c + ",1}";
  return "%x = input " + type + "\n%w = input bf16[" + c + "]{1}\n(%o, %r) = aten::_fused_rms_norm(%x, [" + c + "], %w, 1e-06) -> " + type + ", f32[" + r +
         ",1]{1,1}\nreturn %o, %r\n";
}

}  // namespace lanewise::test

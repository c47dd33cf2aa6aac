// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/device_disasm.h"

#include <array>
#include <cstdio>
#include <optional>

#include <nlohmann/json.hpp>

#include "isa/trn2/table.h"
#include "tools/trace_input.h"
#include "trace/import/lanewise_pair/program.h"
#include "trace/import/neff/program.h"
#include "trace/record/output_file.h"

namespace lanewise::tools {
namespace {

using nlohmann::json;
namespace trn2 = isa::trn2;
namespace device = trace::device;
namespace neff = trace::neff;

// What is known of a file, whoever made it.
struct Listing {
  device::Program program;
  std::optional<neff::RealNeff> real;
  std::vector<isa::Parameter> parameters;   // ours: what a launch passes by value
  std::vector<neff::Member> members;
  std::vector<std::string> problems;
};

Result<Listing> open_listing(const std::string& path) {
  LW_ASSIGN_OR_RETURN(const std::string bytes, trace::record::read_whole_file(path));
  std::string damage;
  auto container = neff::open_container(bytes, &damage);
  if (!container.ok()) return container.status().with_context(path);
  Listing out;
  if (!damage.empty()) out.problems.push_back(damage);
  if (container->ours()) {
    auto program = trace::lanewise_pair::program_of(*container);
    if (!program.ok()) return program.status().with_context(path);
    out.program = std::move(program).value();
    out.parameters = trace::record::neff_program(*container).value().parameters;
    for (const auto& m : container->members)
      out.members.push_back({m.name, static_cast<int64_t>(m.bytes.size()), m.name == "program.bin" || m.name == "debug_map.json" ? neff::MemberUse::read : neff::MemberUse::listed});
    return out;
  }
  auto real = neff::read_real_neff(*container);
  if (!real.ok()) return real.status().with_context(path);
  out.program = neff::program_of(*real);
  out.members = real->members;
  out.problems.insert(out.problems.end(), real->problems.begin(), real->problems.end());
  out.real = std::move(real).value();
  return out;
}

// Names that people know from the public tools, beside ours.
std::optional<isa::Engine> engine_named(std::string_view name) {
  struct Row { std::string_view name; isa::Engine engine; };
  constexpr Row kRows[] = {{"PE", isa::Engine::pe},      {"tensor", isa::Engine::pe},     {"DVE", isa::Engine::vector},
                           {"ACT", isa::Engine::scalar}, {"Activation", isa::Engine::scalar}, {"POOL", isa::Engine::gpsimd},
                           {"Pool", isa::Engine::gpsimd}, {"SP", isa::Engine::sync}};
  for (const Row& row : kRows)
    if (row.name == name) return row.engine;
  return isa::parse_engine(name);
}

struct Count {
  int64_t instructions = 0, bytes = 0, known = 0, padding = 0, unknown = 0, not_understood = 0, published = 0, inferred = 0;
};

const trn2::Instruction* raw(const Listing& l, const device::Instruction& i) {
  if (!l.real) return nullptr;
  return &l.real->cores[i.core].engines[static_cast<size_t>(i.engine)].instructions[i.index];
}

// By engine. A binary's rest that is no whole instruction counts as unknown bytes.
std::array<Count, isa::kEngineCount> count(const Listing& l) {
  std::array<Count, isa::kEngineCount> out;
  for (const device::Instruction& i : l.program.instructions) {
    Count& c = out[static_cast<size_t>(i.engine)];
    ++c.instructions;
    const trn2::Instruction* r = raw(l, i);
    if (r == nullptr) continue;
    c.bytes += static_cast<int64_t>(trn2::kInstructionBytes);
    c.known += r->bytes_of(trn2::ByteUse::known);
    c.padding += r->bytes_of(trn2::ByteUse::padding);
    c.unknown += r->bytes_of(trn2::ByteUse::unknown);
    c.not_understood += !r->not_understood.empty();
    c.published += r->published;
    c.inferred += r->inferred;
  }
  if (l.real)
    for (const neff::Core& core : l.real->cores)
      for (const neff::EngineCode& code : core.engines) {
        out[static_cast<size_t>(code.engine)].bytes += code.rest_bytes;
        out[static_cast<size_t>(code.engine)].unknown += code.rest_bytes;
      }
  return out;
}

std::string_view use_name(neff::MemberUse use) {
  return use == neff::MemberUse::read ? "read" : use == neff::MemberUse::listed ? "listed" : "unknown";
}

std::string line(const Listing& l, const device::Instruction& i) {
  std::string out = std::to_string(i.index);
  out.insert(0, out.size() < 5 ? 5 - out.size() : 0, ' ');
  out += "  " + i.text;
  if (!i.name.empty()) out += "  ; " + i.name;
  if (!i.ir_op.empty() || !i.aten_node.empty()) out += "  ; " + i.ir_op + (i.aten_node.empty() ? "" : " " + i.aten_node);
  return out;
}

void print_text(const Listing& l, const std::string& path, std::optional<isa::Engine> only) {
  std::printf("%s  %s  %s, made for %s, %d core%s\n", path.c_str(), l.program.name.c_str(), l.program.compiler.c_str(),
              l.program.target.c_str(), l.program.cores, l.program.cores == 1 ? "" : "s");
  for (const device::Tensor& t : l.program.tensors) {
    std::string shape;
    for (int64_t n : t.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(n);
    std::printf("  %-8s %s  %s [%s]  %lld bytes\n", t.kind.c_str(), t.name.c_str(), t.dtype.c_str(), shape.c_str(), static_cast<long long>(t.bytes));
  }
  for (const isa::Parameter& p : l.parameters) std::printf("  parameter %s  %s\n", p.name.c_str(), p.dtype == isa::DType::f32 ? "float32" : "int64");
  int core = -1, engine = -1;
  for (const device::Instruction& i : l.program.instructions) {
    if (only && i.engine != *only) continue;
    if (i.core != core || static_cast<int>(i.engine) != engine) {
      core = i.core, engine = static_cast<int>(i.engine);
      std::printf("\ncore %d  %s\n", core, std::string(isa::engine_name(i.engine)).c_str());
    }
    std::puts(line(l, i).c_str());
  }
  std::puts("\nledger");
  const auto counts = count(l);
  for (int e = 0; e < isa::kEngineCount; ++e) {
    const Count& c = counts[static_cast<size_t>(e)];
    std::printf("  %-7s %lld instructions", std::string(isa::engine_name(static_cast<isa::Engine>(e))).c_str(), static_cast<long long>(c.instructions));
    if (l.real)
      std::printf(", %lld bytes: %lld known, %lld padding, %lld unknown; %lld not understood, %lld with published and %lld with inferred fields", static_cast<long long>(c.bytes),
                  static_cast<long long>(c.known), static_cast<long long>(c.padding), static_cast<long long>(c.unknown), static_cast<long long>(c.not_understood), static_cast<long long>(c.published), static_cast<long long>(c.inferred));
    std::puts("");
  }
  int64_t uses[3] = {};
  for (const neff::Member& m : l.members) ++uses[static_cast<int>(m.use)];
  std::printf("  archive %lld members read, %lld listed, %lld unknown\n", static_cast<long long>(uses[0]), static_cast<long long>(uses[1]), static_cast<long long>(uses[2]));
  for (const neff::Member& m : l.members)
    if (m.use == neff::MemberUse::unknown) std::printf("          unknown: %s, %lld bytes\n", m.name.c_str(), static_cast<long long>(m.bytes));
  for (const std::string& problem : l.problems) std::printf("  %s\n", problem.c_str());
}

std::string_view space_name(device::Space space) {
  constexpr std::string_view kNames[] = {"none", "sbuf", "psum", "hbm", "immediate", "register"};
  return kNames[static_cast<size_t>(space)];
}

json operand_json(const device::Operand& o) {
  json out = {{"role", o.role}, {"space", std::string(space_name(o.space))}, {"dtype", o.dtype}, {"address", o.address}, {"sizes", o.sizes}, {"steps", o.steps}};
  if (o.space == device::Space::hbm) out["tensor"] = o.tensor;
  else out["partition"] = o.partition, out["partitions"] = o.partitions;
  return out;
}
json semaphores_json(const std::vector<device::Semaphore>& list) {
  json out = json::array();
  for (const device::Semaphore& s : list) out.push_back({{"semaphore", s.number}, {"relation", s.relation}, {"value", s.value}});
  return out;
}

json instruction_json(const Listing& l, const device::Instruction& i) {
  json operands = json::array();
  for (const device::Operand& o : i.operands) operands.push_back(operand_json(o));
  json out = {{"core", i.core}, {"engine", std::string(isa::engine_name(i.engine))}, {"index", i.index}, {"opcode", i.opcode}, {"name", i.name},
              {"text", i.text}, {"operands", std::move(operands)}, {"waits", semaphores_json(i.waits)}, {"updates", semaphores_json(i.updates)},
              {"elements", i.elements}, {"flops", i.flops}, {"setup", i.setup}};
  if (i.queue != device::kNone) out["queue"] = l.program.queues[i.queue].name;
  if (!i.ir_op.empty()) out["ir_op"] = i.ir_op;
  if (!i.aten_node.empty()) out["aten_node"] = i.aten_node;
  if (const trn2::Instruction* r = raw(l, i)) {
    out["bytes"] = trn2::hex(*r);
    out["published"] = r->published;
    out["inferred"] = r->inferred;
    if (!r->not_understood.empty()) out["not_understood"] = r->not_understood;
  }
  return out;
}

json ledger_json(const Listing& l) {
  json engines = json::array(), members = json::array();
  const auto counts = count(l);
  for (int e = 0; e < isa::kEngineCount; ++e) {
    const Count& c = counts[static_cast<size_t>(e)];
    engines.push_back({{"engine", std::string(isa::engine_name(static_cast<isa::Engine>(e)))}, {"instructions", c.instructions}, {"bytes", c.bytes}, {"known", c.known},
                       {"padding", c.padding}, {"unknown", c.unknown}, {"not_understood", c.not_understood}, {"published", c.published}, {"inferred", c.inferred}});
  }
  for (const neff::Member& m : l.members) members.push_back({{"name", m.name}, {"bytes", m.bytes}, {"use", std::string(use_name(m.use))}});
  return {{"engines", std::move(engines)}, {"members", std::move(members)}, {"problems", l.problems}};
}

void print_json(const Listing& l, std::optional<isa::Engine> only) {
  json instructions = json::array(), descriptors = json::array(), tensors = json::array(), parameters = json::array();
  for (const isa::Parameter& p : l.parameters) parameters.push_back({{"name", p.name}, {"dtype", p.dtype == isa::DType::f32 ? "float32" : "int64"}});
  for (const device::Instruction& i : l.program.instructions)
    if (!only || i.engine == *only) instructions.push_back(instruction_json(l, i));
  for (const device::DmaDescriptor& d : l.program.descriptors) {
    json out = {{"core", d.core}, {"name", d.name}, {"from", operand_json(d.from)}, {"to", operand_json(d.to)}, {"bytes", d.bytes}};
    if (d.queue != device::kNone) out["queue"] = l.program.queues[d.queue].name;
    if (d.trigger != device::kNone) {
      const device::Instruction& t = l.program.instructions[d.trigger];
      out["trigger"] = {{"engine", std::string(isa::engine_name(t.engine))}, {"index", t.index}};
    }
    descriptors.push_back(std::move(out));
  }
  for (const device::Tensor& t : l.program.tensors) tensors.push_back({{"name", t.name}, {"kind", t.kind}, {"dtype", t.dtype}, {"shape", t.shape}, {"bytes", t.bytes}});
  const json out = {{"schema", 1}, {"command", "device disasm"}, {"name", l.program.name}, {"compiler", l.program.compiler}, {"target", l.program.target}, {"cores", l.program.cores},
                    {"tensors", std::move(tensors)}, {"parameters", std::move(parameters)}, {"instructions", std::move(instructions)}, {"descriptors", std::move(descriptors)}, {"ledger", ledger_json(l)}};
  std::puts(out.dump(1, ' ', false, json::error_handler_t::replace).c_str());
}

}  // namespace

DeviceDisasm::DeviceDisasm(CLI::App& device)
    : command_(device.add_subcommand("disasm", "The instructions of a compiled program, ours or one for real trn2, and a ledger of its bytes")) {
  command_->add_option("file", path_, "FILE.neff")->required();
  command_->add_option("--engine", engine_, "Only this one: pe, vector, scalar, gpsimd, sync (or PE, DVE, ACT, POOL, SP)");
  command_->add_flag("--json", json_, "The machine answer (docs/device_level.md)");
}

int DeviceDisasm::run() const {
  std::optional<isa::Engine> only;
  if (!engine_.empty()) {
    only = engine_named(engine_);
    if (!only) return exit_code_of(invalid_argument("\"" + engine_ + "\" is no engine; there are pe, vector, scalar, gpsimd, sync"));
  }
  const auto listing = open_listing(path_);
  if (!listing.ok()) return exit_code_of(listing.status());
  if (json_) print_json(*listing, only);
  else print_text(*listing, path_, only);
  for (const std::string& problem : listing->problems) std::fprintf(stderr, "lanewise: %s: %s\n", path_.c_str(), problem.c_str());
  return kExitDone;
}

}  // namespace lanewise::tools

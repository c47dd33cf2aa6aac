// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Evaluates ATen graphs on the host, for the comparison with PyTorch (tests/lowering). Reads cases from stdin:
//
//   case NAME
//   input HEX            bytes of each graph input, from its first to its last element
//   param DOUBLE INT     one for each run-time parameter
//   graph                then the graph's text, up to a line "end"
//
// and answers each with "case NAME", then "ok" and one "buffer HEX" for each input and new output, or "error SENTENCE".
// With --list it prints the ops of the lowering table instead; with --passes the module goes through the pass pipeline
// before it is evaluated; with --compiled it is compiled and the program runs on the simulated chip, hazards checked.
#include <charconv>
#include <iostream>
#include <string>

#include "compiler/aten/host_run.h"
#include "compiler/compile.h"
#include "compiler/pass/pipeline.h"
#include "sim/chip/chip.h"

namespace lanewise {
namespace {

using compiler::aten::HostTensor;

struct Case {
  std::string name, graph;
  std::vector<std::vector<std::byte>> inputs;
  std::vector<compiler::ir::HostParameter> parameters;
};

std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> bytes(text.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    unsigned value = 0;
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, value, 16);
    bytes[i] = static_cast<std::byte>(value);
  }
  return bytes;
}

std::string to_hex(const std::vector<std::byte>& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte b : bytes) {
    text += kDigits[static_cast<unsigned>(b) >> 4];
    text += kDigits[static_cast<unsigned>(b) & 15];
  }
  return text;
}

bool read_case(std::istream& in, Case& result) {
  result = {};
  std::string line;
  while (std::getline(in, line)) {
    const size_t space = line.find(' ');
    const std::string word = line.substr(0, space), rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (word == "case") result.name = rest;
    if (word == "input") result.inputs.push_back(from_hex(rest));
    if (word == "param") {
      const size_t gap = rest.find(' ');
      result.parameters.push_back({std::stod(rest.substr(0, gap)), std::stoll(rest.substr(gap + 1))});
    }
    if (word != "graph") continue;
    while (std::getline(in, line) && line != "end") result.graph += line + "\n";
    return true;
  }
  return false;
}

// Inputs, then new outputs, as run_on_host answers.
Result<std::vector<HostTensor>> run_on_chip(const compiler::aten::Graph& graph, std::vector<HostTensor> tensors,
                                            const std::vector<compiler::ir::HostParameter>& parameters) {
  LW_ASSIGN_OR_RETURN(const machine::Machine machine, machine::load_machine("trn2"));
  LW_ASSIGN_OR_RETURN(const isa::Program program, compiler::compile(graph, machine, {}));
  for (const auto& output : graph.outputs)
    if (output.into_input < 0) tensors.push_back(HostTensor::empty(graph.values[output.value].meta));
  std::vector<std::vector<std::byte>> scratch(program.buffers.size());
  std::vector<sim::Binding> bound;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    auto& data = i < tensors.size() ? tensors[i].data : scratch[i];
    if (i >= tensors.size()) data.resize(static_cast<size_t>(program.buffers[i].bytes), std::byte{0xff});
    bound.push_back({data.data(), static_cast<int64_t>(data.size())});
  }
  std::vector<sim::ParameterValue> values;
  for (const auto& p : parameters) values.push_back({p.f, p.i});
  sim::RunOptions options;
  options.check_hazards = true;
  LW_RETURN_IF_ERROR(sim::run_values(program, machine, bound, values, options));
  return tensors;
}

enum class Mode { lowered, passes, compiled };

Result<std::vector<HostTensor>> run(Case& work, Mode mode) {
  LW_ASSIGN_OR_RETURN(const compiler::aten::Graph graph, compiler::aten::parse_text(work.graph));
  std::vector<HostTensor> inputs;
  if (work.inputs.size() != graph.inputs.size()) return invalid_argument("one input line for each graph input is needed");
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    inputs.push_back({graph.values[graph.inputs[i].value].meta, std::move(work.inputs[i])});
  }
  const auto rewrite = [](compiler::ir::Module& module) { return compiler::pass::run_pipeline(module); };
  if (mode == Mode::compiled) return run_on_chip(graph, std::move(inputs), work.parameters);
  if (mode == Mode::passes) return run_on_host(graph, std::move(inputs), work.parameters, rewrite);
  return run_on_host(graph, std::move(inputs), work.parameters);
}

}  // namespace
}  // namespace lanewise

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  if (argc > 1 && std::string_view(argv[1]) == "--list") {
    for (const auto op : lanewise::compiler::aten::supported_ops()) std::cout << op << "\n";
    return 0;
  }
  const std::string_view flag = argc > 1 ? argv[1] : "";
  const auto mode = flag == "--passes" ? lanewise::Mode::passes : flag == "--compiled" ? lanewise::Mode::compiled : lanewise::Mode::lowered;
  lanewise::Case work;
  while (lanewise::read_case(std::cin, work)) {
    std::cout << "case " << work.name << "\n";
    const auto result = lanewise::run(work, mode);
    if (!result.ok()) {
      std::cout << "error " << result.status().to_string() << "\n";
      continue;
    }
    std::cout << "ok\n";
    for (const auto& tensor : *result) std::cout << "buffer " << lanewise::to_hex(tensor.data) << "\n";
  }
  return 0;
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/device_run.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "lab/npz.h"
#include "lab/run_neff.h"
#include "machine/machine.h"
#include "tools/trace_input.h"
#include "trace/pair/open_pair.h"

namespace lanewise::tools {
namespace {

// Under its name only when all of it is written.
Status write_file(const std::string& path, const std::string& bytes) {
  const std::string partial = path + ".part";
  std::FILE* file = std::fopen(partial.c_str(), "wb");
  if (file == nullptr) return invalid_argument("cannot write " + path + ": " + std::strerror(errno));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (std::fclose(file) == 0 && written && std::rename(partial.c_str(), path.c_str()) == 0) return ok_status();
  const std::string reason = std::strerror(errno);
  std::remove(partial.c_str());
  return resource_exhausted("cannot write " + path + ": " + reason);
}

Result<lab::RunResult> run_program(const std::string& path, const std::string& inputs_path, const std::string& spec) {
  LW_ASSIGN_OR_RETURN(const machine::Machine machine, machine::load_machine(spec));
  LW_ASSIGN_OR_RETURN(const std::string bytes, trace::pair::read_file(path));
  lab::Arrays inputs;
  if (!inputs_path.empty()) {
    LW_ASSIGN_OR_RETURN(const std::string npz, trace::pair::read_file(inputs_path));
    auto arrays = lab::read_npz(npz);
    if (!arrays.ok()) return arrays.status().with_context(inputs_path);
    inputs = std::move(arrays).value();
  }
  auto result = lab::run_neff(bytes, inputs, machine);
  if (!result.ok()) return result.status().with_context(path);
  return result;
}

}  // namespace

DeviceRun::DeviceRun(CLI::App& device)
    : command_(device.add_subcommand("run", "Executes a compiled program, ours or one for real trn2, and writes its outputs")), machine_("trn2") {
  command_->add_option("file", path_, "FILE.neff")->required();
  command_->add_option("--inputs", inputs_, "X.npz: an array for each input, by name (np.savez)");
  command_->add_option("--outputs", outputs_, "Y.npz to write (np.load)")->required();
  command_->add_option("--machine", machine_, "NAME[,key=value...]")->capture_default_str();
}

int DeviceRun::run() const {
  const auto result = run_program(path_, inputs_, machine_);
  if (!result.ok()) return exit_code_of(result.status());
  const auto npz = lab::write_npz(result->outputs);
  if (!npz.ok()) return exit_code_of(npz.status());
  if (const Status written = write_file(outputs_, *npz); !written.ok()) return exit_code_of(written);
  for (const std::string& note : result->notes) std::fprintf(stderr, "lanewise: note: %s\n", note.c_str());
  for (const auto& [name, array] : result->outputs) {
    std::string shape;
    for (int64_t n : array.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(n);
    std::printf("%s  %s [%s]\n", name.c_str(), array.dtype.c_str(), shape.c_str());
  }
  return kExitDone;
}

}  // namespace lanewise::tools

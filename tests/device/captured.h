// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For the tests of the device level: a graph, compiled and timed, as the pair of files that a capture writes.
#pragma once

#include <string>

#include "base/status.h"
#include "isa/program.h"
#include "machine/machine.h"
#include "trace/device/profile.h"

namespace lanewise::test {

struct Captured {
  isa::Program program;
  machine::Machine machine;
  uint64_t hash = 0;
  std::string neff, ntff;   // bytes
};

// The text form of compiler/aten/graph.h on a machine spec.
Result<Captured> capture_graph(const std::string& graph, const std::string& name, const std::string& spec = "trn2");
// A program as it is.
Result<Captured> capture_program(const isa::Program& program, const std::string& spec = "trn2");

// The pair of a graph, read back.
Result<trace::device::DeviceProfile> profile_of(const std::string& graph, const std::string& name, const std::string& spec = "trn2");

// Writes both files under their own names; gives the path of the .neff.
std::string write_pair(const Captured& captured, const std::string& folder, uint32_t instance = 0);

// Graphs of the questions that the tests ask.
std::string matmul_graph(int64_t n, const std::string& dtype = "bf16");
std::string add_graph(int64_t elements, const std::string& dtype = "f32");
std::string rms_norm_graph(int64_t rows, int64_t columns);   // fused, bf16

}  // namespace lanewise::test

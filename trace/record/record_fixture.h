// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests only: a folder that goes away, a small program, a profile, events.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "isa/program.h"
#include "trace/record/capture.h"

namespace lanewise::trace::record {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "lanewise-record-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline isa::Program small_program(const std::string& name = "mul_4x512_bf16") {
  isa::Program p;
  p.name = name;
  p.machine = "trn2";
  p.buffers = {{isa::Buffer::Kind::input, "x", 4096, {}},
               {isa::Buffer::Kind::constant, "c", 3, {std::byte{1}, std::byte{0}, std::byte{255}}},
               {isa::Buffer::Kind::output, "y", 4096, {}}};
  p.parameters = {{"eps", isa::DType::f32}};
  p.debug.push_back({"mul.0", "aten::mul.Tensor \"odd\" name"});
  isa::Instruction wait;
  wait.op = isa::Opcode::semaphore_wait;
  wait.engine = isa::Engine::vector;
  wait.wait = {3, 1};
  wait.debug = 1;
  isa::Instruction signal;
  signal.op = isa::Opcode::semaphore_increment;
  signal.engine = isa::Engine::sync;
  signal.update = {3, 1};
  p.streams[static_cast<int>(isa::Engine::vector)] = {wait};
  p.streams[static_cast<int>(isa::Engine::sync)] = {signal};
  p.semaphores_used = 4;
  return p;
}

inline DeviceProfile small_profile() {
  DeviceProfile p;
  p.duration_ps = 1'234'567;
  p.instructions = {{1, false, 0, 0, 0, 0, 60'000, 0},
                    {0, true, 70'000, 0, 10, 20, 30, 0},              // beyond 16 bits, throttled, waited
                    {2, false, 1, 70'001, 0, 5, 1'300'000, 1'280'000},  // a late iteration, a table load
                    {4, false, 4'000'000'000u, 4'000'000'000u, 1, 1, 1, 0}};
  p.dmas = {{4, 15, 2, 0, 100, 200, 900, 1000, 1 << 20, 64}, {1, 0, 90'000, 65'536, 0, 0, 0, 0, int64_t{5} << 32, 1}};
  return p;
}

inline Event runtime_event(uint16_t nc, uint64_t launch_id) {
  Event e;
  e.kind = EventKind::nrta_execute_schedule;
  e.nc = nc;
  e.thread = static_cast<uint32_t>(gettid());
  e.start_ns = now_ns();
  e.end_ns = e.start_ns + 10;
  e.launch_id = launch_id;
  return e;
}

inline Event hardware_event(uint16_t nc, uint64_t launch_id) {
  Event e = runtime_event(nc, launch_id);
  e.kind = EventKind::nc_exec_running;
  e.thread = 0;
  e.end_ns = e.start_ns + 1000;
  return e;
}

inline CaptureOptions in_memory() {
  CaptureOptions options;
  options.write_files = false;
  return options;
}

inline std::shared_ptr<Capture> start_capture(const CaptureOptions& options) {
  auto capture = Capture::start(options, Producer{});
  EXPECT_TRUE(capture.ok()) << capture.status().to_string();
  return capture.ok() ? *capture : nullptr;
}

}  // namespace lanewise::trace::record

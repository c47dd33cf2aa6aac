// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/proc_sampler.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "trace/record/proto_wire.h"

namespace lanewise::trace::record {
namespace {

constexpr uint32_t kSampleField = 1;

std::string as_field(const ProtoMessage& sample) {
  ProtoMessage file;
  file.message(kSampleField, sample);
  return std::string(file.bytes());
}

// "VmRSS:   1234 kB" -> 1234 * 1024; 0 when the line is missing.
uint64_t kilobytes_line(const std::string& text, const std::string& key) {
  const size_t at = text.find(key + ":");
  if (at == std::string::npos) return 0;
  return std::strtoull(text.c_str() + at + key.size() + 1, nullptr, 10) * 1024;
}

std::string slurp(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

bool CpuSampler::read() {
  std::ifstream stat("/proc/stat");
  std::string line;
  current_.clear();
  while (std::getline(stat, line)) {
    if (line.rfind("cpu", 0) != 0 || line.size() < 4 || line[3] == ' ') continue;
    std::istringstream fields(line.substr(3));
    size_t cpu = 0;
    fields >> cpu;
    // user nice system idle iowait irq softirq steal; guest time is within user already
    uint64_t values[8] = {};
    for (uint64_t& v : values) fields >> v;
    Ticks t;
    for (int i = 0; i < 8; ++i) {
      t.total += values[i];
      if (i != 3 && i != 4) t.busy += values[i];
    }
    if (cpu >= 65536) continue;
    if (current_.size() <= cpu) current_.resize(cpu + 1);
    current_[cpu] = t;
  }
  const std::string self = slurp("/proc/self/stat");
  const size_t after_name = self.rfind(')');   // the name may hold anything
  if (after_name != std::string::npos) {
    std::istringstream fields(self.substr(after_name + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;   // state .. cmajflt
    uint64_t user = 0, system = 0;
    fields >> user >> system;
    process_ = user + system;
  }
  return !current_.empty();
}

std::string CpuSampler::sample(int64_t now_ns) {
  const std::vector<Ticks> last = current_;
  const uint64_t last_process = process_;
  if (!read()) return {};
  uint64_t wall = 0;   // ticks that passed, by the CPU that saw most
  for (size_t i = 0; i < current_.size() && i < last.size(); ++i)
    wall = std::max(wall, current_[i].total - std::min(last[i].total, current_[i].total));
  if (wall == 0) {
    current_ = last;
    process_ = last_process;
    return {};
  }
  ProtoMessage s;
  s.integer(1, now_ns);
  s.integer(2, static_cast<int64_t>(wall) * 1'000'000'000 / sysconf(_SC_CLK_TCK));
  s.number(3, 100.0 * static_cast<double>(process_ - last_process) / static_cast<double>(wall));
  for (size_t i = 0; i < current_.size(); ++i) {
    const Ticks before = i < last.size() ? last[i] : Ticks{};
    const uint64_t total = current_[i].total - std::min(before.total, current_[i].total);
    const uint64_t busy = current_[i].busy - std::min(before.busy, current_[i].busy);
    ProtoMessage cpu;
    cpu.uint(1, i).number(2, total == 0 ? 0.0 : 100.0 * static_cast<double>(std::min(busy, total)) / static_cast<double>(total));
    s.message(4, cpu);
  }
  return as_field(s);
}

std::string host_memory_sample(int64_t now_ns) {
  const std::string self = slurp("/proc/self/status");
  const std::string machine = slurp("/proc/meminfo");
  ProtoMessage s;
  s.integer(1, now_ns);
  const std::pair<uint32_t, uint64_t> values[] = {
      {2, kilobytes_line(self, "VmRSS")},         {3, kilobytes_line(self, "VmHWM")},
      {4, kilobytes_line(self, "VmSize")},        {5, kilobytes_line(self, "VmSwap")},
      {6, kilobytes_line(machine, "MemTotal")},   {7, kilobytes_line(machine, "MemAvailable")}};
  for (auto [field, bytes] : values) {
    if (bytes != 0) s.uint(field, bytes);
  }
  return as_field(s);
}

}  // namespace lanewise::trace::record

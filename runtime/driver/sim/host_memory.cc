// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/host_memory.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

namespace lanewise::runtime::sim_driver {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// First number of a file that is one number; -1 when absent or "max".
int64_t number_in(const char* path) {
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path, "re"));
  long long value = -1;
  if (!file || std::fscanf(file.get(), "%lld", &value) != 1) return -1;
  return value;
}

int64_t meminfo_available() {
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen("/proc/meminfo", "re"));
  if (!file) return -1;
  char line[128];
  long long kib = -1;
  while (std::fgets(line, sizeof line, file.get()))
    if (std::sscanf(line, "MemAvailable: %lld kB", &kib) == 1) return kib * 1024;
  return -1;
}

int64_t left_of(const char* limit_path, const char* used_path) {
  int64_t limit = number_in(limit_path), used = number_in(used_path);
  // Version 1 writes a number near 2^63 for "no limit".
  if (limit < 0 || used < 0 || limit > (int64_t{1} << 60)) return -1;
  return std::max<int64_t>(limit - used, 0);
}

}  // namespace

int64_t available_host_memory() {
  int64_t best = std::numeric_limits<int64_t>::max();
  for (int64_t candidate :
       {meminfo_available(), left_of("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        left_of("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes")})
    if (candidate >= 0) best = std::min(best, candidate);
  return best == std::numeric_limits<int64_t>::max() ? 0 : best;
}

int64_t device_capacity(int64_t wanted, int64_t hbm_bytes, int64_t available, int devices) {
  constexpr int64_t kPage = 4096, kLeast = int64_t{64} << 20;
  int64_t capacity = wanted;
  if (capacity <= 0) {
    capacity = std::max(available / 2 / std::max(devices, 1), kLeast);
    if (hbm_bytes > 0) capacity = std::min(capacity, hbm_bytes);
  }
  return std::max(capacity / kPage * kPage, kPage);
}

}  // namespace lanewise::runtime::sim_driver

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/transfers.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "trace/device_analysis/operands.h"

namespace lanewise::lab {
namespace {

using trace::device::DeviceProfile;
using trace::device::kNone;
using trace::device::Operand;
using trace::device::Space;

constexpr int64_t kSemaphoreBytes = 4;   // the semaphore's own bytes, at the end of its descriptor or alone in one

int64_t element_bytes(const Operand& o) { return std::max<int64_t>(1, trace::device_analysis::dtype_bytes(o.dtype)); }

int64_t elements(const Operand& o) {
  int64_t n = 1;
  for (const int64_t size : o.sizes) n *= std::max<int64_t>(1, size);
  return n * std::max(1, o.space == Space::hbm ? 1 : o.partitions);
}

// Contiguous bytes at the end of a pattern.
int64_t run_bytes(const Operand& o) {
  int64_t run = 1;
  for (size_t d = o.sizes.size(); d-- > 0 && d < o.steps.size() && o.steps[d] == run;) run *= std::max<int64_t>(1, o.sizes[d]);
  return run * element_bytes(o);
}

// Byte of the tensor at which the element number `at` of a pattern lies.
int64_t address(const Operand& o, int64_t at) {
  int64_t offset = 0;
  for (size_t d = o.sizes.size(); d-- > 0;) {
    const int64_t size = std::max<int64_t>(1, o.sizes[d]);
    if (d < o.steps.size()) offset += at % size * o.steps[d];
    at /= size;
  }
  return o.address + offset * element_bytes(o);
}

class Pages {
 public:
  explicit Pages(int64_t bytes) : bytes_(bytes) {}

  // How many of the pages that `count` elements from `first` on lie in are new.
  int64_t read(uint16_t core, const Operand& o, int64_t first, int64_t count) {
    const int64_t width = element_bytes(o), run = std::max<int64_t>(1, run_bytes(o) / width);
    int64_t fresh = 0;
    for (int64_t at = first; at < first + count;) {
      const int64_t here = std::min(run - at % run, first + count - at), begin = address(o, at);
      for (int64_t page = begin / bytes_; page <= (begin + here * width - 1) / bytes_; ++page)
        fresh += seen_.insert({core, o.tensor, page}).second;
      at += here;
    }
    return fresh;
  }

 private:
  int64_t bytes_;
  std::set<std::tuple<uint16_t, std::string, int64_t>> seen_;
};

}  // namespace

std::map<uint32_t, Transfer> transfers_of(const DeviceProfile& captured, const machine::Machine& machine) {
  const auto& program = captured.program;
  const auto io = [&](const Operand& o) {
    return std::any_of(program.tensors.begin(), program.tensors.end(), [&](const auto& tensor) {
      return o.space == Space::hbm && tensor.name == o.tensor && (tensor.kind == "input" || tensor.kind == "output");
    });
  };
  std::map<uint32_t, Transfer> out;
  for (uint32_t d = 0; d < captured.dmas.size(); ++d) {
    const auto& run = captured.dmas[d];
    if (run.setup || run.trigger == kNone || run.iteration != 0) continue;
    Transfer& t = out[run.trigger];
    t.queue = run.queue;
    const auto& updates = program.instructions[run.trigger].updates;
    if (!updates.empty()) t.semaphore = updates[0].number;
    sim::dma::Descriptor one;
    one.bytes = run.bytes;
    one.semaphore = run.semaphore && t.semaphore >= 0;
    one.tag = d;
    t.visible += one.semaphore;
    if (run.descriptor != kNone) {
      const auto& row = program.descriptors[run.descriptor];
      if (row.from.space == Space::hbm) one.read_run = run_bytes(row.from);
      one.write_run = run_bytes(row.to);
      one.to_memory = row.to.space == Space::hbm;
      if (row.from.dtype != row.to.dtype && run.bytes > kSemaphoreBytes)
        one.cast_from = run.bytes * element_bytes(row.from) / element_bytes(row.to);
      t.io = t.io || io(row.from) || io(row.to);
    }
    t.descriptors[run.dma_engine].push_back(one);
  }
  Pages pages(machine.dma.page_bytes);
  for (auto& [trigger, t] : out) {
    int64_t at = 0;   // element of the pattern: engines take it in turn of their numbers, a ring in its order
    for (auto& [engine, list] : t.descriptors)
      for (sim::dma::Descriptor& one : list) {
        const auto& run = captured.dmas[one.tag];
        if (one.read_run == 0) continue;
        const auto& row = program.descriptors[run.descriptor];
        const int64_t data = run.bytes - (run.semaphore ? kSemaphoreBytes : 0);
        const int64_t count = std::min(data / element_bytes(row.to), elements(row.from) - at);
        one.new_pages = pages.read(run.core, row.from, at, count);
        at += count;
      }
  }
  return out;
}

}  // namespace lanewise::lab

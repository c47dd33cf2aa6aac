// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/chip/hazard_checker.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "isa/table.h"
#include "sim/core/rows.h"

namespace lanewise::sim {
namespace {

using core::Access;
using isa::Instruction;
using isa::Tile;

// "vector instruction 3 (text)" or "DMA of sync instruction 3 (text)".
std::string describe(const isa::Program& program, const Access& a) {
  const Instruction& in = program.streams[a.engine][a.index];
  const std::string who = std::string(isa::engine_name(static_cast<isa::Engine>(a.engine))) + " instruction " +
                          std::to_string(a.index) + " (" + isa::print_text(in) + ")";
  return a.agent >= isa::kEngineCount ? "the DMA of " + who : who;
}

}  // namespace

HazardChecker::HazardChecker(const isa::Program& program, const core::Memory* memory)
    : program_(program), memory_(memory), order_(program), sbuf_(order_, true), psum_(order_, true) {
  find_regions(memory);
}

void HazardChecker::find_regions(const core::Memory* memory) {
  const size_t n = program_.buffers.size();
  std::vector<bool> written(n, false);
  for (const auto& stream : program_.streams)
    for (const Instruction& in : stream)
      if (in.hbm_dst.present() && static_cast<size_t>(in.hbm_dst.buffer) < n) written[in.hbm_dst.buffer] = true;
  regions_.resize(n);
  if (memory == nullptr) {
    for (size_t i = 0; i < n; ++i)
      if (written[i]) {
        regions_[i].shadow = static_cast<int>(hbm_.size());
        hbm_.emplace_back(order_, false);
      }
    return;
  }
  // In order of address; a buffer that begins before the last one ends belongs to the same region.
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto address = [&](size_t i) { return reinterpret_cast<int64_t>(memory->buffers[i].data); };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return address(a) < address(b); });
  for (size_t i = 0; i < n;) {
    const int64_t base = address(order[i]);
    int64_t end = base;
    bool any = false;
    size_t j = i;
    for (; j < n && (j == i || address(order[j]) < end); ++j) {
      end = std::max(end, address(order[j]) + memory->buffers[order[j]].bytes);
      any = any || written[order[j]];
    }
    for (size_t k = i; any && k < j; ++k)
      regions_[order[k]] = {static_cast<int>(hbm_.size()), address(order[k]) - base};
    if (any) hbm_.emplace_back(order_, false);
    i = j;
  }
}

Status HazardChecker::report(const core::Conflict& conflict, bool write, const std::string& space) const {
  const std::string where = space + " bytes " + std::to_string(conflict.bytes.begin) + ".." +
                            std::to_string(conflict.bytes.end);
  // The instruction itself is named by whoever runs it.
  const std::string who = now_.agent >= isa::kEngineCount ? "its DMA " : "";
  if (!conflict.earlier)
    return failed_precondition("hazard: " + who + "reads " + where + " (partitions " + std::to_string(now_.first) +
                               ".." + std::to_string(now_.last) + "), which nothing in this program wrote before");
  const Access& earlier = *conflict.earlier;
  return failed_precondition("hazard: " + who + (write ? "writes " : "reads ") + where +
                             " (partitions " + std::to_string(std::max(now_.first, earlier.first)) + ".." +
                             std::to_string(std::min(now_.last, earlier.last)) + ") that " +
                             describe(program_, earlier) + (earlier.write ? " writes" : " reads") +
                             "; no queue or semaphore puts one after the other");
}

Status HazardChecker::touch(const Tile& tile, bool write, const core::Registers& registers) {
  if (!tile.present()) return ok_status();
  Access a = now_;
  a.write = write;
  a.first = tile.partition;
  a.last = tile.partition + tile.partitions;
  const bool in_sbuf = tile.space == isa::Space::sbuf;
  const auto conflict = (in_sbuf ? sbuf_ : psum_).enter(a, core::extent_of(tile, registers));
  if (!conflict) return ok_status();
  now_ = a;
  return report(*conflict, write, in_sbuf ? "SBUF" : "PSUM");
}

Status HazardChecker::touch(const isa::Hbm& pattern, bool write, const core::Registers& registers) {
  if (!pattern.present() || static_cast<size_t>(pattern.buffer) >= regions_.size()) return ok_status();
  const Region& region = regions_[pattern.buffer];
  if (region.shadow < 0) return ok_status();
  Access a = now_;
  a.write = write;
  core::Extent extent = core::extent_of(pattern, registers);
  extent.begin += region.base;
  extent.end += region.base;
  const std::string space = "buffer " + std::to_string(pattern.buffer) +
                            (region.base != 0 ? " (shared memory, counted from the lowest buffer)" : "");
  if (!pattern.row_index.present()) {
    const auto conflict = hbm_[region.shadow].enter(a, extent);
    return conflict ? report(*conflict, write, space) : ok_status();
  }
  if (memory_ == nullptr) return ok_status();   // rows unknown
  core::View view;
  LW_RETURN_IF_ERROR(core::resolve(*memory_, pattern.row_index, registers, &view));
  core::RunCursor cursor(view);
  for (int64_t p = 0; p < pattern.row_index.partitions; ++p) {
    int64_t row = 0, shift = 0;
    core::load(cursor, &row, 1);
    if (__builtin_mul_overflow(row, pattern.row_stride * isa::dtype_bytes(pattern.dtype), &shift)) continue;
    core::Extent e = extent;
    e.begin += shift;
    e.end += shift;
    if (const auto conflict = hbm_[region.shadow].enter(a, e)) return report(*conflict, write, space);
  }
  return ok_status();
}

Status HazardChecker::touch_all(const Instruction& in, const core::Registers& registers) {
  for (const Tile* t : {&in.src0, &in.src1, &in.src2, &in.scalar0.tile, &in.scalar1.tile, &in.hbm_src.row_index,
                        &in.hbm_dst.row_index})
    LW_RETURN_IF_ERROR(touch(*t, false, registers));
  LW_RETURN_IF_ERROR(touch(in.hbm_src, false, registers));
  // Adding to PSUM and writing under a predicate keep what was there.
  if (in.accumulate || in.op == isa::Opcode::tensor_copy_predicated)
    LW_RETURN_IF_ERROR(touch(in.dst, false, registers));
  LW_RETURN_IF_ERROR(touch(in.dst, true, registers));
  LW_RETURN_IF_ERROR(touch(in.dst2, true, registers));
  return touch(in.hbm_dst, true, registers);
}

Status HazardChecker::execute(isa::Engine engine, const core::StreamCursor& at) {
  const Instruction& in = at.instruction();
  const int e = order_.engine_agent(engine);
  order_.acquire(e, in.wait);
  now_ = Access{e, order_.event(e), false, 0, 1, static_cast<uint8_t>(engine), at.index()};
  if (in.op == isa::Opcode::dma_copy) {
    now_.agent = order_.queue_agent(engine, in.queue % 16);
    now_.event = order_.dma_event(now_.agent, e);
  }
  LW_RETURN_IF_ERROR(touch_all(in, at.registers()));
  order_.release(now_.agent, in.update);
  return ok_status();
}

Status check_hazards(const isa::Program& program, const machine::Machine& machine) {
  HazardChecker checker(program, nullptr);
  return execute_program(program, checker, std::numeric_limits<int64_t>::max());
}

}  // namespace lanewise::sim

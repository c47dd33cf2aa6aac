// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/keys.h"

#include <algorithm>

#include "base/near_word.h"

namespace lanewise::machine {
namespace {

#define NUMBER(path, member, min, max) \
  Key { path, [](Machine& m) -> int64_t& { return m.member; }, nullptr, min, max }
#define FLAG(path, member) \
  Key { path, nullptr, [](Machine& m) -> bool& { return m.member; } }

constexpr int64_t kMaxKhz = 100'000'000;              // 100 GHz
constexpr int64_t kMaxCycles = 1'000'000;
constexpr int64_t kMaxPs = 1'000'000'000'000;         // 1 s
constexpr int64_t kMaxNs = 10'000'000'000;            // 10 s
constexpr int64_t kMinRate = 1'000'000, kMaxRate = 1'000'000'000'000'000;
constexpr int64_t kGiB = int64_t{1} << 30;

// partitions and psum_bank_bytes are part of the instruction set (quadrant rule, bank rule), not free numbers.
const Key kKeys[] = {
    NUMBER("chip.cores", chip.cores, 1, 1024),
    NUMBER("chip.cores_per_hbm_stack", chip.cores_per_hbm_stack, 1, 1024),
    NUMBER("chip.hbm_bytes_per_core", chip.hbm_bytes_per_core, 1 << 20, 1024 * kGiB),
    NUMBER("pe.clock_khz", pe.clock.khz, 1, kMaxKhz),
    NUMBER("pe.fill_drain_cycles", pe.fill_drain_cycles, 0, kMaxCycles),
    NUMBER("pe.columns_cycles_16bit_num", pe.columns_cycles_16bit_num, 1, 1024),
    NUMBER("pe.columns_cycles_16bit_den", pe.columns_cycles_16bit_den, 1, 1024),
    NUMBER("pe.columns_cycles_fp8_num", pe.columns_cycles_fp8_num, 1, 1024),
    NUMBER("pe.columns_cycles_fp8_den", pe.columns_cycles_fp8_den, 1, 1024),
    NUMBER("pe.fp32_passes", pe.fp32_passes, 1, 16),
    NUMBER("pe.fp32_cycles_per_column", pe.fp32_cycles_per_column, 1, 1024),
    NUMBER("pe.load_weights_cycles", pe.load_weights_cycles, 0, kMaxCycles),
    NUMBER("pe.throttle_factor", pe.throttle_factor, 1, 64),
    NUMBER("pe.throttle_window_ps", pe.throttle_window_ps, 0, kMaxPs),
    NUMBER("pe.throttle_release_permille", pe.throttle_release_permille, 0, kMaxCycles),
    NUMBER("pe.throttle_engage_permille", pe.throttle_engage_permille, 0, kMaxCycles),
    NUMBER("pe.load_weights_cycles_fp32", pe.load_weights_cycles_fp32, 0, kMaxCycles),
    NUMBER("pe.load_weights_cycles_transpose_fp32", pe.load_weights_cycles_transpose_fp32, 0, kMaxCycles),
    NUMBER("pe.load_to_columns_ps", pe.load_to_columns_ps, 0, kMaxPs),
    NUMBER("pe.load_pipeline_ps", pe.load_pipeline_ps, 0, kMaxPs),
    NUMBER("pe.load_ahead_ps", pe.load_ahead_ps, 0, kMaxPs),
    NUMBER("pe.strided_column_ps", pe.strided_column_ps, 0, kMaxPs),
    NUMBER("pe.array_fill_cycles", pe.array_fill_cycles, 0, kMaxCycles),
    NUMBER("pe.moving_gap_ps", pe.moving_gap_ps, 0, kMaxPs),
    NUMBER("pe.columns_latency_ps", pe.columns_latency_ps, 0, kMaxPs),
    NUMBER("pe.hand_over_ps", pe.hand_over_ps, 0, kMaxPs),
    NUMBER("pe.queue_wake_ps", pe.queue_wake_ps, 0, kMaxPs),
    NUMBER("vector.clock_khz", vector.clock.khz, 1, kMaxKhz),
    NUMBER("vector.fixed_cycles", vector.fixed_cycles, 0, kMaxCycles),
    NUMBER("vector.min_interval_cycles", vector.min_interval_cycles, 0, kMaxCycles),
    NUMBER("vector.tensor_tensor_fp32_cycles", vector.tensor_tensor_fp32_cycles, 1, 1024),
    NUMBER("vector.reciprocal_cycles", vector.reciprocal_cycles, 1, 1024),
    FLAG("vector.perf_modes", vector.perf_modes),
    NUMBER("vector.front_cycles", vector.front_cycles, 0, kMaxCycles),
    NUMBER("vector.back_cycles", vector.back_cycles, 0, kMaxCycles),
    NUMBER("vector.ahead_ps", vector.ahead_ps, 0, kMaxPs),
    NUMBER("vector.ahead_partial_ps", vector.ahead_partial_ps, 0, kMaxPs),
    NUMBER("vector.wide_stride_cycles_x4", vector.wide_stride_cycles_x4, 0, kMaxCycles),
    NUMBER("scalar.clock_khz", scalar.clock.khz, 1, kMaxKhz),
    NUMBER("scalar.copy_fixed_cycles", scalar.copy_fixed_cycles, 0, kMaxCycles),
    NUMBER("scalar.function_fixed_cycles", scalar.function_fixed_cycles, 0, kMaxCycles),
    NUMBER("scalar.min_interval_cycles", scalar.min_interval_cycles, 0, kMaxCycles),
    NUMBER("scalar.table_load_ps", scalar.table_load_ps, 0, kMaxPs),
    NUMBER("scalar.front_cycles", scalar.front_cycles, 0, kMaxCycles),
    NUMBER("scalar.back_cycles", scalar.back_cycles, 0, kMaxCycles),
    NUMBER("scalar.ahead_ps", scalar.ahead_ps, 0, kMaxPs),
    NUMBER("scalar.wide_stride_cycles_x4", scalar.wide_stride_cycles_x4, 0, kMaxCycles),
    NUMBER("gpsimd.clock_khz", gpsimd.clock.khz, 1, kMaxKhz),
    NUMBER("gpsimd.fixed_cycles", gpsimd.fixed_cycles, 0, kMaxCycles),
    NUMBER("gpsimd.min_interval_cycles", gpsimd.min_interval_cycles, 0, kMaxCycles),
    NUMBER("gpsimd.iota_fixed_cycles", gpsimd.iota_fixed_cycles, 0, kMaxCycles),
    NUMBER("gpsimd.int64_factor", gpsimd.int64_factor, 1, 1024),
    FLAG("gpsimd.shares_sbuf_port_with_vector", gpsimd.shares_sbuf_port_with_vector),
    NUMBER("sequencer_pe.post_ps", sequencer.pe.post_ps, 0, kMaxPs),
    NUMBER("sequencer_pe.wake_ps", sequencer.pe.wake_ps, 0, kMaxPs),
    NUMBER("sequencer_pe.wait_ps", sequencer.pe.wait_ps, 0, kMaxPs),
    NUMBER("sequencer_pe.wait_interval_ps", sequencer.pe.wait_interval_ps, 0, kMaxPs),
    NUMBER("sequencer_pe.trigger_ps", sequencer.pe.trigger_ps, 0, kMaxPs),
    NUMBER("sequencer_pe.trigger_interval_ps", sequencer.pe.trigger_interval_ps, 0, kMaxPs),
    NUMBER("sequencer_vector.post_ps", sequencer.vector.post_ps, 0, kMaxPs),
    NUMBER("sequencer_vector.wake_ps", sequencer.vector.wake_ps, 0, kMaxPs),
    NUMBER("sequencer_vector.wait_ps", sequencer.vector.wait_ps, 0, kMaxPs),
    NUMBER("sequencer_vector.wait_interval_ps", sequencer.vector.wait_interval_ps, 0, kMaxPs),
    NUMBER("sequencer_vector.trigger_ps", sequencer.vector.trigger_ps, 0, kMaxPs),
    NUMBER("sequencer_vector.trigger_interval_ps", sequencer.vector.trigger_interval_ps, 0, kMaxPs),
    NUMBER("sequencer_scalar.post_ps", sequencer.scalar.post_ps, 0, kMaxPs),
    NUMBER("sequencer_scalar.wake_ps", sequencer.scalar.wake_ps, 0, kMaxPs),
    NUMBER("sequencer_scalar.wait_ps", sequencer.scalar.wait_ps, 0, kMaxPs),
    NUMBER("sequencer_scalar.wait_interval_ps", sequencer.scalar.wait_interval_ps, 0, kMaxPs),
    NUMBER("sequencer_scalar.trigger_ps", sequencer.scalar.trigger_ps, 0, kMaxPs),
    NUMBER("sequencer_scalar.trigger_interval_ps", sequencer.scalar.trigger_interval_ps, 0, kMaxPs),
    NUMBER("sequencer_gpsimd.post_ps", sequencer.gpsimd.post_ps, 0, kMaxPs),
    NUMBER("sequencer_gpsimd.wake_ps", sequencer.gpsimd.wake_ps, 0, kMaxPs),
    NUMBER("sequencer_gpsimd.wait_ps", sequencer.gpsimd.wait_ps, 0, kMaxPs),
    NUMBER("sequencer_gpsimd.wait_interval_ps", sequencer.gpsimd.wait_interval_ps, 0, kMaxPs),
    NUMBER("sequencer_gpsimd.trigger_ps", sequencer.gpsimd.trigger_ps, 0, kMaxPs),
    NUMBER("sequencer_gpsimd.trigger_interval_ps", sequencer.gpsimd.trigger_interval_ps, 0, kMaxPs),
    NUMBER("sequencer_sync.post_ps", sequencer.sync.post_ps, 0, kMaxPs),
    NUMBER("sequencer_sync.wake_ps", sequencer.sync.wake_ps, 0, kMaxPs),
    NUMBER("sequencer_sync.wait_ps", sequencer.sync.wait_ps, 0, kMaxPs),
    NUMBER("sequencer_sync.wait_interval_ps", sequencer.sync.wait_interval_ps, 0, kMaxPs),
    NUMBER("sequencer_sync.trigger_ps", sequencer.sync.trigger_ps, 0, kMaxPs),
    NUMBER("sequencer_sync.trigger_interval_ps", sequencer.sync.trigger_interval_ps, 0, kMaxPs),
    NUMBER("memory.partitions", memory.partitions, 128, 128),
    NUMBER("memory.sbuf_partition_bytes", memory.sbuf_partition_bytes, 1024, 16 << 20),
    NUMBER("memory.psum_banks", memory.psum_banks, 1, 64),
    NUMBER("memory.psum_bank_bytes", memory.psum_bank_bytes, 2048, 2048),
    NUMBER("memory.wide_stride_bytes", memory.wide_stride_bytes, 1, 1 << 20),
    NUMBER("memory.partial_write_ps", memory.partial_write_ps, 0, kMaxPs),
    NUMBER("memory.partial_write_fixed_ps", memory.partial_write_fixed_ps, 0, kMaxPs),
    NUMBER("dma.clock_khz", dma.clock.khz, 1, kMaxKhz),
    NUMBER("dma.engines", dma.engines, 1, 1024),
    NUMBER("dma.queues_per_engine", dma.queues_per_engine, 1, 1024),
    NUMBER("dma.bytes_per_cycle", dma.bytes_per_cycle, 1, 1 << 20),
    NUMBER("dma.descriptor_cycles", dma.descriptor_cycles, 0, kMaxCycles),
    NUMBER("dma.descriptor_max_bytes", dma.descriptor_max_bytes, 1, kGiB),
    NUMBER("dma.descriptor_min_bytes", dma.descriptor_min_bytes, 0, kGiB),
    NUMBER("dma.start_ps", dma.start_ps, 0, kMaxPs),
    NUMBER("dma.drain_ps", dma.drain_ps, 0, kMaxPs),
    NUMBER("dma.completion_ps", dma.completion_ps, 0, kMaxPs),
    NUMBER("dma.software_descriptor_ps", dma.software_descriptor_ps, 0, kMaxPs),
    NUMBER("dma.hbm_bytes_per_second", dma.hbm_bytes_per_second, kMinRate, kMaxRate),
    NUMBER("dma.read_latency_ps", dma.read_latency_ps, 0, kMaxPs),
    NUMBER("dma.write_latency_ps", dma.write_latency_ps, 0, kMaxPs),
    NUMBER("dma.semaphore_write_ps", dma.semaphore_write_ps, 0, kMaxPs),
    NUMBER("dma.semaphore_busy_ps", dma.semaphore_busy_ps, 0, kMaxPs),
    NUMBER("dma.visible_before_complete_ps", dma.visible_before_complete_ps, 0, kMaxPs),
    NUMBER("dma.far_engine_ps", dma.far_engine_ps, 0, kMaxPs),
    NUMBER("dma.engine_step_ps", dma.engine_step_ps, 0, kMaxPs),
    NUMBER("dma.first_fetch_ps", dma.first_fetch_ps, 0, kMaxPs),
    NUMBER("dma.page_bytes", dma.page_bytes, 1, kGiB),
    NUMBER("dma.page_ps", dma.page_ps, 0, kMaxPs),
    NUMBER("dma.page_latency_ps", dma.page_latency_ps, 0, kMaxPs),
    NUMBER("dma.write_run_cycles", dma.write_run_cycles, 0, kMaxCycles),
    NUMBER("dma.write_ahead_ps", dma.write_ahead_ps, 0, kMaxPs),
    NUMBER("dma.retire_bytes_per_cycle", dma.retire_bytes_per_cycle, 1, kGiB),
    NUMBER("dma.path_write_bytes_per_second", dma.path_write_bytes_per_second, kMinRate, kMaxRate),
    NUMBER("dma.io_trigger_ps", dma.io_trigger_ps, 0, kMaxPs),
    NUMBER("dma.first_trigger_ps", dma.first_trigger_ps, 0, kMaxPs),
    NUMBER("dma.later_start_less_ps", dma.later_start_less_ps, 0, kMaxPs),
    NUMBER("dma.hbm_write_ps", dma.hbm_write_ps, 0, kMaxPs),
    NUMBER("dma.scattered_read_bytes", dma.scattered_read_bytes, 0, 1 << 20),
    NUMBER("dma.cast_cycles", dma.cast_cycles, 0, kMaxCycles),
    NUMBER("host.link_latency_ns", host.link_latency_ns, 0, kMaxNs),
    NUMBER("host.h2d_bytes_per_second", host.h2d_bytes_per_second, kMinRate, kMaxRate),
    NUMBER("host.d2h_bytes_per_second", host.d2h_bytes_per_second, kMinRate, kMaxRate),
    NUMBER("host.launch_latency_ns", host.launch_latency_ns, 0, kMaxNs),
    NUMBER("host.exec_overhead_ns", host.exec_overhead_ns, 0, kMaxNs),
    NUMBER("host.device_capture_overhead_ns", host.device_capture_overhead_ns, 0, kMaxNs),
    NUMBER("host.overhead_before_percent", host.overhead_before_percent, 0, 100),
};

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

std::span<const Key> keys() { return kKeys; }

const Key* find_key(std::string_view name) {
  if (name == "exec_overhead_ns") name = "host.exec_overhead_ns";
  if (name == "device_capture_overhead_ns") name = "host.device_capture_overhead_ns";
  for (const Key& key : kKeys)
    if (key.path == name) return &key;
  return nullptr;
}

std::string_view nearest_key(std::string_view typed) {
  const Key* best = nullptr;
  size_t best_distance = 0;
  for (const Key& key : kKeys) {
    // Without a dot only the last part was typed.
    const bool whole = typed.find('.') != std::string_view::npos;
    const size_t distance = edit_distance(typed, whole ? key.path : last_part(key.path));
    if (is_near(typed, distance) && (best == nullptr || distance < best_distance)) {
      best = &key;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::string_view() : best->path;
}

Status set_number(const Key& key, Machine& machine, int64_t value) {
  if (key.number == nullptr) return invalid_argument("must be true or false");
  if (key.min == key.max && value != key.min)
    return invalid_argument("must be " + std::to_string(key.min) + ", which the instruction set fixes; is " +
                            std::to_string(value));
  if (value < key.min || value > key.max)
    return invalid_argument("must be " + std::to_string(key.min) + " to " + std::to_string(key.max) + ", is " +
                            std::to_string(value));
  key.number(machine) = value;
  return ok_status();
}

Status set_flag(const Key& key, Machine& machine, bool value) {
  if (key.flag == nullptr) return invalid_argument("must be an integer, is a boolean");
  key.flag(machine) = value;
  return ok_status();
}

std::string value_text(const Key& key, const Machine& machine) {
  // The accessors give references for both uses; nothing is written here.
  auto& m = const_cast<Machine&>(machine);
  if (key.flag != nullptr) return key.flag(m) ? "true" : "false";
  return std::to_string(key.number(m));
}

Status check_together(const Machine& m) {
  if (m.dma.descriptor_min_bytes > m.dma.descriptor_max_bytes)
    return invalid_argument("dma.descriptor_min_bytes (" + std::to_string(m.dma.descriptor_min_bytes) +
                            ") must not be above dma.descriptor_max_bytes (" +
                            std::to_string(m.dma.descriptor_max_bytes) + ")");
  return ok_status();
}

}  // namespace lanewise::machine

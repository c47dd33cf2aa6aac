// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/timeline.h"

#include <algorithm>

#include "base/status.h"

namespace lanewise::runtime::sim_driver {
namespace {

// 128 bits: 10 GB times 1e9 does not fit 64.
int64_t transfer_ns(int64_t bytes, int64_t bytes_per_second) {
  __int128 scaled = static_cast<__int128>(bytes) * 1'000'000'000 + bytes_per_second - 1;
  return static_cast<int64_t>(scaled / bytes_per_second);
}

}  // namespace

Timeline::Timeline(const machine::Machine& machine) : host_(machine.host) {
  const auto& dma = machine.dma;
  int64_t dma_fixed_ns =
      round_up_to_nanos(Picos(machine.sequencer.sync.trigger_ps + dma.start_ps + dma.drain_ps + dma.completion_ps)).value;
  tracks_[int(Track::h2d)] = {host_.link_latency_ns, host_.h2d_bytes_per_second, 0, 0};
  tracks_[int(Track::d2h)] = {host_.link_latency_ns, host_.d2h_bytes_per_second, 0, 0};
  tracks_[int(Track::hbm)] = {dma_fixed_ns, dma.hbm_bytes_per_second, host_.launch_latency_ns, 0};
  for (const Rate& rate : tracks_) LW_CHECK(rate.bytes_per_second > 0, "the driver checks bandwidths when it is made");
}

ExecuteSpan Timeline::execute(int64_t& queue_ns, int64_t submitted_ns, int64_t program_ns, bool device_capture) {
  ExecuteSpan span;
  const int64_t capture_ns = device_capture ? host_.device_capture_overhead_ns : 0;
  span.exec_before_ns = host_.exec_overhead_ns * host_.overhead_before_percent / 100;
  span.exec_after_ns = host_.exec_overhead_ns - span.exec_before_ns;
  span.capture_before_ns = capture_ns * host_.overhead_before_percent / 100;
  span.capture_after_ns = capture_ns - span.capture_before_ns;
  span.start_ns = std::max({submitted_ns + host_.launch_latency_ns, core_free_ns_, queue_ns});
  span.end_ns = span.start_ns + host_.exec_overhead_ns + capture_ns + program_ns;
  core_free_ns_ = queue_ns = span.end_ns;
  return span;
}

Span Timeline::transfer(int64_t& queue_ns, Track track, int64_t submitted_ns, int64_t bytes) {
  Rate& rate = tracks_[int(track)];
  Span span;
  span.start_ns = std::max({submitted_ns + rate.latency_ns, rate.free_ns, queue_ns});
  span.end_ns = span.start_ns + rate.fixed_ns + transfer_ns(bytes, rate.bytes_per_second);
  rate.free_ns = queue_ns = span.end_ns;
  return span;
}

void Timeline::shift(int64_t by_ns) {
  core_free_ns_ += by_ns;
  for (Rate& rate : tracks_) rate.free_ns += by_ns;
}

Span Timeline::marker(int64_t& queue_ns, int64_t submitted_ns) {
  queue_ns = std::max(queue_ns, submitted_ns);
  return {queue_ns, queue_ns};
}

}  // namespace lanewise::runtime::sim_driver

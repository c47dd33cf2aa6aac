// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One device profile as a Perfetto trace (TrackEvent), for ui.perfetto.dev and for our own importer.
//
//   "nc N"     a group for each core, N the physical core
//     engines  a track for each engine that ran anything: a slice a run, named by its opcode, category "instruction"
//     DMA      a track for each queue or, where the capture tells the engine, each DMA engine: a slice a run, named by its
//              direction ("x -> SBUF"), category "dma"
//     counters a track for each series of trace/device_analysis/counter_series.h: SBUF and PSUM bytes, HBM and DMA bandwidth, pending DMAs, PE
//              utilisation limit; semaphores when they are asked for
//   arrows     from who set a semaphore to who waited for it, and from the instruction that ordered a DMA to the DMA: the ties of
//              trace/device_analysis/dependencies.h, as on the Explorer's page
//   the runtime's own runs and start-up instructions have the category "setup". Runs of one track that overlap go to
//   tracks beside it ("q_sync_0 (overlap 1)"), since slices of one track would nest.
//
// Times: ns from the begin of the capture, as Perfetto counts; a profile has ps. Begin and end are each rounded down, so that
// order and touching stay and a run under 1 ns may have no length; `begin_ps` and `duration_ps` of a slice are exact. Times before 0,
// which only a damaged file has, move all of them up. Of several samples of a counter within one ns the last is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/status.h"
#include "machine/machine.h"
#include "trace/device/profile.h"

namespace lanewise::trace::exporting {

struct DevicePerfettoReport {
  uint64_t instructions = 0, dmas = 0;   // slices
  uint64_t tracks = 0;
  uint64_t other_lanes = 0;              // slices that are on a track beside theirs
  uint64_t arrows = 0;
  uint64_t counters = 0, samples = 0;    // tracks of counters, and what is on them
};

struct DevicePerfettoOptions {
  bool semaphores = false;               // their values as counters: hundreds of tracks
};

// `write` takes the bytes in order; its failure ends the export. Errors: failed_precondition (the profile has no run).
// `machine`: the one of the profile; its hop times tie runs together.
Result<DevicePerfettoReport> write_device_perfetto(const device::DeviceProfile& profile, const machine::Machine& machine, const DevicePerfettoOptions& options,
                                                   const std::function<Status(std::string_view)>& write);

}  // namespace lanewise::trace::exporting

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which update of a semaphore let a wait through.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/device/profile.h"

namespace lanewise::trace::device_analysis {

class SemaphoreHistory {
 public:
  explicit SemaphoreHistory(const device::DeviceProfile& profile);

  // The update, at or before `begin`, from which on the wait was satisfied until `begin`: index in
  // DeviceProfile::semaphores. kNone: none does (its value held from the start, or the record is missing).
  uint32_t reached(uint16_t core, const device::Semaphore& wait, Picos begin) const;

  // Into `out`, in place of what it held: for each source (an engine, or the DMAs of a queue) of that semaphore its last update at or
  // before `update`.
  void last_of_each_source(uint32_t update, std::vector<uint32_t>* out) const;

  // The run that made the update, as in SemaphoreRun::run, found by time where the file does not say: the last run of
  // that engine that updates this semaphore, or the last DMA that was done, no later than the update.
  uint32_t run_of(uint32_t update) const { return run_[update]; }

 private:
  struct Track {
    std::vector<uint32_t> updates;    // in order of time
    std::vector<uint32_t> rise;       // by position: where the present stretch of values that never fall began
    std::vector<std::vector<uint32_t>> sources;   // positions, by source
  };
  static uint64_t key(uint16_t core, int32_t semaphore) { return uint64_t{core} << 32 | static_cast<uint32_t>(semaphore); }
  void find_runs();

  const device::DeviceProfile& profile_;
  std::unordered_map<uint64_t, Track> tracks_;
  std::vector<uint32_t> position_;   // of an update in its track
  std::vector<uint32_t> run_;
};

}  // namespace lanewise::trace::device_analysis

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What DMAs moved: per run its source and target, per tensor how often it came and went.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/device/profile.h"
#include "trace/device_analysis/options.h"

namespace lanewise::trace::device_analysis {

// One run of a DMA. Read and written bytes differ when it casts. A side that the program does not name is `none`.
struct Moved {
  device::Space from = device::Space::none, to = device::Space::none;
  int64_t read = 0, written = 0;
  uint32_t from_tensor = device::kNone, to_tensor = device::kNone;   // index in Program::tensors
};
std::vector<Moved> moved(const device::DeviceProfile& profile);      // by DMA run

struct TensorTraffic {
  int64_t read = 0, written = 0;         // bytes
  int64_t transfers = 0, descriptors = 0;
};

struct Traffic {
  int64_t hbm_read = 0, hbm_written = 0, sbuf_read = 0, sbuf_written = 0, psum_read = 0, psum_written = 0;   // by DMAs
  int64_t unknown = 0;                   // bytes of DMAs whose sides the program does not name
  int64_t minimum_read = 0;              // inputs and constants once, but no more than was read
  int64_t minimum_written = 0;           // outputs (and inputs written in place) once, but no more than was written
  int64_t reloads = 0;                   // read of inputs and constants beyond the first time
  int64_t rewrites = 0;
  int64_t spill_save = 0, spill_reload = 0;   // written to and read from scratch
  std::vector<TensorTraffic> tensors;    // by Program::tensors
};
Traffic traffic(const device::DeviceProfile& profile);
Traffic traffic(const Subject& subject);   // of the DMAs of its range

}  // namespace lanewise::trace::device_analysis

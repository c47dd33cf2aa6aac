// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/device_profile.h"

namespace lanewise::runtime::sim_driver {

trace::record::DeviceProfile device_profile(const sim::Timing& timing) {
  trace::record::DeviceProfile profile;
  profile.duration_ps = timing.duration.value;
  profile.instructions.reserve(timing.records.size());
  for (const sim::InstructionRecord& record : timing.records)
    profile.instructions.push_back({.engine = record.engine, .throttled = record.throttled, .index = record.index,
                                    .iteration = record.iteration, .ready_ps = record.ready.value,
                                    .begin_ps = record.begin.value, .end_ps = record.end.value,
                                    .table_load_ps = record.table_load.value});
  profile.dmas.reserve(timing.dma_records.size());
  for (const sim::DmaRecord& record : timing.dma_records)
    profile.dmas.push_back({.engine = record.engine, .queue = record.queue, .index = record.index,
                            .iteration = record.iteration, .trigger_ps = record.trigger.value,
                            .begin_ps = record.begin.value, .end_ps = record.end.value,
                            .visible_ps = record.visible.value, .bytes = record.bytes,
                            .descriptors = record.descriptors});
  return profile;
}

}  // namespace lanewise::runtime::sim_driver

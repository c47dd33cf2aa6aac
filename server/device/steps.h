// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The neighbours of a run: what it had to wait for, and who had to wait for it.
#pragma once

#include "server/device/device_view.h"

namespace lanewise::server::device {

inline constexpr size_t kMostNeighbours = 24;   // on either side

// Steps in the form of a chain: first what it waited for, the one that decided its begin at the head, then itself (role "this"), then
// who waited for it. Roles of the others: SIDE_KIND, SIDE one of before and after, KIND one of semaphore, trigger, queue, engine (in order,
// or a result in its pipeline). `after` of a step: from the moment that let the later one go on until it began, ps.
// The arrows tie the same; `arrows_total` counts those beyond kMostNeighbours as well.
timeline::Chain find_steps(const DeviceView& view, uint32_t event);

}  // namespace lanewise::server::device

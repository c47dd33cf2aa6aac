// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// c10::Stream <-> queue. A stream id is the number of a queue in its device's pool; 0 is the default queue. Streams are
// handed out round robin from at most kStreamsPerDevice queues and live as long as the process.
#pragma once

#include <c10/core/Stream.h>

#include "runtime/hal/device.h"

namespace lanewise::torch_backend {

inline constexpr int kStreamsPerDevice = 32;

c10::Stream default_stream(int device);
c10::Stream current_stream(int device);
void check_stream(const c10::Stream& stream);   // ValueError for an index or id that no device has
c10::Stream exchange_stream(const c10::Stream& stream) noexcept;   // of a checked stream; returns the previous one of that device
c10::Stream new_stream(int device);

// The queue behind a stream; throws when the id was never handed out.
runtime::Queue& queue_of(const c10::Stream& stream);
// The queue that work of this thread goes to. The fast path of every launch.
runtime::Queue& current_queue(int device);

}  // namespace lanewise::torch_backend

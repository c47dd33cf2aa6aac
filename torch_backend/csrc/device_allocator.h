// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's allocator of device `neuron`: a thin skin over the runtime's CachingAllocator. Allocates on the current
// device of the thread, for its current stream. Exhaustion is torch.OutOfMemoryError.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

namespace lanewise::torch_backend {

c10::DeviceAllocator& device_allocator() noexcept;

// On a given device whatever the current one is; what the launch path uses for its outputs.
c10::DataPtr allocate_on(int device, size_t bytes);

}  // namespace lanewise::torch_backend

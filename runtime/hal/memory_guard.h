// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What happens when host code dereferences device memory.
//
// A driver registers its reserved (PROT_NONE) ranges. Once the handler is installed, a fault inside one of them saves the
// active capture as far as that is possible within two seconds, prints one line that names the device, and ends the
// process with status 139. Every other fault goes to the handler that was there before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"

namespace lanewise::runtime {

// Makes faults in [begin, begin + bytes) belong to neuron:<device>. At most 64 ranges; more are resource_exhausted.
Status guard_range(uintptr_t begin, size_t bytes, int device);
void unguard_range(uintptr_t begin);

// Installs the SIGSEGV handler, once per process; later calls do nothing. Any thread. A program that sets its own
// handler afterwards must chain, as is the custom.
Status install_memory_guard();

}  // namespace lanewise::runtime

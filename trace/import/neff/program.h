// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A program compiled by neuronx-cc as trace::device::Program. Ours is made by trace/import/lanewise_pair.
#pragma once

#include <string_view>

#include "base/status.h"
#include "trace/device/profile.h"
#include "trace/import/neff/real_neff.h"

namespace lanewise::trace::neff {

// All cores. A DMA trigger has the patterns of its descriptors as operands and no bytes of its own (the descriptors have
// them), and as update what its transfer does to its semaphore when it is done: plus one for each hardware queue it is
// spread over. FLOPs of an f32 product that takes two passes over the weights are half on each. Waits alone are `setup`,
// as EVENT_SEMAPHORE is no part of total_exec_time in the public definition.
device::Program program_of(const RealNeff& neff);

// The container of a file, whoever made it. A damaged one gives its members before the damage and a sentence in `damage`.
// Errors: invalid_argument (empty, or no NEFF at all), data_loss (nothing could be read), unimplemented (newer).
Result<record::Neff> open_container(std::string_view bytes, std::string* damage);

// The bytes of a file made by neuronx-cc. Errors: those of open_container and read_real_neff.
Result<RealNeff> read_file(std::string_view bytes);

}  // namespace lanewise::trace::neff

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Our .neff + .ntff -> DeviceProfile.
//
// An .ntff of ours records instructions and DMAs; when a semaphore changed follows from them and the machine: an engine's
// update is visible its sequencer's `post_ps` after the end of its instruction, a DMA's when the DMA is visible. Such rows
// are derived, not recorded; docs/formats/ntff.md says so too.
#pragma once

#include <string_view>

#include "base/status.h"
#include "machine/machine.h"
#include "trace/device/profile.h"
#include "trace/record/device_profile.h"

namespace lanewise::trace::lanewise_pair {

// By content: the files are ours.
bool looks_like_ntff(std::string_view bytes);
bool looks_like_neff(std::string_view bytes);   // a NEFF at all; record::Neff::ours() says whose

// `Ledger` and runs of the .ntff, program of the .neff. What was wrong but could be worked around is a sentence of the
// ledger: a damaged .ntff gives the whole spans before the damage.
// Errors: invalid_argument (the files are swapped, or no such files at all), failed_precondition (they are of two
// programs), data_loss (nothing readable, or the runs do not fit the program), unimplemented (a newer version).
Result<device::DeviceProfile> read_pair(std::string_view neff_bytes, std::string_view ntff_bytes);

// The same from a program and runs that never were files.
Result<device::DeviceProfile> join(device::Program program, const record::DeviceProfile& runs, const machine::Machine& machine);

}  // namespace lanewise::trace::lanewise_pair

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Records of a real capture joined with the program that ran:
//
//   instruction begin and end   by the address of the instruction: the record has its low 21 bits (in units of 64 bytes),
//                               the metadata where each engine's instructions lay and which of them are the program's
//   DMA descriptors             by ring: the n-th start, read and complete of a queue on a DMA engine belong together, and
//                               descriptors follow each other as the transfers were triggered
//   semaphores                  as they are; the increments of a transfer's semaphore make its descriptors visible
//
// What lies outside the program's own instructions and queues is the runtime's prologue and epilogue: kept, marked
// `setup`, and no part of first..last.
#pragma once

#include <string_view>

#include "base/status.h"
#include "trace/device/profile.h"
#include "trace/import/ntff/capture.h"

namespace lanewise::trace::ntff {

// `program` may be empty (no NEFF at hand): all runs are there then, none with an instruction or a trigger.
// `pair_id`: 16 bytes of the NEFF's header, or empty when not to be compared.
// Errors: invalid_argument where program and capture do not belong together, with what differs.
Result<device::DeviceProfile> profile_of(std::string_view bytes, const Capture& capture, device::Program program,
                                         std::string_view pair_id);

// The two steps in one. Errors of read_capture as well.
Result<device::DeviceProfile> read_profile(std::string_view bytes, device::Program program, std::string_view pair_id);

}  // namespace lanewise::trace::ntff

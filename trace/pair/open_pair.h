// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A real NEFF and the NTFF that was recorded when it ran, as one profile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "trace/device/profile.h"

namespace lanewise::trace::pair {

// The bytes of both files. Errors: those of either reader, with the file's part in front ("NEFF: ...", "NTFF: ...");
// invalid_argument where they do not belong together.
Result<device::DeviceProfile> profile_of_bytes(std::string_view neff, std::string_view ntff);

// Reads both. Errors: not_found when a file is not there; and as above, with the path.
Result<device::DeviceProfile> open_pair(const std::string& neff, const std::string& ntff);

struct PairPaths {
  std::string name;        // "conv2d_3_float32_smaller"
  std::string neff, ntff;
};
// Pairs of one folder: every .ntff with the .neff of the same stem, or, as the runtime names them, neff_HASH... of the
// hash that its own name begins with, or else the one with the same pair id inside. In the order of names. `alone`: files without a partner.
Result<std::vector<PairPaths>> pairs_in(const std::string& folder, std::vector<std::string>* alone);

// The whole file, read in blocks. not_found: it is no file, or cannot be read.
Result<std::string> read_file(const std::string& path);

}  // namespace lanewise::trace::pair

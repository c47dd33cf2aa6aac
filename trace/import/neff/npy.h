// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy, read: the form constants have in a NEFF.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lanewise::trace::neff {

struct Npy {
  std::string dtype;             // "float32", "int8", ...; "|V2" and others as NumPy writes them
  std::vector<int64_t> shape;
  std::string bytes;             // row-major
};

// Versions 1 to 3, little endian, C order. Errors: data_loss with the byte offset.
Result<Npy> read_npy(std::string_view bytes);

}  // namespace lanewise::trace::neff

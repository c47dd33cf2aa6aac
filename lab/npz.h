// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npz: named arrays, one .npy each in a zip.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "lab/run_neff.h"

namespace lanewise::lab {

// Stored or compressed, as np.savez and np.savez_compressed write it. Errors: data_loss, with the array's name.
Result<Arrays> read_npz(std::string_view bytes);

// np.load reads it. bfloat16, which NumPy does not have, becomes its two raw bytes ("V2").
Result<std::string> write_npz(const Arrays& arrays);

}  // namespace lanewise::lab

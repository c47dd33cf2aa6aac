// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A compiled program, ours or one for real trn2, executed for values on named arrays.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "machine/machine.h"
#include "trace/import/neff/npy.h"

namespace lanewise::lab {

using Arrays = std::map<std::string, trace::neff::Npy>;

struct RunResult {
  Arrays outputs;
  std::vector<std::string> notes;   // sentences: what is read by analogy, what the file lacks
};

// `bytes`: the whole NEFF. `inputs`: by the names of the program's inputs, and one-element arrays for run-time
// parameters of ours. Real programs say dtype and shape of their outputs; of ours the dtype is that of the instruction
// that stores, and the shape flat. Cores of a pair run one after the other on the same device memory.
// Errors: not_found (an input is missing; the sentence lists all), invalid_argument (an array of another size or dtype),
// those of opening the file and of running it.
Result<RunResult> run_neff(std::string_view bytes, const Arrays& inputs, const machine::Machine& machine);

}  // namespace lanewise::lab

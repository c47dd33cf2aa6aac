// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Fewest atoms: atoms of size 1 go, and two atoms that every access walks as one (outer stride = inner stride * inner
// size) become one. Stands before placement, which wants long runs and few dimensions.
#pragma once

#include "compiler/stage/stage.h"

namespace lanewise::compiler::stage {

void collapse_atoms(Stage& stage);

}  // namespace lanewise::compiler::stage

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the atoms of a tile stage lie: partitions, free axis, loops.
//
// - The atom with stride 1 in most bytes moved (stores count double) goes to the free axis: long descriptors.
// - Reduced atoms go to the free axis, where Vector reduces; kept atoms to the partitions.
// - Few partitions busy: an atom is split, its outer part joins the partitions.
// - A short free axis (rows of 3 elements): the partition atom is split, its inner part joins the free axis.
// - A size that does not divide: the stage is cloned, one clone for the even part and one for the rest. Clones touch
//   different elements, so they share their order number.
// A load whose stride-1 atom ends up on the partitions is transposed by the PE when it is emitted.
#pragma once

#include <vector>

#include "compiler/stage/stage.h"
#include "machine/machine.h"

namespace lanewise::compiler::stage {

std::vector<Stage> place_atoms(Stage stage, const machine::Machine& machine);

}  // namespace lanewise::compiler::stage

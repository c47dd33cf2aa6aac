// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One group of ops becomes one stage.
//
// The root's dimensions are the first atoms. Then operands are demanded from the root inwards, each at an index that is
// an affine function of the atoms: views change the index, pointwise ops pass it on, a reduction binds its reduced
// dimensions to atoms (those of the root that its own index does not use, or new ones), a value with a home becomes a
// load. Two demands for one op at one index are one node.
//
//   y[i,j] = e[i,j] / s[i,0]        demanded at (i, j): e at (i, j); s at (i, 0) = sum of e over its columns: binds j,
//                                   so that e at (i, j) is the node that is there already
//
// A reshape may need an atom in two parts; then the build starts again with that atom split. What cannot be written as
// an affine access is put into `Decisions` to be isolated (computed into memory by a stage of its own).
#pragma once

#include "compiler/stage/groups.h"

namespace lanewise::compiler::stage {

struct BuildResult {
  Stage stage;
  bool empty = false;       // nothing to do: no element is written
  bool retry = false;       // `decisions` grew: group again
};

BuildResult build_stage(const ir::Module& module, const Grouping& grouping, int32_t group, const std::vector<Buffer>& buffers,
                        Decisions& decisions);

}  // namespace lanewise::compiler::stage

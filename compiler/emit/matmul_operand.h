// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Brings one operand of a matmul into SBUF with k on the partitions, as the PE wants both of its operands.
//
//   SBUF tile t of a panel:  partition = k within the tile (128), free = columns
//
// - Memory runs along the columns (a row-major right operand): DMA puts it there.
// - Memory runs along k (a row-major left operand, a transposed weight): DMA brings up to 128 columns in memory order,
//   the PE transposes 128 x 128 blocks into PSUM, Vector and Scalar in turn copy them out, a PSUM bank at a time.
#pragma once

#include <vector>

#include "compiler/emit/tile_frame.h"
#include "compiler/emit/writer.h"

namespace lanewise::compiler::emit {

inline constexpr int64_t kPeRows = 128;

class MatmulOperand {
 public:
  // `columns`: the atoms of m or n, outermost first. `dtype`: as held in SBUF (the DMA casts).
  // With no buffer, every element is `number`.
  MatmulOperand(const stage::Stage& stage, const stage::Access& access, double number, std::vector<int32_t> columns,
                isa::DType dtype, Writer& writer);

  // SBUF bytes for natural tiles; 0 when none are needed.
  int64_t natural_bytes() const;
  void set_natural(uint32_t offset) { natural_ = offset; }

  // Columns of the frame, k from `begin` to `end` (begin is a multiple of 128). Tile t lies at
  // offset + t * pitch columns.
  void bring(const Frame& frame, int64_t begin, int64_t end, uint32_t offset, int64_t pitch, int32_t ir_op);

  int64_t columns(const Frame& frame) const;
  // First element of the frame in memory.
  int64_t address(const Frame& frame) const;
  int64_t bytes() const { return isa::dtype_bytes(dtype_); }
  isa::DType dtype() const { return dtype_; }

 private:
  void bring_direct(const Frame& frame, int64_t begin, int64_t end, uint32_t offset, int64_t pitch, int32_t ir_op);
  void bring_transposed(const Frame& frame, int64_t begin, int64_t end, uint32_t offset, int64_t pitch, int32_t ir_op);
  void transpose_block(const Frame& frame, int64_t begin, int64_t end, uint32_t offset, int64_t pitch, int32_t ir_op);

  const stage::Stage& stage_;
  const stage::Access access_;
  const double number_;
  const std::vector<int32_t> columns_;
  const isa::DType dtype_;
  Writer& writer_;
  bool transposed_ = false;
  uint32_t natural_ = 0;
  int turn_ = 0, natural_turn_ = 0;
};

}  // namespace lanewise::compiler::emit

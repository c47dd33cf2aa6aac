// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's type promotion (public documentation: torch.result_type): a tensor with dimensions outranks a 0-dim
// tensor, which outranks a Python number; a lower rank changes the dtype only by a higher kind (bool, integer, float).
#pragma once

#include <optional>

#include "isa/dtype.h"

namespace lanewise::compiler::aten {

isa::DType promote(isa::DType a, isa::DType b);

class Promotion {
 public:
  void add_tensor(isa::DType dtype, bool zero_dim) { merge(zero_dim ? zero_dim_ : dimensioned_, dtype); }
  void add_number(isa::DType kind) { merge(number_, kind); }   // f32, i64 or b8
  isa::DType result() const;                                   // f32 of nothing

 private:
  static void merge(std::optional<isa::DType>& into, isa::DType dtype) { into = into ? promote(*into, dtype) : dtype; }
  std::optional<isa::DType> dimensioned_, zero_dim_, number_;
};

}  // namespace lanewise::compiler::aten

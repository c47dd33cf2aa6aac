// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/conformance/programs.h"

#include <cstring>
#include <string>
#include <utility>

namespace lanewise::runtime::conformance {
namespace {

// "$W" is the number of columns, "$B" the bytes of a row, "$N" the bytes of a tensor.
isa::Program parse(std::string text, int64_t columns) {
  const std::pair<std::string, int64_t> values[] = {{"$W", columns}, {"$B", 4 * columns}, {"$N", 4 * kRows * columns}};
  for (const auto& [key, value] : values)
    for (size_t at; (at = text.find(key)) != std::string::npos;) text.replace(at, key.size(), std::to_string(value));
  auto program = isa::parse_text(text);
  LW_CHECK(program.ok(), program.status().message());
  return std::move(*program);
}

}  // namespace

isa::Program scale_program(int64_t columns) {
  return parse(R"(program "scale" machine="" semaphores=2
buffer input "x" bytes=$N
buffer output "y" bytes=$N
parameter "by" f32
vector tensor_scalar op0=multiply dst=sbuf.f32[0:128]@$B{1x$W} src0=sbuf.f32[0:128]@0{1x$W} scalar0=param:0 wait=s0>=1 update=s1+1
sync dma_copy dst=sbuf.f32[0:128]@0{1x$W} hbm_src=hbm0.f32@0{$Wx128,1x$W} update=s0+1
sync dma_copy src0=sbuf.f32[0:128]@$B{1x$W} hbm_dst=hbm1.f32@0{$Wx128,1x$W} wait=s1>=1
)", columns);
}

isa::Program add_constant_program(int64_t columns) {
  isa::Program program = parse(R"(program "add_constant" machine="" semaphores=4
buffer input "x" bytes=$N
buffer constant "c" bytes=$N
buffer output "y" bytes=$N
buffer scratch "s" bytes=$N
vector tensor_tensor op0=add dst=sbuf.f32[0:128]@0{1x$W} src0=sbuf.f32[0:128]@0{1x$W} src1=sbuf.f32[0:128]@$B{1x$W} wait=s1>=2 update=s2+1
sync dma_copy hbm_src=hbm0.f32@0{1x$W,$Wx128} hbm_dst=hbm3.f32@0{1x$W,$Wx128} update=s0+1
sync dma_copy dst=sbuf.f32[0:128]@$B{1x$W} hbm_src=hbm1.f32@0{$Wx128,1x$W} update=s1+1
sync dma_copy dst=sbuf.f32[0:128]@0{1x$W} hbm_src=hbm3.f32@0{$Wx128,1x$W} wait=s0>=1 update=s1+1
sync dma_copy src0=sbuf.f32[0:128]@0{1x$W} hbm_dst=hbm2.f32@0{$Wx128,1x$W} wait=s2>=1
)", columns);
  isa::Buffer& constant = program.buffers[1];
  constant.data.resize(static_cast<size_t>(constant.bytes));
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      const auto value = static_cast<float>(row + column);
      std::memcpy(constant.data.data() + 4 * (row * columns + column), &value, 4);
    }
  return program;
}

isa::Program gather_program(int64_t columns) {
  return parse(R"(program "gather" machine="" semaphores=2
buffer input "x" bytes=$N
buffer input "index" bytes=512
buffer output "y" bytes=$N
gpsimd dma_copy dst=sbuf.f32[0:128]@16{1x$W} hbm_src=hbm0.f32@0{1x$W}rows(sbuf.i32[0:128]@0)*$W wait=s0>=1 update=s1+1
sync dma_copy dst=sbuf.i32[0:128]@0{1x1} hbm_src=hbm1.i32@0{1x128,1x1} update=s0+1
sync dma_copy src0=sbuf.f32[0:128]@16{1x$W} hbm_dst=hbm2.f32@0{$Wx128,1x$W} wait=s1>=1
)", columns);
}

}  // namespace lanewise::runtime::conformance

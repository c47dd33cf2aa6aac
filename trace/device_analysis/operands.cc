// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/operands.h"

#include <algorithm>

namespace lanewise::trace::device_analysis {

int64_t dtype_bytes(std::string_view dtype) {
  if (dtype == "bool") return 1;
  const size_t digit = dtype.find_first_of("0123456789");
  int64_t bits = 0;
  for (size_t i = digit; i < dtype.size() && dtype[i] >= '0' && dtype[i] <= '9' && bits < 1000; ++i) bits = bits * 10 + (dtype[i] - '0');
  return bits / 8;
}

int64_t element_count(const device::Operand& operand) {
  if (operand.space == device::Space::none || operand.space == device::Space::immediate || operand.space == device::Space::register_) return 0;
  int64_t n = operand.space == device::Space::hbm ? std::max<int64_t>(1, operand.partitions) : operand.partitions;
  for (const int64_t size : operand.sizes) n *= size;
  return n;
}

int64_t bytes_of(const device::Operand& operand) { return element_count(operand) * dtype_bytes(operand.dtype); }

bool is_written(const device::Operand& operand) { return operand.role.starts_with("dst") || operand.role.starts_with("out"); }

bool fills_psum(const device::Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(), [](const device::Operand& o) { return o.space == device::Space::psum && is_written(o); });
}

OnChipBytes on_chip_bytes(const device::Instruction& instruction) {
  OnChipBytes b;
  for (const device::Operand& o : instruction.operands) {
    const int64_t bytes = bytes_of(o);
    if (o.space == device::Space::sbuf) (is_written(o) ? b.sbuf_written : b.sbuf_read) += bytes;
    if (o.space == device::Space::psum) (is_written(o) ? b.psum_written : b.psum_read) += bytes;
  }
  return b;
}

Box box_of(const device::Operand& operand) {
  Box box;
  const bool hbm = operand.space == device::Space::hbm;
  if (!hbm && operand.space != device::Space::sbuf && operand.space != device::Space::psum) return box;
  const int64_t width = dtype_bytes(operand.dtype);
  int64_t low = 0, high = 0;   // elements from the address
  for (size_t d = 0; d < operand.sizes.size(); ++d) {
    const int64_t step = d < operand.steps.size() ? operand.steps[d] : 1;
    const int64_t reach = (std::max<int64_t>(1, operand.sizes[d]) - 1) * step;
    (reach < 0 ? low : high) += reach;
  }
  box.space = operand.space;
  box.tensor = operand.tensor;
  box.partition = hbm ? 0 : operand.partition;
  box.partition_end = hbm ? 1 : operand.partition + operand.partitions;
  box.begin = operand.address + low * width;
  box.end = operand.address + high * width + std::max<int64_t>(1, width);
  return box;
}

}  // namespace lanewise::trace::device_analysis

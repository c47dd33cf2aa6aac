// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Text of one instruction. Operands as docs/isa.md writes them; a `?` marks what is inferred, and an instruction that is
// not understood ends with its bytes.
#include "isa/trn2/table.h"

namespace lanewise::isa::trn2 {
namespace {

constexpr std::string_view kRoles[] = {"dst", "src0", "src1", "stationary", "moving"};

std::string byte_code(uint8_t v) {
  constexpr char kDigits[] = "0123456789abcdef";
  return {'0', 'x', kDigits[v >> 4], kDigits[v & 15]};
}

std::string operation(const Instruction& i) {
  const AluRow* row = alu_row(i.alu);
  if (row == nullptr) return byte_code(i.alu) + "?";
  return std::string(alu_op_name(row->op)) + (row->evidence == Evidence::inferred ? "?" : "");
}

std::string fields(const Instruction& i) {
  std::string out;
  for (const Field& f : i.row->fields) {
    switch (f.what) {
      case What::alu: out += " op=" + operation(i); break;
      case What::pass: if (i.pass != 0) out += " pass=" + std::to_string(i.pass); break;
      case What::transpose: if (i.transpose) out += " transpose"; break;
      case What::accumulate: out += (i.accumulate & 1) ? " first" : " add"; if (i.accumulate & 2) out += " last"; break;
      case What::queue: out += " queue=" + i.queue; break;
      case What::descriptor: out += " id=" + std::to_string(i.descriptor); break;
      default: break;
    }
  }
  for (const Role role : {Role::dst, Role::src0, Role::src1, Role::stationary, Role::moving})
    if (const Pattern* p = i.pattern(role)) out += " " + std::string(kRoles[static_cast<size_t>(role)]) + "=" + print(*p);
  return out;
}

}  // namespace

std::string print(const Pattern& p) {
  const DTypeRow* type = dtype_row(p.dtype);
  std::string out = p.space() == Space::sbuf ? "sbuf" : p.space() == Space::psum ? "psum" : "address";
  out += ".";
  if (type == nullptr) out += byte_code(p.dtype) + "?";
  else out += std::string(type->name) + (type->evidence == Evidence::inferred ? "?" : "");
  out += "[" + std::to_string(p.partition()) + ":" + std::to_string(p.partition() + p.partitions) + "]@" +
         std::to_string(p.space() == Space::none ? p.address : p.offset()) + "{";
  bool any = false;
  for (int d = p.rank - 1; d >= 0; --d) {
    if (p.dims[d].count == 1 && (d > 0 || any)) continue;
    if (any) out += ",";
    out += std::to_string(p.dims[d].step) + "x" + std::to_string(p.dims[d].count);
    any = true;
  }
  return out + "}";
}

std::string hex(const Instruction& i) {
  std::string out;
  for (size_t b = 0; b < i.bytes.size(); ++b) {
    if (b > 0 && b % 4 == 0) out += " ";
    out += byte_code(i.bytes[b]).substr(2);
  }
  return out;
}

std::string print(const Instruction& i) {
  std::string out = i.row != nullptr ? std::string(i.row->name) : "UNKNOWN_" + byte_code(i.opcode);
  if (i.row != nullptr) out += fields(i);
  if (i.wait.kind == kWaitAtLeast) out += " wait=s" + std::to_string(i.wait.semaphore) + ">=" + std::to_string(i.wait.value);
  else if (i.wait.kind != 0) out += " wait_kind=" + byte_code(i.wait.kind) + "?";
  if (i.update.kind == kIncrement) out += " update=s" + std::to_string(i.update.semaphore) + "+1";
  else if (i.update.kind != 0) out += " update_kind=" + byte_code(i.update.kind) + "?";
  if (!i.not_understood.empty()) out += "  (" + i.not_understood + ": " + hex(i) + ")";
  return out;
}

}  // namespace lanewise::isa::trn2

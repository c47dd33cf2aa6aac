// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Text of one instruction. Operands as docs/isa.md writes them; a `?` marks what is inferred, and an instruction that is
// not understood ends with its bytes.
#include <bit>
#include <cstdio>
#include <iterator>

#include "isa/trn2/table.h"

namespace lanewise::isa::trn2 {
namespace {

constexpr std::string_view kRoles[] = {"dst", "src0", "src1", "stationary", "moving", "predicate", "scalar0", "scalar1"};

std::string byte_code(uint8_t v) {
  constexpr char kDigits[] = "0123456789abcdef";
  return {'0', 'x', kDigits[v >> 4], kDigits[v & 15]};
}

std::string operation(uint8_t alu) {
  const AluRow* row = alu_row(alu);
  return row == nullptr ? byte_code(alu) + "?" : std::string(row->name);
}

std::string number(float v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(v));
  return text;
}

// Scalars that are no operands.
std::string scalar(const Instruction& i, uint8_t index, std::string_view name) {
  const Immediate& v = i.immediates[index];
  switch (v.source) {
    case Immediate::Source::value: {
      const bool bits = i.alu >= 0x0a && i.alu <= 0x0c && i.row->code != 0x21;
      return " " + std::string(name) + "=" + (bits ? std::to_string(v.bits) : number(std::bit_cast<float>(v.bits)));
    }
    case Immediate::Source::register_pointer: return " " + std::string(name) + "=register" + std::to_string(v.bits & 255);
    default: return "";   // none; a pointer is printed as an operand
  }
}

std::string fields(const Instruction& i) {
  std::string out;
  const bool activate = i.row->code == 0x21;
  for (const Field& f : i.row->fields) {
    switch (f.what) {
      case What::alu: out += " op=" + operation(i.alu); break;
      case What::alu1: if (i.alu1 != 0) out += " op1=" + operation(i.alu1); break;
      case What::reverse: if (i.reverse != 0) out += std::string(" reverse=") + (i.reverse == 1 ? "first" : i.reverse == 2 ? "second" : "both"); break;
      case What::reduced_dims: out += " dims=" + std::to_string(i.reduced_dims); break;
      case What::negate: if (i.negate) out += " negate"; break;
      case What::pool: out += i.pool == 1 ? " maximum" : i.pool == 2 ? " average" : " pool=" + byte_code(i.pool) + "?"; break;
      case What::scale: if (i.pool == 2) out += " scale=" + number(i.scale); break;
      case What::function: {
        const FunctionRow* row = function_row(i.function);
        out += " fn=" + (row != nullptr ? std::string(row->name) : byte_code(i.function) + "?");
        break;
      }
      case What::table_set: out += " set=" + std::to_string(i.function); break;
      case What::accumulator: if (i.accumulator != 0 && i.accumulator != 3) out += " accumulator=" + std::to_string(i.accumulator); break;
      case What::fill: out += " bits=" + std::to_string(i.fill); break;
      case What::ramp: out += " base=" + std::to_string(i.base); break;
      case What::partition_step: out += " partition_step=" + std::to_string(i.partition_step); break;
      case What::immediate:
        if (f.index == 0) out += scalar(i, 0, activate ? "scale" : "scalar0");
        else if (f.index == 1 && (activate || i.alu1 != 0)) out += scalar(i, 1, activate ? "bias" : "scalar1");
        break;
      case What::pass: if (i.pass != 0) out += " pass=" + std::to_string(i.pass); break;
      case What::transpose: if (i.transpose) out += " transpose"; break;
      case What::accumulate: out += (i.accumulate & 1) ? " first" : " add"; if (i.accumulate & 2) out += " last"; break;
      case What::queue: out += " queue=" + i.queue; break;
      case What::descriptor: out += " id=" + std::to_string(i.descriptor); break;
      default: break;
    }
  }
  for (size_t role = 0; role < std::size(kRoles); ++role)
    if (const Pattern* p = i.pattern(static_cast<Role>(role))) out += " " + std::string(kRoles[role]) + "=" + print(*p);
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
  if (i.row != nullptr && i.row->layout) out += fields(i);
  if (const auto value = reaches(i.wait)) out += " wait=s" + std::to_string(i.wait.semaphore) + ">=" + std::to_string(*value);
  else if (i.wait.kind != 0) out += " wait_kind=" + byte_code(i.wait.kind) + "?";
  if (i.update.kind == kIncrement) out += " update=s" + std::to_string(i.update.semaphore) + "+1";
  else if (i.update.kind != 0) out += " update_kind=" + byte_code(i.update.kind) + "?";
  if (!i.not_understood.empty()) out += "  (" + i.not_understood + ": " + hex(i) + ")";
  return out;
}

}  // namespace lanewise::isa::trn2

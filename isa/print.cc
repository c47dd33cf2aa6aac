// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Program to text. The grammar is in docs/isa.md; parse.cc reads it back.
#include <bit>
#include <charconv>

#include "isa/program.h"
#include "isa/table.h"

namespace lanewise::isa {
namespace {

struct TextWriter {
  std::string& out;

  template <typename T>
  void number(T v) {
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
    out.append(buffer, end);
  }
  void hex(uint64_t v, int digits) {
    for (int i = digits - 1; i >= 0; --i) out.push_back("0123456789abcdef"[(v >> (4 * i)) & 15]);
  }
  void quoted(std::string_view s) {
    out.push_back('"');
    for (char c : s) {
      const auto u = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out.push_back('\\');
        out.push_back(c);
      } else if (u < 0x20 || u > 0x7e) {
        out += "\\x";
        hex(u, 2);
      } else {
        out.push_back(c);
      }
    }
    out.push_back('"');
  }

  template <typename Stride>
  void address(uint64_t offset, int loop_register, Stride register_stride) {
    out.push_back('@');
    number(offset);
    if (loop_register != -1 || register_stride != 0) {
      out += "+r";
      number(loop_register);
      out.push_back('*');
      number(register_stride);
    }
  }
  template <typename Dims>
  void dims(const Dims& dims, int rank) {
    for (int i = 0; i < rank; ++i) {
      out.push_back(i == 0 ? '{' : ',');
      number(dims[i].stride);
      out.push_back('x');
      number(dims[i].count);
    }
    if (rank > 0) out.push_back('}');
  }

  void value(bool) {}  // a flag is its name alone
  void value(AluOp v) { out += alu_op_name(v); }
  void value(ActFn v) { out += act_fn_name(v); }
  template <typename T>
  void value(T v) requires std::is_integral_v<T> { number(static_cast<int64_t>(v)); }
  void value(const std::array<int64_t, 4>& a) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (i > 0) out.push_back(',');
      number(a[i]);
    }
  }
  void value(const Tile& t) {
    out += t.space == Space::sbuf ? "sbuf." : t.space == Space::psum ? "psum." : "none.";
    out += dtype_name(t.dtype);
    out.push_back('[');
    number(t.partition);
    out.push_back(':');
    number(t.partition + t.partitions);
    out.push_back(']');
    address(t.offset, t.loop_register, t.register_stride);
    dims(t.dims, t.rank);
  }
  void value(const Hbm& h) {
    out += "hbm";
    number(h.buffer);
    out.push_back('.');
    out += dtype_name(h.dtype);
    out.push_back('@');
    number(h.offset);
    if (h.loop_register != -1 || h.register_stride != 0) {
      out += "+r";
      number(static_cast<int>(h.loop_register));
      out.push_back('*');
      number(h.register_stride);
    }
    dims(h.dims, h.rank);
    if (h.row_index != Tile{} || h.row_stride != 0) {
      out += "rows(";
      value(h.row_index);
      out += ")*";
      number(h.row_stride);
    }
  }
  void value(const Scalar& s) {
    switch (s.kind) {
      case Scalar::Kind::none: out += "none"; return;
      case Scalar::Kind::i64: out += "i64:"; number(s.i); return;
      case Scalar::Kind::parameter: out += "param:"; number(s.i); return;
      case Scalar::Kind::tile: value(s.tile); return;
      case Scalar::Kind::f32: break;
    }
    out += "f32:";
    if (s.f == s.f) {
      number(s.f);  // shortest form that reads back to the same bits; "inf" and "-inf" included
    } else {
      out += "nan:";
      hex(std::bit_cast<uint32_t>(s.f), 8);
    }
  }
  void value(const SemaphoreWait& w) {
    out.push_back('s');
    number(w.semaphore);
    out += ">=";
    number(w.at_least);
  }
  void value(const SemaphoreUpdate& u) {
    out.push_back('s');
    number(u.semaphore);
    out.push_back('+');
    number(u.increment);
  }

  void instruction(const Instruction& i) {
    out += engine_name(i.engine);
    out.push_back(' ');
    out += opcode_name(i.op);
    const FieldSet shown = info(i.op).required | fields_set(i);
    visit_fields([&](Field f, auto member) {
      if (!contains(shown, f)) return;
      out.push_back(' ');
      out += field_name(f);
      if constexpr (!std::is_same_v<decltype(member), bool Instruction::*>) out.push_back('=');
      value(i.*member);
    });
  }
};

constexpr std::string_view kKinds[] = {"input", "output", "constant", "scratch"};

}  // namespace

std::string print_text(const Instruction& instruction) {
  std::string out;
  TextWriter{out}.instruction(instruction);
  return out;
}

std::string print_text(const Program& p) {
  std::string out;
  TextWriter w{out};
  out += "program ";
  w.quoted(p.name);
  out += " machine=";
  w.quoted(p.machine);
  out += " semaphores=";
  w.number(p.semaphores_used);
  out.push_back('\n');
  for (const Buffer& b : p.buffers) {
    out += "buffer ";
    out += kKinds[static_cast<size_t>(b.kind)];
    out.push_back(' ');
    w.quoted(b.name);
    out += " bytes=";
    w.number(b.bytes);
    if (!b.data.empty()) {
      out += " data=";
      for (std::byte byte : b.data) w.hex(static_cast<uint64_t>(byte), 2);
    }
    out.push_back('\n');
  }
  for (const Parameter& q : p.parameters) {
    out += "parameter ";
    w.quoted(q.name);
    out.push_back(' ');
    out += dtype_name(q.dtype);
    out.push_back('\n');
  }
  for (size_t i = 0; i < p.debug.size(); ++i) {
    if (i == 0 && p.debug[0] == DebugEntry{}) continue;  // every program has the unknown entry
    out += "debug ";
    w.number(i);
    out.push_back(' ');
    w.quoted(p.debug[i].ir_op);
    out.push_back(' ');
    w.quoted(p.debug[i].aten_node);
    out.push_back('\n');
  }
  for (const auto& stream : p.streams) {
    for (const Instruction& i : stream) {
      w.instruction(i);
      out.push_back('\n');
    }
  }
  return out;
}

}  // namespace lanewise::isa

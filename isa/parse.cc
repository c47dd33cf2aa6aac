// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Text to program. It reads whatever print.cc writes, legal or not: the rules are verify's business, so that a refused
// program can still be written down, printed and read.
#include <bit>

#include "isa/cursor.h"
#include "isa/program.h"
#include "isa/table.h"

namespace lanewise::isa {

bool Cursor::quoted(std::string& out) {
  out.clear();
  if (!eat("\"")) return false;
  while (at_ < line_.size() && line_[at_] != '"') {
    char c = line_[at_];
    if (c != '\\') {
      out.push_back(c);
      ++at_;
    } else if (line_.substr(at_, 2) == "\\x" && at_ + 4 <= line_.size()) {
      unsigned value = 0;
      const char* digits = line_.data() + at_ + 2;
      if (std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2) return false;
      out.push_back(static_cast<char>(value));
      at_ += 4;
    } else {
      if (at_ + 1 >= line_.size() || (line_[at_ + 1] != '"' && line_[at_ + 1] != '\\')) return false;
      out.push_back(line_[at_ + 1]);
      at_ += 2;
    }
  }
  return eat("\"");
}

namespace {

// Reads one field value; false = not what the field takes.
struct FieldParser {
  Cursor& in;

  template <typename Enum>
  bool named(Enum& out, std::optional<Enum> (*find)(std::string_view)) {
    const Cursor start = in;
    const std::optional<Enum> found = find(in.word());
    if (!found) {
      in = start;
      return false;
    }
    out = *found;
    return true;
  }

  template <typename Stride>
  bool loop_address(int8_t& loop_register, Stride& stride) {
    return !in.eat("+r") || (in.number(loop_register) && in.eat("*") && in.number(stride));
  }
  template <typename Dims>
  bool dims(Dims& dims, uint8_t& rank) {
    rank = 0;
    if (!in.eat("{")) return true;
    do {
      if (rank == dims.size()) return false;
      if (!in.number(dims[rank].stride) || !in.eat("x") || !in.number(dims[rank].count)) return false;
      ++rank;
    } while (in.eat(","));
    return in.eat("}");
  }

  bool value(bool& v) {
    v = true;
    return true;
  }
  bool value(AluOp& v) { return named(v, parse_alu_op); }
  bool value(ActFn& v) { return named(v, parse_act_fn); }
  template <typename T>
  bool value(T& v) requires std::is_integral_v<T> { return in.number(v); }
  bool value(std::array<int64_t, 4>& a) {
    for (size_t i = 0; i < a.size(); ++i)
      if ((i > 0 && !in.eat(",")) || !in.number(a[i])) return false;
    return true;
  }
  bool value(Tile& t) {
    if (in.eat("sbuf.")) t.space = Space::sbuf;
    else if (in.eat("psum.")) t.space = Space::psum;
    else if (in.eat("none.")) t.space = Space::none;
    else return false;
    unsigned end = 0;
    if (!named(t.dtype, parse_dtype) || !in.eat("[") || !in.number(t.partition) || !in.eat(":") || !in.number(end))
      return false;
    if (end < t.partition || end - t.partition > 0xffff) return false;
    t.partitions = static_cast<uint16_t>(end - t.partition);
    return in.eat("]") && in.eat("@") && in.number(t.offset) && loop_address(t.loop_register, t.register_stride) &&
           dims(t.dims, t.rank);
  }
  bool value(Hbm& h) {
    if (!in.eat("hbm") || !in.number(h.buffer) || !in.eat(".") || !named(h.dtype, parse_dtype) || !in.eat("@") ||
        !in.number(h.offset) || !loop_address(h.loop_register, h.register_stride) || !dims(h.dims, h.rank))
      return false;
    return !in.eat("rows(") || (value(h.row_index) && in.eat(")*") && in.number(h.row_stride));
  }
  bool value(Scalar& s) {
    if (in.eat("f32:nan:")) {
      uint32_t bits = 0;
      if (!in.hex(bits)) return false;
      s = Scalar::of(std::bit_cast<float>(bits));
      return s.f != s.f;
    }
    if (in.eat("f32:")) return s = Scalar::of(0), in.number(s.f);
    if (in.eat("i64:")) return s = Scalar::of_int(0), in.number(s.i);
    if (in.eat("param:")) return s = Scalar::of_parameter(0), in.number(s.i);
    s = Scalar{};
    const Cursor start = in;
    if (in.eat("none") && !in.peek('.')) return true;
    in = start;
    s.kind = Scalar::Kind::tile;
    return value(s.tile);
  }
  bool value(SemaphoreWait& w) {
    return in.eat("s") && in.number(w.semaphore) && in.eat(">=") && in.number(w.at_least);
  }
  bool value(SemaphoreUpdate& u) {
    return in.eat("s") && in.number(u.semaphore) && in.eat("+") && in.number(u.increment);
  }
};

class LineParser {
 public:
  LineParser(std::string_view line, size_t number, Program& program) : in_(line), number_(number), program_(program) {}

  Status parse(bool& program_seen) {
    in_.skip_spaces();
    if (in_.at_end()) return ok_status();
    const Cursor start = in_;
    const std::string_view word = in_.word();
    if (!program_seen && word != "program") return error("the text must begin with a program line");
    if (word == "program") {
      if (program_seen) return error("a second program line");
      program_seen = true;
      return program_line();
    }
    if (word == "buffer") return buffer_line();
    if (word == "parameter") return parameter_line();
    if (word == "debug") return debug_line();
    const auto engine = parse_engine(word);
    if (!engine) {
      in_ = start;
      return error("'" + std::string(word) + "' is neither an engine nor program, buffer, parameter or debug");
    }
    return instruction_line(*engine);
  }

 private:
  Status error(const std::string& what) const {
    return invalid_argument("line " + std::to_string(number_) + ", column " + std::to_string(in_.position() + 1) +
                            ": " + what);
  }
  bool next_token() { return in_.skip_spaces(), !in_.at_end(); }
  Status end_of_line() {
    if (next_token()) return error("unexpected '" + std::string(in_.rest()) + "'");
    return ok_status();
  }

  Status program_line() {
    if (!next_token() || !in_.quoted(program_.name)) return error("expected the program's name in quotes");
    if (!next_token() || !in_.eat("machine=") || !in_.quoted(program_.machine)) return error("expected machine=\"...\"");
    if (!next_token() || !in_.eat("semaphores=") || !in_.number(program_.semaphores_used))
      return error("expected semaphores=N");
    return end_of_line();
  }

  Status buffer_line() {
    Buffer b;
    next_token();
    const std::string_view kind = in_.word();
    if (kind == "input") b.kind = Buffer::Kind::input;
    else if (kind == "output") b.kind = Buffer::Kind::output;
    else if (kind == "constant") b.kind = Buffer::Kind::constant;
    else if (kind == "scratch") b.kind = Buffer::Kind::scratch;
    else return error("expected input, output, constant or scratch");
    if (!next_token() || !in_.quoted(b.name)) return error("expected the buffer's name in quotes");
    if (!next_token() || !in_.eat("bytes=") || !in_.number(b.bytes)) return error("expected bytes=N");
    if (next_token() && in_.eat("data=")) {
      const std::string_view digits = in_.word();
      if (digits.size() % 2 != 0) return error("data must have two hex digits a byte");
      for (size_t i = 0; i < digits.size(); i += 2) {
        unsigned byte = 0;
        if (std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16).ptr != digits.data() + i + 2)
          return error("data must be hex digits");
        b.data.push_back(static_cast<std::byte>(byte));
      }
    }
    program_.buffers.push_back(std::move(b));
    return end_of_line();
  }

  Status parameter_line() {
    Parameter p;
    if (!next_token() || !in_.quoted(p.name)) return error("expected the parameter's name in quotes");
    next_token();
    if (!FieldParser{in_}.named(p.dtype, parse_dtype)) return error("expected a dtype");
    program_.parameters.push_back(std::move(p));
    return end_of_line();
  }

  Status debug_line() {
    DebugEntry d;
    size_t index = 0;
    if (!next_token() || !in_.number(index)) return error("expected the number of the entry");
    if (index > program_.debug.size() || (index > 0 && index < program_.debug.size()))
      return error("debug entries must count up; expected " + std::to_string(program_.debug.size()));
    if (!next_token() || !in_.quoted(d.ir_op)) return error("expected the IR op in quotes");
    if (!next_token() || !in_.quoted(d.aten_node)) return error("expected the ATen node in quotes");
    if (index == 0) program_.debug[0] = std::move(d);
    else program_.debug.push_back(std::move(d));
    return end_of_line();
  }

  Status instruction_line(Engine engine) {
    Instruction instruction;
    instruction.engine = engine;
    next_token();
    if (!FieldParser{in_}.named(instruction.op, parse_opcode))
      return error("'" + std::string(in_.word()) + "' is not an instruction");
    FieldSet seen = 0;
    while (next_token()) {
      const std::string_view name = in_.word();
      Status status = error("'" + std::string(name) + "' is not a field of an instruction");
      visit_fields([&](Field f, auto member) {
        if (field_name(f) != name) return;
        status = ok_status();
        if (contains(seen, f)) status = error(std::string(name) + " is given twice");
        seen |= bit(f);
        constexpr bool is_flag = std::is_same_v<decltype(member), bool Instruction::*>;
        if (status.ok() && !((is_flag || in_.eat("=")) && FieldParser{in_}.value(instruction.*member)))
          status = error("cannot read the value of " + std::string(name));
      });
      if (!status.ok()) return status;
      if (!in_.at_end() && !in_.peek(' ') && !in_.peek('\t') && !in_.peek('\r'))
        return error("unexpected characters after " + std::string(name));
    }
    program_.streams[static_cast<size_t>(engine)].push_back(instruction);
    return ok_status();
  }

  Cursor in_;
  size_t number_;
  Program& program_;
};

}  // namespace

Result<Program> parse_text(std::string_view text) {
  Program program;
  bool program_seen = false;
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    LW_RETURN_IF_ERROR(LineParser(line, ++number, program).parse(program_seen));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  if (!program_seen) return invalid_argument("line 1, column 1: the text must begin with a program line");
  return program;
}

}  // namespace lanewise::isa

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the fields of the table. A field whose value is not understood leaves its bytes unknown, so the ledger of a file
// with a new code says where it stands.
#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/trn2/table.h"

namespace lanewise::isa::trn2 {
namespace {

// That one instruction addresses in a partition, as in the rules of our own instruction set.
constexpr int64_t kMaxElements = 65536;

uint16_t u16(const uint8_t* p) { return static_cast<uint16_t>(p[0] | p[1] << 8); }
uint32_t u32(const uint8_t* p) { return u16(p) | static_cast<uint32_t>(u16(p + 2)) << 16; }

std::string code(uint8_t v) {
  constexpr char kDigits[] = "0123456789abcdef";
  return {'0', 'x', kDigits[v >> 4], kDigits[v & 15]};
}

class Decoder {
 public:
  Decoder(const uint8_t* bytes, Engine engine, Instruction* out) : bytes_(bytes), engine_(engine), out_(*out) {}

  void run(const OpcodeRow* row) {
    out_.opcode = bytes_[0];
    out_.row = row;
    std::copy_n(bytes_, kInstructionBytes, out_.bytes.begin());
    for (size_t i = 0; i < kInstructionBytes; ++i) out_.use[i] = bytes_[i] == 0 ? ByteUse::padding : ByteUse::unknown;
    for (const Field& f : header_fields()) read(f);
    if (row == nullptr || !row->layout) {
      std::fill(out_.use.begin() + 12, out_.use.end(), ByteUse::unknown);   // zeros of an unknown layout mean nothing yet
      if (row == nullptr) out_.use[0] = out_.use[2] = out_.use[3] = ByteUse::unknown;
      out_.published = row != nullptr;
      problem(row == nullptr ? "opcode " + code(bytes_[0]) + " is not known"
                             : std::string(row->name) + " is known by its name only");
      return;
    }
    learned(row->evidence);
    for (const Field& f : row->fields) read(f);
    scalars();
    for (Pattern& p : out_.patterns) p.partitions = partitions_of(p);
    // Of a transpose the destination has the dtype of what is held, else sums are f32 unless the instruction says more.
    if (row->code == 0x02)
      for (Pattern& p : out_.patterns)
        if (p.role == Role::dst && p.dtype == 0) p.dtype = out_.transpose ? dtype_of(Role::moving) : 0x0a;
    check_patterns();
    for (size_t i = 0; i < kInstructionBytes; ++i)
      if (out_.use[i] == ByteUse::unknown) {
        problem("byte " + std::to_string(i) + " holds " + code(bytes_[i]) + ", which is not understood");
        break;
      }
    if (!contains(row->engines, engine_))
      out_.inferred = true;   // a known opcode on an engine where nothing has it
  }

 private:
  void problem(std::string text) {
    if (out_.not_understood.empty()) out_.not_understood = std::move(text);
  }
  void learned(Evidence e) {
    if (e == Evidence::inferred) out_.inferred = true;
    if (e == Evidence::published) out_.published = true;
  }
  void mark(const Field& f, bool understood) {
    std::fill_n(out_.use.begin() + f.offset, f.bytes, understood ? ByteUse::known : ByteUse::unknown);
    learned(f.evidence);
  }
  Pattern& pattern(Role role) {
    for (Pattern& p : out_.patterns)
      if (p.role == role) return p;
    return out_.patterns.emplace_back(Pattern{.role = role});
  }
  uint8_t dtype_of(Role role) { return pattern(role).dtype; }
  uint16_t partitions_of(const Pattern& p) const {
    if (!on_array_) return partitions_;
    return p.role == Role::dst ? out_.columns : out_.rows;
  }

  bool known_dtype(uint8_t c) {
    const DTypeRow* row = dtype_row(c);
    if (row == nullptr) return problem("dtype code " + code(c) + " is not known"), false;
    learned(row->evidence);
    return true;
  }
  bool known_alu(uint8_t c) {
    const AluRow* row = alu_row(c);
    if (row == nullptr) return problem("ALU code " + code(c) + " is not known"), false;
    learned(row->evidence);
    return true;
  }

  void read_pattern(const Field& f, uint8_t rank) {
    const uint8_t* p = bytes_ + f.offset;
    Pattern& out = pattern(f.role);
    out.address = u32(p);
    out.rank = rank;
    for (uint8_t d = 0; d < rank; ++d) {
      out.dims[d].step = static_cast<int16_t>(u16(p + 4 + 2 * d));
      out.dims[d].count = u16(p + 4 + 2 * rank + 2 * d);
    }
    mark(f, true);
  }

  // One dimension is stored as one; which of the two forms MEMSET has is published in two ways, its count decides.
  void read_counted(const Field& f) {
    read_pattern(f, 4);
    Pattern& p = pattern(f.role);
    if (p.elements() == elements_) return;
    const uint8_t* at = bytes_ + f.offset;
    p.rank = 1;
    p.dims = {Dim{static_cast<int16_t>(u16(at + 4)), u16(at + 6)}};
    if (p.elements() == elements_) {
      for (int b = 8; b < f.bytes; ++b)
        if (at[b] != 0) out_.use[static_cast<size_t>(f.offset + b)] = ByteUse::unknown;
      return;
    }
    mark(f, false);
    problem("a pattern of other than the " + std::to_string(elements_) + " elements that byte 28 says");
  }

  void read_source(const Field& f, uint8_t v, bool swapped) {
    using Source = Immediate::Source;
    constexpr Source kSources[] = {Source::value, Source::pointer, Source::register_pointer};
    const uint8_t c = swapped && v < 2 ? 1 - v : v;
    if (c < 3) out_.immediates[f.index].source = kSources[c];
    else problem("immediate source " + code(v) + " is not known");
    mark(f, c < 3);
  }

  // Immediates that are pointers are operands. Whether the second one counts, its operation says.
  void scalars() {
    for (uint8_t i = 0; i < 2; ++i) {
      const Immediate& value = out_.immediates[i];
      if (value.source == Immediate::Source::register_pointer) problem("a scalar whose address is in a register");
      if (value.source != Immediate::Source::pointer) continue;
      if (i == 1 && out_.row->code != 0x21 && out_.alu1 == 0) continue;   // bypass
      Pattern& p = pattern(i == 0 ? Role::scalar0 : Role::scalar1);
      p.address = value.bits;
      p.rank = 1;
      p.dims[0] = {1, 1};
      if (p.dtype == 0) p.dtype = 0x0a;   // f32, where nothing says otherwise
    }
    std::erase_if(out_.patterns, [](const Pattern& p) { return p.rank == 0; });   // a dtype alone: the scalar is a value
  }

  void read(const Field& f) {
    const uint8_t v = bytes_[f.offset];
    switch (f.what) {
      case What::opcode: return mark(f, true);
      case What::words:
        mark(f, v == kInstructionBytes / 4);
        if (v != kInstructionBytes / 4) problem("byte 1 says " + std::to_string(v) + " words, 16 are known");
        return;
      case What::wait_kind:
        out_.wait.kind = v;
        mark(f, v == 0 || reaches(Wait{v, 0, 0}).has_value());
        if (v != 0 && !reaches(Wait{v, 0, 0})) problem("wait kind " + code(v) + " is not known");
        if (v == kWaitGreater) learned(Evidence::published);
        return;
      case What::wait_semaphore: out_.wait.semaphore = v; return mark(f, v == 0 || out_.wait.kind != 0);
      case What::wait_value: out_.wait.value = u32(bytes_ + f.offset); return mark(f, out_.wait.value == 0 || out_.wait.kind != 0);
      case What::update_kind:
        out_.update.kind = v;
        mark(f, v == 0 || v == kIncrement);
        if (v != 0 && v != kIncrement) problem("update kind " + code(v) + " is not known");
        return;
      case What::update_semaphore: out_.update.semaphore = v; return mark(f, v == 0 || out_.update.kind != 0);
      case What::pattern2: return read_pattern(f, 2);
      case What::pattern3: return read_pattern(f, 3);
      case What::pattern4: return read_pattern(f, 4);
      case What::counted_pattern: return read_counted(f);
      case What::elements: elements_ = u32(bytes_ + f.offset); return mark(f, true);
      case What::dtype: pattern(f.role).dtype = v; return mark(f, known_dtype(v));
      case What::dtype_pair: {
        pattern(f.role).dtype = v & 15;
        pattern(f.other).dtype = v >> 4;
        const bool low = known_dtype(v & 15), high = known_dtype(v >> 4);
        return mark(f, low && high);
      }
      case What::alu: out_.alu = v; return mark(f, known_alu(v));
      case What::alu1: out_.alu1 = v; return mark(f, known_alu(v));
      case What::reverse: out_.reverse = v; return mark(f, v <= 3);
      case What::reduced_dims:   // 2 to 5: X, XY, XYZ, XYZW; 0: none
        out_.reduced_dims = v >= 2 && v <= 5 ? static_cast<uint8_t>(v - 1) : 0;
        return mark(f, v == 0 || (v >= 2 && v <= 5));
      case What::negate: out_.negate = v == 1; return mark(f, v <= 1);
      case What::pool: out_.pool = v; return mark(f, v == 1 || v == 2);
      case What::scale: out_.scale = std::bit_cast<float>(u32(bytes_ + f.offset)); return mark(f, std::isfinite(out_.scale));
      case What::function:
        out_.function = v;
        if (function_row(v) == nullptr) problem("activation function " + code(v) + " is not known");
        return mark(f, function_row(v) != nullptr);
      case What::table_set: out_.function = v; return mark(f, true);
      case What::accumulator: out_.accumulator = v; return mark(f, v <= 4);
      case What::fill: out_.fill = u32(bytes_ + f.offset); return mark(f, true);
      case What::partition_step: out_.partition_step = static_cast<int32_t>(u32(bytes_ + f.offset)); return mark(f, true);
      case What::ramp:
        out_.base = static_cast<int32_t>(u32(bytes_ + f.offset));
        for (int d = 0; d < 4; ++d)
          out_.ramp[static_cast<size_t>(d)] = {static_cast<int16_t>(u16(bytes_ + f.offset + 4 + 2 * d)), u16(bytes_ + f.offset + 12 + 2 * d)};
        return mark(f, true);
      case What::immediate: out_.immediates[f.index].bits = u32(bytes_ + f.offset); return mark(f, true);
      case What::immediate_source: return read_source(f, v, false);
      case What::immediate_source_n: return read_source(f, v, true);
      case What::target_dtype:   // 0: f32, or for a transpose the operands' dtype
        if (v == 0) return mark(f, true);
        pattern(Role::dst).dtype = v;
        return mark(f, known_dtype(v));
      case What::partitions: partitions_ = v; return mark(f, v >= 1 && v <= 128);
      case What::rows: out_.rows = v; on_array_ = true; return mark(f, v >= 1 && v <= 128);
      case What::columns: out_.columns = v; return mark(f, v >= 1 && v <= 128);
      case What::pass: out_.pass = v; return mark(f, v <= 3);
      case What::transpose: out_.transpose = v == 1; return mark(f, v <= 1);
      case What::accumulate: out_.accumulate = v; return mark(f, v <= 4 || v == 6);
      case What::row_groups:
      case What::column_groups: return mark(f, v >= 1 && v <= 15);
      case What::queue: return read_queue(f);
      case What::descriptor: out_.descriptor = u32(bytes_ + f.offset); return mark(f, true);
    }
  }

  // Printable ASCII, then zeros.
  void read_queue(const Field& f) {
    const uint8_t* p = bytes_ + f.offset;
    size_t n = 0;
    while (n < f.bytes && p[n] > 0x20 && p[n] < 0x7f) ++n;
    out_.queue.assign(reinterpret_cast<const char*>(p), n);
    mark(Field{f.offset, static_cast<uint8_t>(n), f.what, f.role, f.evidence}, true);
    if (n == 0) problem("no queue name at byte " + std::to_string(f.offset));
  }

  void check_patterns() {
    for (const Pattern& p : out_.patterns) {
      if (p.space() == Space::none)
        problem(p.address >> 28 != 0 ? "an address that stands in a register, or is indirect (byte 3 of it is " + code(static_cast<uint8_t>(p.address >> 24)) + ")"
                                     : "address " + std::to_string(p.address) + " is in neither SBUF nor PSUM");
      for (uint8_t d = 0; d < p.rank; ++d)
        if (p.dims[d].count == 0) problem("a pattern of no elements");
      if (p.partitions == 0) problem("no partitions");
      if (p.elements() > kMaxElements) problem("a pattern of " + std::to_string(p.elements()) + " elements a partition");
      if (p.space() == Space::psum && p.partition() != 0) out_.inferred = true;
    }
  }

  const uint8_t* bytes_;
  Engine engine_;
  Instruction& out_;
  uint8_t partitions_ = 0;
  int64_t elements_ = 0;
  bool on_array_ = false;   // operands of the tensor engine: rows and columns are their partitions
};

}  // namespace

Space Pattern::space() const {
  if (address < kPsumBase) return Space::sbuf;
  return address < kPsumBase + 128 * kPsumPartitionStep ? Space::psum : Space::none;
}
int Pattern::partition() const {
  return static_cast<int>(address < kPsumBase ? address / kSbufPartitionStep : (address - kPsumBase) / kPsumPartitionStep);
}
uint32_t Pattern::offset() const {
  return address < kPsumBase ? address % kSbufPartitionStep : (address - kPsumBase) % kPsumPartitionStep;
}
int64_t Pattern::elements() const {
  int64_t n = 1;
  for (uint8_t d = 0; d < rank; ++d)
    if (__builtin_mul_overflow(n, int64_t{dims[d].count}, &n)) return INT64_MAX;
  return n;
}

const Pattern* Instruction::pattern(Role role) const {
  for (const Pattern& p : patterns)
    if (p.role == role) return &p;
  return nullptr;
}
int Instruction::bytes_of(ByteUse which) const { return static_cast<int>(std::count(use.begin(), use.end(), which)); }

Instruction decode(const uint8_t* bytes, Engine engine) {
  Instruction out;
  Decoder(bytes, engine, &out).run(opcode_row(bytes[0]));
  return out;
}

std::optional<uint32_t> reaches(const Wait& wait) {
  if (wait.kind == kWaitAtLeast) return wait.value;
  if (wait.kind == kWaitGreater && wait.value < UINT32_MAX) return wait.value + 1;
  return std::nullopt;
}

std::optional<Tile> tile(const Pattern& p) {
  const DTypeRow* type = dtype_row(p.dtype);
  if (type == nullptr || !type->ours || p.space() == Space::none) return std::nullopt;
  Tile t;
  t.space = p.space();
  t.dtype = type->dtype;
  t.partition = static_cast<uint16_t>(p.partition());
  t.partitions = p.partitions;
  t.offset = p.offset();
  for (int d = p.rank - 1; d >= 0; --d)
    if (p.dims[d].count != 1) t.dims[t.rank++] = {p.dims[d].step, p.dims[d].count};
  if (t.rank == 0) t.dims[t.rank++] = {1, 1};
  return t;
}

}  // namespace lanewise::isa::trn2

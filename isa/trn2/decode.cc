// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the fields of the table. A field whose value is not understood leaves its bytes unknown, so the ledger of a file
// with a new code says where it stands.
#include <algorithm>

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
    if (row == nullptr) {
      std::fill(out_.use.begin() + 12, out_.use.end(), ByteUse::unknown);   // zeros of an unknown layout mean nothing yet
      out_.use[0] = out_.use[2] = out_.use[3] = ByteUse::unknown;
      problem("opcode " + code(bytes_[0]) + " is not known");
      return;
    }
    if (row->evidence == Evidence::inferred) out_.inferred = true;
    for (const Field& f : row->fields) read(f);
    for (Pattern& p : out_.patterns) p.partitions = partitions_of(p);
    // Of a transpose the destination has the dtype of what is held, else sums are f32.
    if (row->code == 0x02)
      for (Pattern& p : out_.patterns)
        if (p.role == Role::dst) p.dtype = out_.transpose ? dtype_of(Role::moving) : 0x0a;
    check_patterns();
    for (size_t i = 0; i < kInstructionBytes; ++i)
      if (out_.use[i] == ByteUse::unknown) {
        problem("byte " + std::to_string(i) + " holds " + code(bytes_[i]) + ", which is not understood");
        break;
      }
    if (!contains(row->engines, engine_))
      out_.inferred = true;   // a known opcode on an engine where no file had it
  }

 private:
  void problem(std::string text) {
    if (out_.not_understood.empty()) out_.not_understood = std::move(text);
  }
  void mark(const Field& f, bool understood) {
    std::fill_n(out_.use.begin() + f.offset, f.bytes, understood ? ByteUse::known : ByteUse::unknown);
    if (f.evidence == Evidence::inferred) out_.inferred = true;
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
    if (row->evidence == Evidence::inferred) out_.inferred = true;
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
        mark(f, v == 0 || v == kWaitAtLeast);
        if (v != 0 && v != kWaitAtLeast) problem("wait kind " + code(v) + " is not known");
        return;
      case What::wait_semaphore: out_.wait.semaphore = v; return mark(f, v == 0 || out_.wait.kind != 0);
      case What::wait_value: out_.wait.value = u32(bytes_ + f.offset); return mark(f, out_.wait.value == 0 || out_.wait.kind != 0);
      case What::update_kind:
        out_.update.kind = v;
        mark(f, v == 0 || v == kIncrement);
        if (v != 0 && v != kIncrement) problem("update kind " + code(v) + " is not known");
        return;
      case What::update_semaphore: out_.update.semaphore = v; return mark(f, v == 0 || out_.update.kind != 0);
      case What::pattern3: return read_pattern(f, 3);
      case What::pattern4: return read_pattern(f, 4);
      case What::dtype: pattern(f.role).dtype = v; return mark(f, known_dtype(v));
      case What::dtype_pair: {
        pattern(Role::src0).dtype = v & 15;
        pattern(Role::src1).dtype = v >> 4;
        const bool low = known_dtype(v & 15), high = known_dtype(v >> 4);
        return mark(f, low && high);
      }
      case What::alu: {
        out_.alu = v;
        const AluRow* row = alu_row(v);
        if (row == nullptr) problem("ALU code " + code(v) + " is not known");
        else if (row->evidence == Evidence::inferred) out_.inferred = true;
        return mark(f, row != nullptr);
      }
      case What::partitions: partitions_ = v; return mark(f, v >= 1 && v <= 128);
      case What::rows: out_.rows = v; on_array_ = true; return mark(f, v >= 1 && v <= 128);
      case What::columns: out_.columns = v; return mark(f, v >= 1 && v <= 128);
      case What::pass: out_.pass = v; return mark(f, v <= 3);
      case What::transpose: out_.transpose = v == 1; return mark(f, v <= 1);
      case What::accumulate: out_.accumulate = v; return mark(f, v <= 3);
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
      if (p.space() == Space::none) problem("address " + std::to_string(p.address) + " is in neither SBUF nor PSUM");
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

std::optional<Instruction> resembles(const Instruction& unknown, Engine engine) {
  std::optional<Instruction> found;
  for (const OpcodeRow& row : opcode_rows()) {
    if (row.fields.empty() || row.fields[0].what == What::queue) continue;
    if (contains(row.engines, Engine::pe) != (engine == Engine::pe)) continue;
    Instruction as;
    Decoder(unknown.bytes.data(), engine, &as).run(&row);
    // Other operations and flags are to be expected of another opcode; operands must stand.
    bool fits = true;
    for (const Pattern& p : as.patterns)
      fits = fits && p.space() != Space::none && p.elements() > 0 && p.elements() <= kMaxElements && p.partitions >= 1 &&
             p.partitions <= 128 && dtype_row(p.dtype) != nullptr;
    if (!fits) continue;
    if (found) return std::nullopt;
    found = std::move(as);
  }
  return found;
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

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading half of the binary codec. The body is read before the checksum is compared, so that damage is reported where
// it is, and only damage that leaves a readable program is reported as a checksum.
#include <algorithm>
#include <limits>

#include "isa/bytes.h"
#include "isa/codec.h"
#include "isa/field.h"
#include "isa/program.h"

namespace lanewise::isa {
namespace {

// Number of enumerators of each enum that appears in a field.
constexpr uint64_t count_of(AluOp) { return kAluOpCount; }
constexpr uint64_t count_of(ActFn) { return kActFnCount; }
constexpr uint64_t count_of(DType) { return kDTypeCount; }
constexpr uint64_t count_of(Opcode) { return kOpcodeCount; }
constexpr uint64_t count_of(Engine) { return kEngineCount; }
constexpr uint64_t count_of(Space) { return 3; }
constexpr uint64_t count_of(Scalar::Kind) { return 5; }
constexpr uint64_t count_of(Buffer::Kind) { return 4; }

struct FieldReader {
  ByteReader& in;

  template <typename T>
  void get(T& v) requires std::is_enum_v<T> {
    v = static_cast<T>(in.unsigned_up_to(count_of(T{}) - 1, "an enumerator"));
  }
  template <typename T>
  void get(T& v) requires std::is_unsigned_v<T> {
    v = static_cast<T>(in.unsigned_up_to(std::numeric_limits<T>::max(), "an unsigned field"));
  }
  template <typename T>
  void get(T& v) requires (std::is_integral_v<T> && std::is_signed_v<T>) {
    v = static_cast<T>(in.ranged(std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), "a signed field"));
  }
  // Readers index `dims` by rank, so it is bounded here and not only in the verifier.
  void get_rank(uint8_t& rank, size_t most) { rank = static_cast<uint8_t>(in.unsigned_up_to(most, "the rank")); }
  // They multiply the counts too.
  template <typename Pattern>
  void bound_elements(const Pattern& p, int64_t most) {
    int64_t n = 1;
    for (size_t d = 0; d < p.rank; ++d) {
      const int64_t count = p.dims[d].count;
      if (count < 0 || count > most / n) return in.fail(in.offset(), "a pattern has more elements than any memory holds");
      n *= std::max(count, int64_t{1});
    }
  }
  void get(std::array<int64_t, 4>& a) {
    for (int64_t& v : a) v = in.i64();
  }
  void get(Tile& t) {
    get(t.space), get(t.dtype), get_rank(t.rank, t.dims.size()), get(t.loop_register);
    get(t.partition), get(t.partitions), get(t.offset), get(t.register_stride);
    for (FreeDim& d : t.dims) get(d.stride), get(d.count);
    bound_elements(t, int64_t{1} << 20);   // a partition of SBUF has less than 2^18 bytes
  }
  void get(Hbm& h) {
    get(h.buffer), get(h.dtype), get_rank(h.rank, h.dims.size()), get(h.loop_register), get(h.offset);
    get(h.register_stride);
    for (HbmDim& d : h.dims) get(d.stride), get(d.count);
    bound_elements(h, int64_t{1} << 40);   // HBM has less than 2^37 bytes
    get(h.row_index), get(h.row_stride);
  }
  void get(Scalar& s) {
    get(s.kind);
    s.f = in.f32();
    get(s.i), get(s.tile);
  }
  void get(SemaphoreWait& w) { get(w.semaphore), get(w.at_least); }
  void get(SemaphoreUpdate& u) { get(u.semaphore), get(u.increment); }
};

Instruction get_instruction(ByteReader& in) {
  Instruction i;
  FieldReader reader{in};
  reader.get(i.op);
  reader.get(i.engine);
  const auto set = static_cast<FieldSet>(in.unsigned_up_to((FieldSet{1} << kFieldCount) - 1, "the set of fields"));
  visit_fields([&](Field f, auto member) {
    if (contains(set, f)) reader.get(i.*member);
  });
  return i;
}

void get_body(ByteReader& in, Program& p) {
  FieldReader reader{in};
  in.text(p.name);
  in.text(p.machine);
  p.buffers.resize(in.count(4, "the number of buffers"));
  for (Buffer& b : p.buffers) {
    reader.get(b.kind);
    in.text(b.name);
    b.bytes = in.i64();
    in.blob(b.data);
  }
  p.parameters.resize(in.count(2, "the number of parameters"));
  for (Parameter& q : p.parameters) {
    in.text(q.name);
    reader.get(q.dtype);
  }
  p.semaphores_used = in.i64();
  for (auto& stream : p.streams) {
    const size_t n = in.count(3, "the number of instructions");
    for (size_t k = 0; k < n && !in.failed(); ++k) stream.push_back(get_instruction(in));
  }
  p.debug.resize(in.count(2, "the number of debug entries"));
  for (DebugEntry& d : p.debug) in.text(d.ir_op), in.text(d.aten_node);
  if (!in.failed() && in.remaining() != 0) in.fail(in.offset(), "bytes follow the end of the program");
}

Status damaged(size_t offset, std::string_view reason) {
  return data_loss("program is damaged at byte " + std::to_string(offset) + ": " + std::string(reason));
}

}  // namespace

Result<Program> decode(const std::byte* data, size_t size) {
  for (size_t i = 0; i < kProgramMagic.size(); ++i) {
    if (i >= size) return damaged(size, "the header is cut off");
    if (static_cast<char>(data[i]) != kProgramMagic[i]) return damaged(i, "not a program (it must begin with LWPROG)");
  }
  if (size < kProgramHeaderBytes) return damaged(size, "the header is cut off");
  const int version = static_cast<int>(data[6]) | static_cast<int>(data[7]) << 8;
  if (version != kProgramFormat)
    return unimplemented("program format " + std::to_string(version) + " at byte 6: this build reads format " +
                         std::to_string(kProgramFormat) + "; use the build that wrote the file");

  ByteReader checksum(data + 8, 8);
  const std::byte* body = data + kProgramHeaderBytes;
  ByteReader in(body, size - kProgramHeaderBytes);
  Program program;
  program.debug.clear();
  get_body(in, program);
  if (in.failed()) return damaged(kProgramHeaderBytes + in.failed_at(), in.reason());
  if (content_hash(body, size - kProgramHeaderBytes) != checksum.fixed64())
    return damaged(8, "the checksum of bytes 16 to the end does not match");
  return program;
}

}  // namespace lanewise::isa

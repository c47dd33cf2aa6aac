// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing half of the binary codec, and the hash, which is taken over the same bytes without names and debug map.
// The layout is drawn in codec.h.
#include "isa/codec.h"

#include "isa/bytes.h"
#include "isa/field.h"
#include "isa/program.h"

namespace lanewise::isa {
namespace {

// One overload a type; bool, enums and integers go as varints.
struct FieldWriter {
  ByteWriter& out;

  template <typename T>
  void put(T v) requires std::is_enum_v<T> { out.u64(static_cast<uint64_t>(v)); }
  template <typename T>
  void put(T v) requires std::is_unsigned_v<T> { out.u64(v); }
  template <typename T>
  void put(T v) requires (std::is_integral_v<T> && std::is_signed_v<T>) { out.i64(v); }
  void put(const std::array<int64_t, 4>& a) {
    for (int64_t v : a) out.i64(v);
  }
  void put(const Tile& t) {
    put(t.space), put(t.dtype), put(t.rank), put(t.loop_register);
    put(t.partition), put(t.partitions), put(t.offset), put(t.register_stride);
    for (const FreeDim& d : t.dims) put(d.stride), put(d.count);
  }
  void put(const Hbm& h) {
    put(h.buffer), put(h.dtype), put(h.rank), put(h.loop_register), put(h.offset), put(h.register_stride);
    for (const HbmDim& d : h.dims) put(d.stride), put(d.count);
    put(h.row_index), put(h.row_stride);
  }
  void put(const Scalar& s) {
    put(s.kind), out.f32(s.f), put(s.i), put(s.tile);
  }
  void put(const SemaphoreWait& w) { put(w.semaphore), put(w.at_least); }
  void put(const SemaphoreUpdate& u) { put(u.semaphore), put(u.increment); }
};

void put_instruction(ByteWriter& out, const Instruction& i, FieldSet leave_out) {
  const FieldSet set = fields_set(i) & ~leave_out;
  out.u64(static_cast<uint64_t>(i.op));
  out.u64(static_cast<uint64_t>(i.engine));
  out.u64(set);
  FieldWriter writer{out};
  visit_fields([&](Field f, auto member) {
    if (contains(set, f)) writer.put(i.*member);
  });
}

void put_code(ByteWriter& out, const Program& p, bool names) {
  out.u64(p.buffers.size());
  for (const Buffer& b : p.buffers) {
    out.u64(static_cast<uint64_t>(b.kind));
    if (names) out.text(b.name);
    out.i64(b.bytes);
    out.blob(b.data.data(), b.data.size());
  }
  out.u64(p.parameters.size());
  for (const Parameter& q : p.parameters) {
    if (names) out.text(q.name);
    out.u64(static_cast<uint64_t>(q.dtype));
  }
  out.i64(p.semaphores_used);
  for (const auto& stream : p.streams) {
    out.u64(stream.size());
    for (const Instruction& i : stream) put_instruction(out, i, names ? 0 : bit(Field::debug));
  }
}

}  // namespace

uint64_t content_hash(const std::byte* data, size_t size) {
  constexpr uint64_t kOdd1 = 0x9e3779b97f4a7c15, kOdd2 = 0xd6e8feb86659fd93;
  uint64_t h = kOdd2 ^ (size * kOdd1);
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = 0;
    for (size_t i = at; i < size && i < at + 8; ++i) word |= static_cast<uint64_t>(data[i]) << (8 * (i - at));
    h = (h ^ word) * kOdd1;
    h ^= h >> 29;
  }
  h *= kOdd2;
  h ^= h >> 32;
  h *= kOdd2;
  return h ^ (h >> 29);
}

uint64_t program_hash(const Program& program) {
  ByteWriter out;
  put_code(out, program, false);
  return content_hash(out.bytes().data(), out.bytes().size()) & 0x7fffffffffffffff;
}

std::vector<std::byte> encode(const Program& program) {
  ByteWriter body;
  body.text(program.name);
  body.text(program.machine);
  put_code(body, program, true);
  body.u64(program.debug.size());
  for (const DebugEntry& d : program.debug) body.text(d.ir_op), body.text(d.aten_node);

  ByteWriter out;
  for (char c : kProgramMagic) out.bytes().push_back(static_cast<std::byte>(c));
  out.bytes().push_back(static_cast<std::byte>(kProgramFormat & 0xff));
  out.bytes().push_back(static_cast<std::byte>(kProgramFormat >> 8));
  out.fixed64(content_hash(body.bytes().data(), body.bytes().size()));
  out.bytes().insert(out.bytes().end(), body.bytes().begin(), body.bytes().end());
  return std::move(out.bytes());
}

}  // namespace lanewise::isa

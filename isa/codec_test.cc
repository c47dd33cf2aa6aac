// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/codec.h"

#include <gtest/gtest.h>

#include <set>

#include "isa/bytes.h"
#include "isa/program.h"
#include "isa/random_program.h"

namespace lanewise::isa {
namespace {

Result<Program> decode_all(const std::vector<std::byte>& bytes) { return decode(bytes.data(), bytes.size()); }

// A random legal program with five bytes of constants, so that damage meets structure.
Program small_program(uint32_t seed) {
  Program p = RandomProgram(seed).make();
  for (Buffer& b : p.buffers) {
    if (b.kind != Buffer::Kind::constant) continue;
    b.kind = Buffer::Kind::scratch;
    b.data.clear();
  }
  p.buffers.push_back({Buffer::Kind::constant, "small", 5, std::vector<std::byte>(5)});
  return p;
}

void fix_checksum(std::vector<std::byte>& bytes) {
  const uint64_t sum = content_hash(bytes.data() + kProgramHeaderBytes, bytes.size() - kProgramHeaderBytes);
  for (size_t i = 0; i < 8; ++i) bytes[8 + i] = static_cast<std::byte>(sum >> (8 * i));
}

TEST(CodecTest, RandomProgramsSurvive) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Program p = RandomProgram(seed).make();
    const auto back = decode_all(encode(p));
    ASSERT_TRUE(back.ok()) << back.status().to_string();
    ASSERT_TRUE(*back == p) << "seed " << seed;
    EXPECT_EQ(program_hash(*back), program_hash(p));
  }
}

TEST(CodecTest, EveryFlippedBitIsNoticedAtItsByte) {
  const std::vector<std::byte> good = encode(small_program(4));
  for (size_t at = 0; at < good.size(); ++at) {
    for (int b = 0; b < 8; ++b) {
      std::vector<std::byte> bad = good;
      bad[at] ^= static_cast<std::byte>(1 << b);
      const auto p = decode_all(bad);
      ASSERT_FALSE(p.ok()) << at;
      const bool version = at == 6 || at == 7;
      EXPECT_EQ(p.status().code(), version ? StatusCode::unimplemented : StatusCode::data_loss) << at;
      EXPECT_NE(p.status().message().find("byte "), std::string::npos) << p.status().message();
    }
  }
}

TEST(CodecTest, EveryCutIsNoticed) {
  const std::vector<std::byte> good = encode(small_program(5));
  for (size_t size = 0; size < good.size(); ++size) {
    std::vector<std::byte> bad(good.begin(), good.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_EQ(decode_all(bad).status().code(), StatusCode::data_loss) << size;
    if (size < kProgramHeaderBytes) continue;
    fix_checksum(bad);
    EXPECT_EQ(decode_all(bad).status().code(), StatusCode::data_loss) << size;
  }
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{0});
  fix_checksum(longer);
  EXPECT_EQ(decode_all(longer).status().message(), "program is damaged at byte " + std::to_string(good.size()) +
                                                       ": bytes follow the end of the program");
}

TEST(CodecTest, DamageBehindAGoodChecksumNeverCrashesAnyReader) {
  std::mt19937 random(11);
  int readable = 0, legal = 0;
  for (int round = 0; round < 6000; ++round) {
    std::vector<std::byte> bytes = encode(small_program(static_cast<uint32_t>(round % 60)));
    for (int edits = 1 + round % 3; edits > 0; --edits) {
      const size_t at = kProgramHeaderBytes + random() % (bytes.size() - kProgramHeaderBytes);
      if (random() % 4 != 0) bytes[at] = static_cast<std::byte>(random());
      else bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(at));
    }
    fix_checksum(bytes);
    const auto p = decode_all(bytes);
    if (!p.ok()) {
      EXPECT_EQ(p.status().code(), StatusCode::data_loss);
      continue;
    }
    ++readable;
    const auto again = decode_all(encode(*p));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(encode(*again), encode(*p));  // not ==: a damaged float may be a NaN
    const std::string text = print_text(*p);
    if (!verify(*p, kRandomLimits).ok()) continue;
    ++legal;  // what the verifier accepts, the text form keeps
    const auto parsed = parse_text(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status().to_string();
    EXPECT_EQ(encode(*parsed), encode(*p)) << text;
  }
  EXPECT_GT(readable, 500);
  EXPECT_GT(legal, 100);
}

// Readers multiply the counts of a pattern: a product beyond 64 bits is refused before they do.
TEST(CodecTest, PatternsBeyondAnyMemoryAreDamage) {
  const auto with = [](int64_t rows, int64_t columns) {
    Instruction in;
    in.op = Opcode::dma_copy;
    in.engine = Engine::sync;
    in.hbm_dst.buffer = 0;
    in.hbm_dst.rank = 2;
    in.hbm_dst.dims[0].count = rows;
    in.hbm_dst.dims[1].count = columns;
    Program p;
    p.streams[static_cast<size_t>(Engine::sync)] = {in};
    return decode_all(encode(p));
  };
  EXPECT_TRUE(with(int64_t{1} << 20, int64_t{1} << 20).ok());
  EXPECT_TRUE(with(0, 5).ok());   // for the verifier to refuse
  for (const auto& [rows, columns] : {std::pair{int64_t{1} << 20, (int64_t{1} << 20) + 1}, {int64_t{1} << 62, int64_t{4}}, {int64_t{0}, INT64_MAX}, {int64_t{-3}, int64_t{1}}}) {
    const auto p = with(rows, columns);
    ASSERT_FALSE(p.ok()) << rows << " x " << columns;
    EXPECT_NE(p.status().message().find("more elements than any memory"), std::string::npos) << p.status().message();
  }
}

TEST(CodecTest, ForeignDataIsNamed) {
  const std::string elf = "\x7f" "ELF and more than sixteen bytes";
  EXPECT_EQ(decode(reinterpret_cast<const std::byte*>(elf.data()), elf.size()).status().message(),
            "program is damaged at byte 0: not a program (it must begin with LWPROG)");
  EXPECT_EQ(decode(nullptr, 0).status().message(), "program is damaged at byte 0: the header is cut off");
  std::vector<std::byte> newer = encode(Program{});
  newer[6] = std::byte{9};
  EXPECT_EQ(decode_all(newer).status().message(),
            "program format 9 at byte 6: this build reads format 1; use the build that wrote the file");
}

TEST(HashTest, CoversCodeBuffersAndConstantsOnly) {
  const Program p = RandomProgram(6).make();
  const uint64_t h = program_hash(p);
  EXPECT_LT(h, uint64_t{1} << 63);

  Program same = p;
  same.name = "other";
  same.machine = "trn1";
  same.debug.push_back({"a", "b"});
  same.buffers[0].name = "renamed";
  same.parameters[0].name = "renamed";
  for (auto& stream : same.streams)
    for (Instruction& i : stream) i.debug = 0;
  EXPECT_EQ(program_hash(same), h);

  std::set<uint64_t> seen{h};
  const auto differs = [&](auto change) {
    Program q = p;
    change(q);
    EXPECT_TRUE(seen.insert(program_hash(q)).second);
  };
  differs([](Program& q) { q.buffers[0].bytes += 1; });
  differs([](Program& q) { q.buffers[0].kind = Buffer::Kind::scratch; });
  differs([](Program& q) { q.buffers[2].data[100] ^= std::byte{1}; });
  differs([](Program& q) { q.parameters.push_back({"x", DType::f32}); });
  differs([](Program& q) { q.semaphores_used += 1; });
  differs([](Program& q) { q.streams[4].push_back({}); });
  for (size_t e = 0; e < p.streams.size(); ++e)
    for (size_t k = 0; k < p.streams[e].size(); ++k)
      differs([&](Program& q) { q.streams[e][k].update.increment += 1; });
}

TEST(HashTest, IsTheSameOnEveryMachineAndInEveryRelease) {
  EXPECT_EQ(program_hash(Program{}), 5727812139565451837u);
  EXPECT_EQ(content_hash(nullptr, 0), 14389665981389134892u);
}

TEST(BytesTest, NumbersAtTheirLimits) {
  ByteWriter out;
  const int64_t values[] = {0, -1, 63, 64, -64, -65, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  for (int64_t v : values) out.i64(v);
  out.u64(std::numeric_limits<uint64_t>::max());
  ByteReader in(out.bytes().data(), out.bytes().size());
  for (int64_t v : values) EXPECT_EQ(in.i64(), v);
  EXPECT_EQ(in.u64(), std::numeric_limits<uint64_t>::max());
  EXPECT_FALSE(in.failed());
  EXPECT_EQ(in.u64(), 0u);
  EXPECT_EQ(in.failed_at(), out.bytes().size());

  const std::vector<std::byte> overlong(11, std::byte{0xff});
  ByteReader bad(overlong.data(), overlong.size());
  EXPECT_EQ(bad.u64(), 0u);
  EXPECT_EQ(bad.reason(), "a number has more than 64 bits");
}

}  // namespace
}  // namespace lanewise::isa

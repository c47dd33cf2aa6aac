// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every rule by the smallest program that breaks it, beside its nearest legal neighbour.
#include <gtest/gtest.h>

#include "isa/program.h"
#include "isa/random_program.h"

namespace lanewise::isa {
namespace {

constexpr VerifyLimits kLimits{1024, 16384};

Status check(const std::string& lines) {
  const auto p = parse_text(
      "program \"p\" machine=\"trn2\" semaphores=4\n"
      "buffer input \"x\" bytes=4096\nbuffer output \"y\" bytes=4096\nbuffer constant \"c\" bytes=4 data=00000000\n"
      "parameter \"f\" f32\nparameter \"n\" i64\ndebug 1 \"op\" \"node\"\n" + lines);
  EXPECT_TRUE(p.ok()) << lines << "\n" << p.status().to_string();
  return p.ok() ? verify(*p, kLimits) : p.status();
}

TEST(VerifyTest, RandomProgramsAreLegal) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const Program p = RandomProgram(seed).make();
    const Status s = verify(p, kRandomLimits);
    ASSERT_TRUE(s.ok()) << seed << " " << s.to_string() << "\n" << print_text(p);
  }
}

TEST(VerifyTest, LegalPrograms) {
  for (const char* lines : {
           // Quadrants.
           "vector memset dst=sbuf.f32[0:128]@0 scalar0=f32:0",
           "vector memset dst=sbuf.f32[64:128]@0 scalar0=f32:0",
           "vector memset dst=sbuf.f32[96:128]@0 scalar0=f32:0",
           // The last bytes of SBUF and of PSUM, reached forwards and backwards.
           "vector memset dst=sbuf.f32[0:1]@1020 scalar0=f32:0",
           "vector memset dst=psum.f32[0:1]@16380{-1x4096} scalar0=f32:0",
           "sync dma_copy hbm_dst=hbm1.f32@4092{-1x1024} hbm_src=hbm0.f32@0{1x1024}",
           "sync dma_copy dst=sbuf.bf16[0:4]@0{1x512} hbm_src=hbm0.bf16@0{512x4,1x512}",
           "gpsimd dma_copy dst=sbuf.f32[0:8]@0{1x4} hbm_src=hbm0.f32@0{1x4}rows(sbuf.i64[32:40]@8)*4",
           // One PSUM input; different shapes of the same count.
           "vector tensor_tensor op0=add dst=sbuf.f32[0:4]@0{1x6} src0=psum.f32[0:4]@0{3x2,1x3} src1=sbuf.f32[0:4]@0{1x6}",
           "vector select dst=sbuf.f32[0:4]@0 src0=sbuf.f32[0:4]@0 src2=sbuf.bool[0:4]@4 scalar0=f32:0",
           "gpsimd tensor_tensor op0=add dst=sbuf.i64[0:4]@0 src0=sbuf.i64[0:4]@0 src1=sbuf.i64[0:4]@8",
           "scalar tensor_copy dst=sbuf.i64[0:4]@0 src0=sbuf.i64[0:4]@8",
           "vector tensor_reduce op0=add reduce_dims=2 dst=sbuf.f32[0:4]@0{1x2} src0=sbuf.bf16[0:4]@64{12x2,4x3,1x4}",
           "pe nc_matmul dst=psum.f32[0:64]@2048{1x512} src0=sbuf.bf16[0:128]@0{1x64} src1=sbuf.f16[0:128]@0{1x512}",
           "pe nc_transpose dst=psum.bf16[0:64]@0{1x128} src0=sbuf.bf16[0:128]@0{1x64}",
           "gpsimd iota dst=sbuf.i32[0:4]@0{1x4} scalar0=param:1 iota_partition_step=4 iota_step=1,0,0,0",
           "scalar activation_reduce op0=add fn=square dst=sbuf.f32[0:4]@0{1x4} dst2=sbuf.f32[0:4]@64 src0=psum.f32[0:4]@0{1x4}",
           // A register that steps over whole banks, and one whose last value is 6: 4 + 6 * 2 = 16.
           "pe loop_begin loop_register=3 loop_end=8 loop_step=1\n"
           "pe nc_matmul dst=psum.f32[0:1]@0+r3*2048{1x512} src0=sbuf.f32[0:1]@0 src1=sbuf.f32[0:1]@0{0x512}\npe loop_end",
           "vector loop_begin loop_register=0 loop_end=8 loop_step=3\n"
           "vector memset dst=sbuf.u8[0:1]@1017+r0*1 scalar0=i64:0\nvector loop_end",
           "vector loop_begin loop_register=0 loop_end=1 loop_step=1\nvector loop_end\n"
           "vector loop_begin loop_register=0 loop_end=1 loop_step=1\nvector loop_end",
           "sync semaphore_wait wait=s3>=4\nsync semaphore_increment update=s0+1 debug=1",
       })
    EXPECT_TRUE(check(lines).ok()) << lines << "\n" << check(lines).to_string();
}

struct Refused {
  const char* lines;
  const char* message;
};

void expect_refused(std::initializer_list<Refused> cases) {
  for (const Refused& c : cases) {
    const Status s = check(c.lines);
    EXPECT_EQ(s.code(), StatusCode::invalid_argument) << c.lines;
    EXPECT_EQ(s.message(), c.message) << c.lines;
  }
}

TEST(VerifyTest, TilesInsideTheMemories) {
  const std::string memset = "vector instruction 0 (memset): dst: ";
  const std::pair<const char*, const char*> cases[] = {
      {"sbuf.f32[0:129]@0", "a tile has 1 to 128 partitions, not 129"},
      {"sbuf.f32[0:0]@0", "a tile has 1 to 128 partitions, not 0"},
      {"sbuf.f32[96:129]@0", "partitions 96 to 128 go past 127"},
      {"sbuf.f32[32:97]@0", "quadrant rule: 65 partitions cannot start at 32, only at 0"},
      {"sbuf.f32[32:65]@0", "quadrant rule: 33 partitions cannot start at 32, only at 0 or 64"},
      {"sbuf.f32[16:17]@0", "quadrant rule: 1 partitions cannot start at 16, only at 0, 32, 64 or 96"},
      {"sbuf.f32[0:1]@1024", "bytes 1024 to 1028 of a partition lie outside SBUF (0 to 1024)"},
      {"sbuf.f32[0:1]@0{1x257}", "bytes 0 to 1028 of a partition lie outside SBUF (0 to 1024)"},
      {"sbuf.f32[0:1]@4{-1x3}", "bytes -4 to 8 of a partition lie outside SBUF (0 to 1024)"},
      {"psum.f32[0:1]@16384", "bytes 16384 to 16388 of a partition lie outside PSUM (0 to 16384)"},
      {"sbuf.f32[0:1]@0{2147483647x4294967295,2147483647x4294967295}",
       "bytes 0 to 9223372036854775807 of a partition lie outside SBUF (0 to 1024)"},
      {"sbuf.f32[0:1]@2", "offset 2 or its register stride is not a multiple of the element's 4 bytes"},
      {"sbuf.f32[0:1]@0{1x0}", "dim 0 has no elements"},
      {"sbuf.f32[0:1]@0{0x2}", "dim 0 writes one element several times (stride 0)"},
      {"sbuf.f32[0:1]@0+r5*4", "loop register 5 belongs to no open loop"},
      {"sbuf.f32[0:1]@0+r64*4", "loop register 64 does not exist"},
      {"sbuf.f32[0:1]@0+r-2*4", "loop register -2 does not exist"},
      {"sbuf.f32[0:1]@0+r-1*4", "a register stride without a loop register"},
  };
  for (const auto& [tile, message] : cases)
    EXPECT_EQ(check(std::string("vector memset scalar0=f32:0 dst=") + tile).message(), memset + message);
  Program p;
  Instruction i;
  i.op = Opcode::memset;
  i.engine = Engine::vector;
  i.scalar0 = Scalar::of(0);
  i.dst = {Space::sbuf, DType::f32, 1, -1, 0, 1, 0, 0, {{{1, 4}, {1, 9}}}};
  p.streams[1] = {i};
  EXPECT_EQ(verify(p, kLimits).message(), memset + "dim 1 lies beyond the rank and must keep its default");
  p.streams[1][0].dst.rank = 5;
  EXPECT_EQ(verify(p, kLimits).message(), memset + "rank 5 is above 4");
}

TEST(VerifyTest, DeviceMemoryInsideTheBuffers) {
  const std::string copy = "sync instruction 0 (dma_copy): ";
  const std::pair<const char*, const char*> cases[] = {
      {"dst=sbuf.f32[0:1]@0{1x8} hbm_src=hbm3.f32@0{1x8}", "hbm_src: buffer 3 does not exist; the program has 3"},
      {"dst=sbuf.f32[0:1]@0{1x8} hbm_src=hbm0.f32@4072{1x8}", "hbm_src: bytes 4072 to 4104 lie outside buffer 0 (0 to 4096)"},
      {"dst=sbuf.f32[0:1]@0{1x8} hbm_src=hbm0.f32@16{-1x8}", "hbm_src: bytes -12 to 20 lie outside buffer 0 (0 to 4096)"},
      {"dst=sbuf.f32[0:1]@0{1x8} hbm_src=hbm0.f32@0{9223372036854775807x8}",
       "hbm_src: bytes 0 to 9223372036854775807 lie outside buffer 0 (0 to 4096)"},
      {"dst=sbuf.f32[0:1]@0 hbm_src=hbm0.f32@0{1x-5}", "hbm_src: dim 0 has no elements"},
      {"hbm_dst=hbm2.f32@0 src0=sbuf.f32[0:1]@0", "hbm_dst: buffer 2 is a constant"},
      {"hbm_dst=hbm1.f32@0{0x4} src0=sbuf.f32[0:4]@0", "hbm_dst: dim 0 writes one element several times (stride 0)"},
      {"dst=sbuf.f32[0:4]@0{1x8} hbm_src=hbm0.f32@0{1x31}", "element counts differ: writes 32, reads 31"},
      {"dst=sbuf.f32[0:4]@0", "needs either src0 or hbm_src"},
      {"dst=sbuf.f32[0:4]@0 src0=sbuf.f32[0:4]@0 hbm_src=hbm0.f32@0{1x4}", "needs either src0 or hbm_src"},
      {"hbm_src=hbm0.f32@0{1x4}", "needs either dst or hbm_dst"},
      {"dst=psum.f32[0:4]@0 src0=sbuf.f32[0:4]@0", "dst: DMA moves between SBUF and device memory, not PSUM"},
      {"queue=16 dst=sbuf.f32[0:4]@0 src0=sbuf.f32[0:4]@0", "queue 16 does not exist; an engine has 0 to 15"},
      {"dst=sbuf.f32[0:4]@0 hbm_src=hbm0.f32@0rows(none.f32[0:0]@0)*3", "hbm_src: a row stride without a row index"},
      {"dst=sbuf.f32[0:4]@0 hbm_src=hbm0.f32@0rows(sbuf.i32[0:4]@0)*3",
       "indexed rows need software descriptors, which GpSimd makes"},
  };
  for (const auto& [operands, message] : cases)
    EXPECT_EQ(check(std::string("sync dma_copy ") + operands).message(), copy + message);
}

TEST(VerifyTest, IndexedRows) {
  const std::string copy = "gpsimd instruction 0 (dma_copy): ";
  const std::pair<const char*, const char*> cases[] = {
      {"dst=sbuf.f32[0:4]@0 hbm_src=hbm0.f32@0rows(psum.i32[0:4]@0)*3", "hbm_src: the row index must be in SBUF"},
      {"dst=sbuf.f32[0:4]@0 hbm_src=hbm0.f32@0rows(sbuf.i16[0:4]@0)*3", "hbm_src: the row index must be i32 or i64"},
      {"dst=sbuf.f32[0:4]@0 hbm_src=hbm0.f32@0rows(sbuf.i32[0:4]@0{1x2})*3",
       "hbm_src: the row index must have one element a partition"},
      {"dst=sbuf.f32[0:4]@0 hbm_src=hbm0.f32@0rows(sbuf.i32[1:5]@0)*3",
       "hbm_src: row index: quadrant rule: 4 partitions cannot start at 1, only at 0, 32, 64 or 96"},
      {"dst=sbuf.f32[0:4]@0 hbm_src=hbm0.f32@0rows(sbuf.i32[0:5]@0)*3", "the tile has 4 partitions, the row index 5"},
      {"dst=sbuf.f32[0:4]@0{1x3} hbm_src=hbm0.f32@0{1x2}rows(sbuf.i32[0:4]@0)*3",
       "a row has 2 elements, the tile 3 a partition"},
      {"hbm_dst=hbm1.f32@0 hbm_src=hbm0.f32@0rows(sbuf.i32[0:4]@0)*3", "the other side of indexed rows must be a tile"},
      {"hbm_dst=hbm1.f32@0rows(sbuf.i32[0:4]@0)*3 hbm_src=hbm0.f32@0rows(sbuf.i32[0:4]@0)*3",
       "only one side can be indexed by rows"},
  };
  for (const auto& [operands, message] : cases)
    EXPECT_EQ(check(std::string("gpsimd dma_copy ") + operands).message(), copy + message);
}

TEST(VerifyTest, FieldsAsTheTableWantsThem) {
  expect_refused({
      {"pe memset dst=sbuf.f32[0:1]@0 scalar0=f32:0", "pe instruction 0 (memset): does not run on engine pe"},
      {"vector memset dst=sbuf.f32[0:1]@0", "vector instruction 0 (memset): needs scalar0"},
      {"vector memset scalar0=f32:0", "vector instruction 0 (memset): needs dst"},
      {"vector memset dst=none.f32[0:1]@0 scalar0=f32:0", "vector instruction 0 (memset): dst is absent but carries values"},
      {"vector memset dst=sbuf.f32[0:1]@0 scalar0=f32:0 op0=add", "vector instruction 0 (memset): takes no op0"},
      {"vector tensor_tensor op0=none dst=sbuf.f32[0:1]@0 src0=sbuf.f32[0:1]@0 src1=sbuf.f32[0:1]@0",
       "vector instruction 0 (tensor_tensor): needs op0"},
      {"scalar activation fn=none dst=sbuf.f32[0:1]@0 src0=sbuf.f32[0:1]@0", "scalar instruction 0 (activation): needs fn"},
      {"sync semaphore_wait wait=s0>=1 update=s0+1", "sync instruction 0 (semaphore_wait): takes no update"},
      {"sync semaphore_wait", "sync instruction 0 (semaphore_wait): needs wait"},
      {"sync semaphore_wait wait=s4>=1", "sync instruction 0 (semaphore_wait): wait: semaphore 4 is not among the program's 4"},
      {"sync semaphore_wait wait=s-2>=1", "sync instruction 0 (semaphore_wait): wait has no semaphore but carries values"},
      {"sync semaphore_increment update=s1+0",
       "sync instruction 0 (semaphore_increment): update: an increment of 0 signals nothing"},
      {"sync semaphore_wait wait=s1>=0 debug=2", "sync instruction 0 (semaphore_wait): debug entry 2 does not exist"},
      {"vector memset dst=sbuf.f32[0:1]@0 scalar0=param:2",
       "vector instruction 0 (memset): scalar0: parameter 2 does not exist; the program has 2"},
      {"vector memset dst=sbuf.f32[0:1]@0 scalar0=param:-1",
       "vector instruction 0 (memset): scalar0: parameter -1 does not exist; the program has 2"},
      {"vector memset dst=sbuf.f32[0:2]@0 scalar0=sbuf.f32[0:1]@0",
       "vector instruction 0 (memset): scalar0: has 1 partitions, the instruction has 2"},
      {"vector memset dst=sbuf.f32[0:1]@0 scalar0=sbuf.f32[0:1]@0{1x2}",
       "vector instruction 0 (memset): scalar0: must have one element a partition"},
      {"vector memset dst=sbuf.f32[0:1]@0 scalar0=none.f32[0:1]@0",
       "vector instruction 0 (memset): scalar0: a tile scalar without a tile"},
  });
}

TEST(VerifyTest, EnginesAndMemories) {
  expect_refused({
      {"gpsimd memset dst=psum.f32[0:1]@0 scalar0=f32:0", "gpsimd instruction 0 (memset): dst: GpSimd cannot reach PSUM"},
      {"gpsimd memset dst=sbuf.f32[0:1]@0 scalar0=psum.f32[0:1]@0",
       "gpsimd instruction 0 (memset): scalar0: GpSimd cannot reach PSUM"},
      {"vector tensor_tensor op0=add dst=sbuf.f32[0:1]@0 src0=psum.f32[0:1]@0 src1=psum.f32[0:1]@4",
       "vector instruction 0 (tensor_tensor): at most one tensor input of a Vector instruction may be in PSUM, here 2"},
      {"vector tensor_tensor op0=add dst=sbuf.i64[0:1]@0 src0=sbuf.i64[0:1]@0 src1=sbuf.i64[0:1]@8",
       "vector instruction 0 (tensor_tensor): dst: 64-bit integers are computed on GpSimd only"},
      {"vector tensor_copy dst=psum.f32[0:1]@0 src0=sbuf.u8[0:1]@0{0x65537}",
       "vector instruction 0 (tensor_copy): src0: 65537 elements a partition; an instruction addresses at most 65536"},
      {"vector tensor_copy dst=sbuf.f32[0:2]@0 src0=sbuf.f32[0:1]@0",
       "vector instruction 0 (tensor_copy): partition counts differ: dst has 2, an input 1"},
      {"vector tensor_copy dst=sbuf.f32[0:2]@0{1x3} src0=sbuf.f32[0:2]@0{1x4}",
       "vector instruction 0 (tensor_copy): element counts differ: dst has 3 a partition, an input 4"},
      {"pe nc_matmul dst=sbuf.f32[0:1]@0 src0=sbuf.f32[0:1]@0 src1=sbuf.f32[0:1]@0",
       "pe instruction 0 (nc_matmul): dst: the tensor engine writes PSUM"},
      {"pe nc_matmul dst=psum.f32[0:1]@0 src0=psum.f32[0:1]@0 src1=sbuf.f32[0:1]@0",
       "pe instruction 0 (nc_matmul): the tensor engine reads SBUF"},
      {"pe nc_matmul dst=psum.bf16[0:1]@0 src0=sbuf.f32[0:1]@0 src1=sbuf.f32[0:1]@0",
       "pe instruction 0 (nc_matmul): dst: cannot be bf16"},
      {"pe nc_matmul dst=psum.f32[0:1]@0 src0=sbuf.i32[0:1]@0 src1=sbuf.i32[0:1]@0",
       "pe instruction 0 (nc_matmul): src0: cannot be i32"},
      {"pe nc_matmul dst=psum.f32[0:1]@0 src0=sbuf.f32[0:1]@0 src1=sbuf.bf16[0:1]@0",
       "pe instruction 0 (nc_matmul): f32 multiplies only with f32"},
      {"pe nc_matmul dst=psum.f32[0:1]@4{1x512} src0=sbuf.f32[0:1]@0 src1=sbuf.f32[0:1]@0{0x512}",
       "pe instruction 0 (nc_matmul): dst: bytes 4 to 2052 cross a PSUM bank of 2048 bytes"},
      {"pe nc_matmul dst=psum.f32[0:1]@0{1x4} src0=sbuf.f32[0:1]@0{0x129} src1=sbuf.f32[0:1]@0{0x4}",
       "pe instruction 0 (nc_matmul): src0 has 129 columns, the array 128"},
      {"pe nc_matmul dst=psum.f32[0:1]@0{4x512} src0=sbuf.f32[0:1]@0 src1=sbuf.f32[0:1]@0{0x512}",
       "pe instruction 0 (nc_matmul): dst: bytes 0 to 8180 cross a PSUM bank of 2048 bytes"},
      {"pe nc_matmul dst=psum.f32[0:1]@0{1x4} src0=sbuf.f32[0:1]@0 src1=sbuf.f32[0:1]@0{0x513}",
       "pe instruction 0 (nc_matmul): src1 has 513 moving columns, at most 512"},
      {"pe nc_matmul dst=psum.f32[0:1]@0{1x4} src0=sbuf.f32[0:1]@0 src1=sbuf.f32[0:1]@0{0x5}",
       "pe instruction 0 (nc_matmul): dst must have src1's 5 columns, it has 4"},
      {"pe nc_matmul dst=psum.f32[0:2]@0 src0=sbuf.f32[0:1]@0 src1=sbuf.f32[0:1]@0",
       "pe instruction 0 (nc_matmul): dst must have src0's 1 columns as partitions, it has 2"},
      {"pe nc_matmul dst=psum.f32[0:1]@0 src0=sbuf.f32[0:2]@0 src1=sbuf.f32[0:1]@0",
       "pe instruction 0 (nc_matmul): src0 and src1 differ in partitions: 2 and 1"},
      {"pe nc_transpose dst=psum.bf16[0:1]@0 src0=sbuf.f16[0:1]@0", "pe instruction 0 (nc_transpose): a transpose keeps the dtype"},
      {"pe nc_transpose dst=psum.f16[0:1]@0 src0=sbuf.f16[0:2]@0",
       "pe instruction 0 (nc_transpose): dst must have src0's 2 partitions as elements, it has 1"},
  });
}

TEST(VerifyTest, OperationsAndTheirOperands) {
  expect_refused({
      {"vector tensor_tensor op0=bitwise_and dst=sbuf.f32[0:1]@0 src0=sbuf.i32[0:1]@0 src1=sbuf.i32[0:1]@0",
       "vector instruction 0 (tensor_tensor): bit-vector operations need integers, not f32"},
      {"vector tensor_scalar op0=shift_left dst=sbuf.i32[0:1]@0 src0=sbuf.i32[0:1]@0 scalar0=f32:1",
       "vector instruction 0 (tensor_scalar): bit-vector operations need integer scalars"},
      {"vector tensor_scalar op0=shift_left dst=sbuf.i32[0:1]@0 src0=sbuf.i32[0:1]@0 scalar0=param:0",
       "vector instruction 0 (tensor_scalar): bit-vector operations need integer scalars"},
      {"vector tensor_scalar op0=add op1=bitwise_or dst=sbuf.i32[0:1]@0 src0=sbuf.i32[0:1]@0 scalar0=i64:1 scalar1=i64:1",
       "vector instruction 0 (tensor_scalar): op0 and op1 must both be bit-vector operations or both arithmetic"},
      {"vector tensor_scalar op0=add op1=add dst=sbuf.i32[0:1]@0 src0=sbuf.i32[0:1]@0 scalar0=i64:1",
       "vector instruction 0 (tensor_scalar): op1 and scalar1 come together"},
      {"vector tensor_scalar op0=add reverse1 dst=sbuf.i32[0:1]@0 src0=sbuf.i32[0:1]@0 scalar0=i64:1",
       "vector instruction 0 (tensor_scalar): reverse1 without op1"},
      {"scalar tensor_scalar op0=subtract dst=sbuf.f32[0:1]@0 src0=sbuf.f32[0:1]@0 scalar0=f32:1",
       "scalar instruction 0 (tensor_scalar): on the Scalar engine tensor_scalar can multiply, add, or multiply and then add"},
      {"vector tensor_reduce op0=divide reduce_dims=1 dst=sbuf.f32[0:1]@0 src0=sbuf.f32[0:1]@0{1x4}",
       "vector instruction 0 (tensor_reduce): divide is not a reduction"},
      {"vector tensor_reduce op0=add reduce_dims=2 dst=sbuf.f32[0:1]@0 src0=sbuf.f32[0:1]@0{1x4}",
       "vector instruction 0 (tensor_reduce): reduce_dims is 2, src0 has 1 free dims"},
      {"vector tensor_reduce op0=add reduce_dims=0 dst=sbuf.f32[0:1]@0 src0=sbuf.f32[0:1]@0{1x4}",
       "vector instruction 0 (tensor_reduce): reduce_dims is 0, src0 has 1 free dims"},
      {"vector tensor_reduce op0=add reduce_dims=1 dst=sbuf.f32[0:1]@0{1x4} src0=sbuf.f32[0:1]@0{4x3,1x4}",
       "vector instruction 0 (tensor_reduce): dst must have the 3 elements that are left, it has 4"},
      {"vector tensor_reduce op0=add reduce_dims=1 dst=sbuf.f32[0:2]@0{1x3} src0=sbuf.f32[0:1]@0{4x3,1x4}",
       "vector instruction 0 (tensor_reduce): partition counts of dst and src0 differ"},
      {"vector select dst=sbuf.f32[0:1]@0 src0=sbuf.f32[0:1]@0 src2=sbuf.f32[0:1]@0 scalar0=f32:0",
       "vector instruction 0 (select): src2: a predicate is bool or an integer of up to 32 bits, not f32"},
      {"vector select dst=sbuf.f32[0:1]@0 src0=sbuf.f32[0:1]@0 src2=sbuf.u8[0:1]@0",
       "vector instruction 0 (select): needs either src1 or scalar0"},
      {"vector select dst=sbuf.f32[0:1]@0 src0=sbuf.f32[0:1]@0 src1=sbuf.f32[0:1]@0 src2=sbuf.u8[0:1]@0 scalar0=f32:0",
       "vector instruction 0 (select): needs either src1 or scalar0"},
      {"vector tensor_copy_predicated dst=sbuf.f32[0:1]@0 src0=sbuf.bf16[0:1]@0 src2=sbuf.u8[0:1]@0",
       "vector instruction 0 (tensor_copy_predicated): dst and src0 must have one dtype"},
      {"gpsimd iota dst=sbuf.i32[0:1]@0 scalar0=f32:0", "gpsimd instruction 0 (iota): scalar0 must be an integer"},
      {"gpsimd iota dst=sbuf.i32[0:1]@0 scalar0=param:0", "gpsimd instruction 0 (iota): scalar0 must be an integer"},
      {"gpsimd iota dst=sbuf.i32[0:1]@0{1x4} scalar0=i64:0 iota_step=1,1,0,0",
       "gpsimd instruction 0 (iota): iota_step has more steps than dst has free dims"},
      {"scalar activation_reduce op0=maximum fn=exp dst=sbuf.f32[0:1]@0 dst2=sbuf.f32[0:1]@4 src0=sbuf.f32[0:1]@0",
       "scalar instruction 0 (activation_reduce): op0 must be add"},
      {"scalar activation_reduce op0=add fn=exp dst=sbuf.f32[0:1]@0 dst2=sbuf.f32[0:1]@4{1x2} src0=sbuf.f32[0:1]@0",
       "scalar instruction 0 (activation_reduce): dst2 must have dst's partitions and one element in each"},
  });
}

TEST(VerifyTest, Loops) {
  expect_refused({
      {"vector loop_end", "vector instruction 0 (loop_end): ends no loop"},
      {"vector loop_begin loop_register=0 loop_end=4 loop_step=1", "vector instruction 0 (loop_begin): this loop is never closed"},
      {"vector loop_begin loop_register=0 loop_end=4 loop_step=1\nscalar loop_end", "vector instruction 0 (loop_begin): this loop is never closed"},
      {"vector loop_begin loop_register=64 loop_end=4 loop_step=1",
       "vector instruction 0 (loop_begin): loop register 64 does not exist; an engine has 0 to 63"},
      {"vector loop_begin loop_register=-1 loop_end=4 loop_step=1",
       "vector instruction 0 (loop_begin): loop register -1 does not exist; an engine has 0 to 63"},
      {"vector loop_begin loop_register=0 loop_end=4 loop_step=0", "vector instruction 0 (loop_begin): loop_step must be at least 1"},
      {"vector loop_begin loop_register=0 loop_end=0 loop_step=1",
       "vector instruction 0 (loop_begin): loop_end must be at least 1; a loop runs at least once"},
      {"vector loop_begin loop_register=0 loop_end=4 loop_step=1\nvector loop_begin loop_register=0 loop_end=4 loop_step=1",
       "vector instruction 1 (loop_begin): loop register 0 is in use by an outer loop"},
      {"vector loop_begin loop_register=0 loop_end=8 loop_step=3\nvector memset dst=sbuf.u8[0:1]@1018+r0*1 scalar0=i64:0",
       "vector instruction 1 (memset): dst: bytes 1018 to 1025 of a partition lie outside SBUF (0 to 1024)"},
      {"vector loop_begin loop_register=0 loop_end=2 loop_step=1\nvector memset dst=sbuf.u8[0:1]@0+r0*-1 scalar0=i64:0",
       "vector instruction 1 (memset): dst: bytes -1 to 1 of a partition lie outside SBUF (0 to 1024)"},
      {"vector loop_begin loop_register=0 loop_end=2 loop_step=1\nvector loop_end\nvector memset dst=sbuf.u8[0:1]@0+r0*1 scalar0=i64:0",
       "vector instruction 2 (memset): dst: loop register 0 belongs to no open loop"},
      {"sync loop_begin loop_register=0 loop_end=5 loop_step=4\n"
       "sync dma_copy dst=sbuf.f32[0:1]@0 hbm_src=hbm0.f32@4+r0*1024",
       "sync instruction 1 (dma_copy): hbm_src: bytes 4 to 4104 lie outside buffer 0 (0 to 4096)"},
      {"pe loop_begin loop_register=3 loop_end=7 loop_step=1\n"
       "pe nc_matmul dst=psum.f32[0:1]@0+r3*1024{1x512} src0=sbuf.f32[0:1]@0 src1=sbuf.f32[0:1]@0{0x512}",
       "pe instruction 1 (nc_matmul): dst: bytes 1024 to 3072 cross a PSUM bank of 2048 bytes"},
  });
}

TEST(VerifyTest, TablesOfTheProgram) {
  const auto broken = [](auto change) {
    Program p;
    change(p);
    return verify(p, kLimits).message();
  };
  EXPECT_EQ(broken([](Program& p) { p.name = "a\nb"; }), "program: its name must be printable ASCII");
  EXPECT_EQ(broken([](Program& p) { p.semaphores_used = 257; }), "program: uses 257 semaphores; a core has 256");
  EXPECT_EQ(broken([](Program& p) { p.semaphores_used = -1; }), "program: uses -1 semaphores; a core has 256");
  EXPECT_EQ(broken([](Program& p) { p.buffers = {{Buffer::Kind::input, "x", -1, {}}}; }), "buffer 0: a negative size");
  EXPECT_EQ(broken([](Program& p) { p.buffers = {{Buffer::Kind::constant, "x", 4, {}}}; }),
            "buffer 0: a constant of 4 bytes with 0 bytes of data");
  EXPECT_EQ(broken([](Program& p) { p.buffers = {{Buffer::Kind::input, "x", 1, {std::byte{0}}}}; }),
            "buffer 0: only constants carry data");
  EXPECT_EQ(broken([](Program& p) { p.parameters = {{"x", DType::bf16}}; }), "parameter 0: must be f32 or i64");
  EXPECT_EQ(broken([](Program& p) { p.debug.clear(); }), "debug map: entry 0 must be the empty one");
  EXPECT_EQ(broken([](Program& p) { p.debug[0].ir_op = "x"; }), "debug map: entry 0 must be the empty one");
  EXPECT_EQ(broken([](Program& p) { p.streams[0].push_back({}); }),
            "pe instruction 0 (semaphore_wait): belongs to engine sync but sits in this stream");
}

}  // namespace
}  // namespace lanewise::isa

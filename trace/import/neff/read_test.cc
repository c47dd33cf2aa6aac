// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "trace/import/neff/debug_names.h"
#include "trace/import/neff/neff_fixture.h"
#include "trace/import/neff/program.h"
#include "trace/record/proto_wire.h"

namespace lanewise::trace::neff {
namespace {

const device::Instruction* find(const device::Program& p, isa::Engine engine, uint32_t index) {
  for (const device::Instruction& i : p.instructions)
    if (i.engine == engine && i.index == index) return &i;
  return nullptr;
}

TEST(ReadNeff, AProgramAsTables) {
  auto neff = read_file(small_neff().bytes());
  ASSERT_TRUE(neff.ok()) << neff.status().to_string();
  EXPECT_TRUE(neff->problems.empty()) << neff->problems[0];
  const device::Program p = program_of(*neff);
  EXPECT_EQ(p.compiler, "neuronx-cc 2.0");
  EXPECT_EQ(p.instructions.size(), 14u);
  const auto* load = find(p, isa::Engine::sync, 2);
  EXPECT_EQ(load->text, "PSEUDO_DMA_TRIGGER queue=qSPIO0 id=0 copy sbuf.float32[0:4]@64{1x8} <- x.float32@0{8x4,1x8} done=s8+16");
  ASSERT_EQ(load->updates.size(), 1u);
  EXPECT_EQ(load->updates[0].value, 16u);
  EXPECT_EQ(p.queues[load->queue].name, "qSPIO0");
  const auto* add = find(p, isa::Engine::vector, 2);
  EXPECT_EQ(add->elements, 32);
  EXPECT_EQ(add->flops, 32);
  EXPECT_EQ(add->bytes_read, 256);
  EXPECT_TRUE(find(p, isa::Engine::pe, 0)->setup);
  EXPECT_TRUE(find(p, isa::Engine::sync, 4)->setup);
  ASSERT_EQ(p.descriptors.size(), 2u);
  EXPECT_EQ(p.descriptors[1].bytes, 128);
  EXPECT_EQ(p.instructions[p.descriptors[1].trigger].index, 3u);
  EXPECT_EQ(p.tensors[0].shape, (std::vector<int64_t>{4, 8}));
}

TEST(ReadNeff, WhatIsMissingOrBrokenIsASentenceAndTheRestStays) {
  Fixture f = small_neff();
  f.members.erase("sg00/PE.bin");
  f.members["sg00/Pool.json"] = "{\"dma\": [";
  f.members["sg00/DVE.bin"] += "1234567";
  f.members["sg00/strange"] = "?";
  auto neff = read_file(f.bytes());
  ASSERT_TRUE(neff.ok()) << neff.status().to_string();
  EXPECT_EQ(neff->problems, (std::vector<std::string>{"the archive has no member sg00/PE.bin",
                                                      "sg00/DVE.bin ends with 7 bytes that are no whole instruction",
                                                      "sg00/Pool.json is no JSON object"}));
  EXPECT_EQ(neff->cores[0].engines[static_cast<size_t>(isa::Engine::vector)].instructions.size(), 3u);
  for (const Member& m : neff->members) EXPECT_EQ(m.use == MemberUse::unknown, m.name == "sg00/strange") << m.name;
}

TEST(ReadNeff, WhatIsNoNeffOrANewerOneGetsASentence) {
  EXPECT_EQ(read_file("").status().message(), "the file is empty: a NEFF has 1024 bytes of header and an archive");
  EXPECT_EQ(read_file(std::string(5000, 'x')).status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(read_file(std::string(100, '\2')).status().code(), StatusCode::invalid_argument);
  Fixture newer = small_neff();
  newer.package = 3;
  EXPECT_EQ(read_file(newer.bytes()).status().code(), StatusCode::unimplemented);
  newer.package = 2;
  newer.major = 3;
  EXPECT_EQ(read_file(newer.bytes()).status().message(),
            "NEFF version 3.0 is newer than 2.0, the newest that is known here; use the Lanewise of its time");
  Fixture none = small_neff();
  none.members.erase("kelf-0.json");
  EXPECT_EQ(read_file(none.bytes()).status().code(), StatusCode::data_loss);
  Fixture other = small_neff();
  other.members["kelf-0.json"] = R"({"graphs": [{"definition": "sg00/def.json"}], "target": "sunda"})";
  EXPECT_NE(read_file(other.bytes())->problems[0].find("only cayman"), std::string::npos);
}

TEST(ReadNeff, NamesFollowTheOrderOfTheBinary) {
  record::ProtoMessage entry, assembly, backend, tensors;
  assembly.text(1, "note");
  assembly.message(3, entry);                                   // an instruction without a name
  assembly.message(3, entry.text(3, std::string("\x85\x02", 2)));   // made of entry 261
  entry.clear();
  backend.message(3, entry.uint(1, 7).text(2, "I-0"));
  entry.clear();
  backend.message(3, entry.uint(1, 261).text(2, "I-8-0").text(3, "\x10"));
  entry.clear();
  tensors.message(3, entry.uint(1, 16).text(2, "float32<128 x 1> $16[row]"));
  auto names = instruction_names(assembly.bytes(), backend.bytes(), tensors.bytes());
  ASSERT_TRUE(names.ok()) << names.status().to_string();
  EXPECT_EQ(*names, (std::vector<InstructionName>{{}, {"I-8-0", "float32<128 x 1> $16[row]"}}));
  EXPECT_EQ(instruction_names("\x1a\x50", "", "").status().code(), StatusCode::data_loss);
}

TEST(ReadNeff, DamagedContentNeverCrashes) {
  std::mt19937 random(5);
  const Fixture whole = small_neff();
  for (int round = 0; round < 3000; ++round) {
    Fixture f = whole;
    auto at = f.members.begin();
    std::advance(at, random() % f.members.size());
    std::string& content = at->second;
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0 && !content.empty(); --edits) {
      const size_t byte = random() % content.size();
      if (random() % 4 == 0) content.erase(byte, 1 + random() % 8);
      else content[byte] = static_cast<char>(random() % 3 == 0 ? '9' : random());
    }
    const auto neff = read_file(f.bytes());
    if (neff.ok()) (void)program_of(*neff);
    else EXPECT_FALSE(neff.status().message().empty());
  }
}

TEST(Npy, DamageIsNamed) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
  std::string good("\x93NUMPY\x01\0", 8);
  good += static_cast<char>(header.size());
  good += '\0';
  good += header + std::string(24, 'a');
  const auto npy = read_npy(good);
  ASSERT_TRUE(npy.ok()) << npy.status().to_string();
  EXPECT_EQ(npy->dtype, "float32");
  EXPECT_EQ(npy->shape, (std::vector<int64_t>{2, 3}));
  for (size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(read_npy(std::string_view(good).substr(0, n)).ok()) << n;
  std::string other = good;
  other.replace(other.find("False"), 5, "True ");
  EXPECT_FALSE(read_npy(other).ok());
}

}  // namespace
}  // namespace lanewise::trace::neff

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/neff.h"

#include <nlohmann/json.hpp>

#include "trace/record/record_fixture.h"

namespace lanewise::trace::record {
namespace {

using nlohmann::json;

std::string small_neff(std::string_view graph_ir = "graph text") {
  const isa::Program program = small_program();
  auto bytes = write_neff(program, isa::program_hash(program), graph_ir, "0.1");
  EXPECT_TRUE(bytes.ok()) << bytes.status().to_string();
  return *bytes;
}

TEST(NeffTest, TheProgramComesBack) {
  const isa::Program program = small_program();
  const std::string bytes = small_neff();
  Neff neff;
  ASSERT_TRUE(read_neff(bytes, &neff).ok());
  EXPECT_EQ(neff.header.pkg_version, 2u);
  EXPECT_EQ(neff.header.header_size, 1024u);
  EXPECT_EQ(neff.header.data_size, bytes.size() - 1024);
  EXPECT_EQ(neff.header.build_version, "lanewise 0.1");
  EXPECT_EQ(neff.header.name, program.name);
  EXPECT_EQ(neff.header.cores, 1u);
  EXPECT_EQ(neff.header.lnc_size, 1u);
  EXPECT_EQ(neff.header.uuid, pair_id(isa::program_hash(program), isa::encode(program)));
  EXPECT_EQ(neff.program_hash(), isa::program_hash(program));
  auto back = neff_program(neff);
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  EXPECT_EQ(*back, program);
  EXPECT_EQ(*neff.find("program.txt"), isa::print_text(program));
  EXPECT_EQ(*neff.find("graph.ir"), "graph text");
}

TEST(NeffTest, JsonMembersAreComplete) {
  const isa::Program program = small_program();
  Neff neff;
  ASSERT_TRUE(read_neff(small_neff(), &neff).ok());
  const json info = json::parse(*neff.find("info.json"), nullptr, false);
  ASSERT_FALSE(info.is_discarded());
  EXPECT_EQ(info["program_hash"], std::to_string(isa::program_hash(program)));
  EXPECT_EQ(info["machine"], "trn2");
  EXPECT_EQ(info["instructions"]["vector"], 1);
  EXPECT_EQ(info["buffers"][1]["kind"], "constant");
  EXPECT_EQ(info["parameters"][0]["dtype"], "f32");
  const json debug = json::parse(*neff.find("debug_map.json"), nullptr, false);
  ASSERT_FALSE(debug.is_discarded());
  const size_t entry = debug["streams"]["vector"][0];
  EXPECT_EQ(debug["entries"][entry]["aten_node"], "aten::mul.Tensor \"odd\" name");
  EXPECT_EQ(debug["streams"]["pe"], json::array());
}

TEST(NeffTest, NoGraphNoMember) {
  Neff neff;
  ASSERT_TRUE(read_neff(small_neff(""), &neff).ok());
  EXPECT_EQ(neff.find("graph.ir"), nullptr);
  EXPECT_EQ(neff.members.size(), 4u);
}

TEST(NeffTest, TheSameProgramGivesTheSameBytes) { EXPECT_EQ(small_neff(), small_neff()); }

TEST(NeffTest, EveryCutIsDataLossWithItsOffset) {
  const std::string bytes = small_neff();
  for (size_t cut = 0; cut < bytes.size(); cut += cut < 1024 ? 101 : 13) {
    Neff neff;
    const Status status = read_neff(std::string_view(bytes).substr(0, cut), &neff);
    ASSERT_EQ(status.code(), StatusCode::data_loss) << cut;
    EXPECT_NE(status.message().find("byte " + std::to_string(cut)), std::string::npos) << status.message();
  }
}

TEST(NeffTest, MembersBeforeTheDamageAreKept) {
  isa::Program program = small_program();
  program.buffers[1].data.resize(200'000);   // does not compress to nothing
  uint32_t noise = 1;
  for (std::byte& b : program.buffers[1].data) b = static_cast<std::byte>((noise = noise * 1664525 + 1013904223) >> 24);
  program.buffers[1].bytes = 200'000;
  const std::string bytes = *write_neff(program, isa::program_hash(program), "", "0.1");
  ASSERT_GT(bytes.size(), 150'000u);
  Neff neff;
  const Status status = read_neff(std::string_view(bytes).substr(0, 100'000), &neff);
  EXPECT_EQ(status.code(), StatusCode::data_loss);
  ASSERT_EQ(neff.members.size(), 1u);
  EXPECT_EQ(neff.members[0].name, "info.json");
  EXPECT_FALSE(neff_program(neff).ok());
}

TEST(NeffTest, AChangedByteIsFoundOrChangesNothing) {
  const std::string bytes = small_neff();
  Neff whole;
  ASSERT_TRUE(read_neff(bytes, &whole).ok());
  int harmless = 0;
  for (size_t at = 1024 + 10; at < bytes.size(); ++at) {   // behind the fixed gzip header
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    Neff neff;
    const Status status = read_neff(damaged, &neff);
    if (status.ok()) {
      ++harmless;   // a bit of the compressed form that no content depends on
      EXPECT_EQ(neff.members, whole.members) << at;
    } else {
      EXPECT_EQ(status.code(), StatusCode::data_loss);
      EXPECT_NE(status.message().find("byte"), std::string::npos) << status.message();
    }
  }
  EXPECT_LT(harmless, 20);
}

TEST(NeffTest, WrongHeadersAreNamed) {
  std::string bytes = small_neff();
  bytes[0] = 77;
  Neff neff;
  EXPECT_NE(read_neff(bytes, &neff).message().find("at byte 0"), std::string::npos);
  bytes[0] = 2;
  bytes[8] = 1;
  EXPECT_NE(read_neff(bytes, &neff).message().find("at byte 8"), std::string::npos);
}

TEST(NeffTest, AFileOfAnotherToolIsReadButHasNoProgramOfOurs) {
  // The layout of real files: no build version, folders and JSON inside.
  std::string bytes = small_neff();
  auto data = write_tar_gz({{"info.json", "{}"}, {"sg00/def.json", "{}"}});
  ASSERT_TRUE(data.ok());
  bytes = bytes.substr(0, 1024) + *data;
  for (int i = 0; i < 128; ++i) bytes[40 + static_cast<size_t>(i)] = 0;
  bytes[16] = static_cast<char>(data->size() & 0xff);
  bytes[17] = static_cast<char>(data->size() >> 8);
  bytes[18] = 0;
  Neff neff;
  ASSERT_TRUE(read_neff(bytes, &neff).ok());
  EXPECT_FALSE(neff.ours());
  EXPECT_EQ(neff.members.at(1).name, "sg00/def.json");
  EXPECT_EQ(neff_program(neff).status().code(), StatusCode::failed_precondition);
}

TEST(NeffTest, Names) {
  EXPECT_EQ(neff_name(9223372036854775807ull, 1), "neff_9223372036854775807_vnc_1.neff");
  EXPECT_EQ(ntff_name(12, 0, 3), "12_instid_0_vnc_3.ntff");
}

}  // namespace
}  // namespace lanewise::trace::record

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target of the reader of our own pairs. Both files have checksums, and the program lies in a compressed archive, so damage
// of the bytes alone would stop there: the first byte of an input, modulo 4, says what the rest is.
//
//   0  the .ntff as it is, beside the small pair's .neff
//   1  the .ntff, its three checksums put right
//   2  program.bin of the .neff, its checksum put right, joined with the small pair's runs
//   3  the .neff as it is, beside the small pair's .ntff
//
// tests/fuzz/run.sh builds and runs it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "isa/codec.h"
#include "trace/import/lanewise_pair/import_invariants.h"
#include "trace/import/lanewise_pair/pair_fixture.h"
#include "trace/import/lanewise_pair/program.h"
#include "trace/record/little_endian.h"

namespace pair = lanewise::trace::lanewise_pair;
namespace record = lanewise::trace::record;

namespace {

void expect_none(const std::string& broken) {
  if (broken.empty()) return;
  std::fprintf(stderr, "%s\n", broken.c_str());
  std::abort();
}

void check_program(std::string bytes, const pair::SmallPair& small, const lanewise::machine::Machine& machine) {
  namespace isa = lanewise::isa;
  if (bytes.size() >= isa::kProgramHeaderBytes) {
    const auto* body = reinterpret_cast<const std::byte*>(bytes.data()) + isa::kProgramHeaderBytes;
    record::store_le<uint64_t>(&bytes, 8, isa::content_hash(body, bytes.size() - isa::kProgramHeaderBytes));
  }
  record::Neff neff;
  LW_CHECK(record::read_neff(small.neff, &neff).ok(), "a .neff that was just written");
  for (auto& member : neff.members)
    if (member.name == "program.bin") member.bytes = bytes;
  auto program = pair::program_of(neff);
  if (!program.ok()) return expect_none(program.status().message().empty() ? "a failure without a sentence" : "");
  const auto joined = pair::join(std::move(*program), small.runs.profile, machine);
  if (joined.ok()) expect_none(pair::broken_rows(*joined));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const pair::SmallPair small = pair::small_pair();
  static const lanewise::machine::Machine machine = *lanewise::machine::load_machine("trn2");
  if (size == 0) return 0;
  std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0: expect_none(pair::broken_invariant(small.neff, rest)); break;
    case 1: expect_none(pair::broken_invariant(small.neff, pair::with_checksums(std::move(rest)))); break;
    case 2: check_program(std::move(rest), small, machine); break;
    default: expect_none(pair::broken_invariant(rest, small.ntff)); break;
  }
  return 0;
}

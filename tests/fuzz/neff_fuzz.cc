// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target of the reader of real NEFF files. The archive is compressed and has a checksum, so damage of the bytes alone
// would stop there: the first byte of an input says which member of a small NEFF the rest replaces (0: the file itself).
// tests/fuzz/run.sh builds and runs it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "trace/import/neff/debug_names.h"
#include "trace/import/neff/neff_fixture.h"
#include "trace/import/neff/program.h"

namespace neff = lanewise::trace::neff;
namespace trn2 = lanewise::isa::trn2;

namespace {

[[noreturn]] void broken(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// Every byte of every instruction is accounted for, and the tables refer to rows that exist.
void check(const neff::RealNeff& real) {
  for (const neff::Core& core : real.cores)
    for (const neff::EngineCode& code : core.engines)
      for (const trn2::Instruction& in : code.instructions) {
        if (in.bytes_of(trn2::ByteUse::known) + in.bytes_of(trn2::ByteUse::padding) + in.bytes_of(trn2::ByteUse::unknown) != 64) broken("a byte is lost");
        if (in.bytes_of(trn2::ByteUse::unknown) > 0 && in.not_understood.empty()) broken("an unknown byte without a sentence");
      }
  const lanewise::trace::device::Program program = neff::program_of(real);
  for (const auto& d : program.descriptors) {
    if (d.trigger != lanewise::trace::device::kNone && d.trigger >= program.instructions.size()) broken("a trigger that is no instruction");
    if (d.queue != lanewise::trace::device::kNone && d.queue >= program.queues.size()) broken("a queue that does not exist");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 0) {
    const auto real = neff::read_file(rest);
    if (real.ok()) check(*real);
    return 0;
  }
  static const neff::Fixture whole = neff::small_neff();
  lanewise::trace::record::Neff container;
  container.header.major = 2;
  size_t n = 1;
  const size_t replaced = 1 + (data[0] - 1u) % whole.members.size();
  for (const auto& [name, content] : whole.members) container.members.push_back({name, n++ == replaced ? std::string(rest) : content});
  const auto real = neff::read_real_neff(container);
  if (real.ok()) check(*real);
  (void)neff::read_npy(rest);
  const size_t half = rest.size() / 2;
  (void)neff::instruction_names(rest.substr(0, half), rest.substr(half), rest);
  return 0;
}

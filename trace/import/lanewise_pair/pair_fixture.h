// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: a small pair of ours, made by its writers: one load, one addition, one store.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/status.h"
#include "isa/program.h"
#include "trace/record/little_endian.h"
#include "trace/record/neff.h"
#include "trace/record/ntff.h"
#include "trace/record/ntff_layout.h"

namespace lanewise::trace::lanewise_pair {

struct SmallPair {
  isa::Program program;
  record::Ntff runs;
  std::string neff, ntff;
};

inline SmallPair small_pair() {
  SmallPair pair;
  auto program = isa::parse_text(
      "program \"add\" machine=\"trn2\" semaphores=3\n"
      "buffer input \"x\" bytes=4096\n"
      "buffer output \"y\" bytes=4096\n"
      "sync dma_copy dst=sbuf.f32[0:4]@0{1x256} hbm_src=hbm0.f32@0{256x4,1x256} update=s1+1\n"
      "sync dma_copy queue=1 hbm_dst=hbm1.f32@0{256x4,1x256} src0=sbuf.f32[0:4]@1024{1x256} wait=s2>=1\n"
      "vector tensor_tensor op0=add dst=sbuf.f32[0:4]@1024{1x256} src0=sbuf.f32[0:4]@0{1x256} src1=sbuf.f32[0:4]@0{1x256} wait=s1>=1 update=s2+1\n");
  LW_CHECK(program.ok(), program.status().to_string());
  pair.program = std::move(*program);
  const uint64_t hash = isa::program_hash(pair.program);
  auto neff = record::write_neff(pair.program, hash, "", "0.1");
  LW_CHECK(neff.ok(), neff.status().to_string());
  pair.neff = std::move(*neff);
  record::Neff read;
  LW_CHECK(record::read_neff(pair.neff, &read).ok(), "a .neff that was just written");
  pair.runs.program_hash = hash;
  pair.runs.uuid = read.header.uuid;
  pair.runs.program = "add";
  pair.runs.producer.machine_preset = pair.runs.producer.machine_spec = "trn2";
  pair.runs.profile.duration_ps = 9'000'000;
  pair.runs.profile.instructions = {{4, false, 0, 0, 0, 0, 50'000, 0}, {1, true, 0, 0, 40'000, 3'000'000, 3'300'000, 100'000}, {4, false, 1, 0, 50'000, 3'400'000, 3'450'000, 0}};
  pair.runs.profile.dmas = {{4, 0, 0, 0, 50'000, 1'000'000, 2'500'000, 2'900'000, 4096, 4}, {4, 1, 1, 0, 3'450'000, 5'000'000, 6'500'000, 8'000'000, 4096, 4}};
  auto ntff = record::write_ntff(pair.runs);
  LW_CHECK(ntff.ok(), ntff.status().to_string());
  pair.ntff = std::move(*ntff);
  return pair;
}

inline uint32_t crc_of(std::string_view bytes) { return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())); }

// An .ntff whose damage its checksums do not give away: those of header, metadata and records are put right.
inline std::string with_checksums(std::string bytes) {
  namespace layout = record::ntff_layout;
  if (bytes.size() < record::kNtffHeaderBytes) return bytes;
  const auto section = [&](size_t offset, size_t count, uint64_t unit) {
    const uint64_t at = std::min<uint64_t>(record::load_le<uint64_t>(bytes, offset), bytes.size());
    const uint64_t n = std::min<uint64_t>(record::load_le<uint64_t>(bytes, count), (bytes.size() - at) / unit);
    return std::string_view(bytes).substr(at, n * unit);
  };
  const uint32_t metadata = crc_of(section(layout::kMetadataOffset, layout::kMetadataSize, 1));
  const uint32_t records = crc_of(section(layout::kRecordsOffset, layout::kRecordCount, record::kNtffRecordBytes));
  record::store_le<uint32_t>(&bytes, layout::kMetadataCrc, metadata);
  record::store_le<uint32_t>(&bytes, layout::kRecordsCrc, records);
  record::store_le<uint32_t>(&bytes, layout::kHeaderCrc, crc_of(std::string_view(bytes).substr(0, layout::kHeaderCrc)));
  return bytes;
}

}  // namespace lanewise::trace::lanewise_pair

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include "trace/record/little_endian.h"
#include "trace/record/ntff.h"
#include "trace/record/ntff_layout.h"
#include "trace/record/proto_wire.h"

namespace lanewise::trace::record {
namespace {

using namespace ntff_layout;

uint32_t crc_of(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// The records of one span share low half of the iteration, byte 2 and index.
class Group {
 public:
  Group(std::string* out, uint8_t byte2, uint32_t index, uint32_t iteration)
      : out_(out), byte2_(byte2), index_(index), iteration_(static_cast<uint16_t>(iteration)) {
    if (iteration > 0xffff) put(NtffKind::iteration_high, iteration >> 16);
  }
  void put(NtffKind kind, int64_t value) {
    const size_t at = out_->size();
    out_->resize(at + kNtffRecordBytes);
    store_le<uint16_t>(out_, at, iteration_);
    store_le<uint8_t>(out_, at + 2, byte2_);
    store_le<uint8_t>(out_, at + 3, static_cast<uint8_t>(kind));
    store_le<uint32_t>(out_, at + 4, index_);
    store_le<int64_t>(out_, at + 8, value);
  }

 private:
  std::string* out_;
  uint8_t byte2_;
  uint32_t index_;
  uint16_t iteration_;
};

Status check(const InstructionSpan& s, size_t number) {
  if (s.engine < (1 << kEngineBits) && s.ready_ps >= 0 && s.begin_ps >= s.ready_ps && s.end_ps >= s.begin_ps &&
      s.table_load_ps >= 0)
    return ok_status();
  return invalid_argument("instruction span " + std::to_string(number) + " (engine " + std::to_string(s.engine) +
                          ", index " + std::to_string(s.index) +
                          "): needs engine < 8 and 0 <= ready <= begin <= end, table load >= 0");
}

Status check(const DmaSpan& s, size_t number) {
  if (s.engine < (1 << kEngineBits) && s.queue < (1 << kQueueBits) && s.trigger_ps >= 0 &&
      s.begin_ps >= s.trigger_ps && s.end_ps >= s.begin_ps && s.visible_ps >= s.end_ps && s.bytes >= 0 &&
      s.descriptors >= 0)
    return ok_status();
  return invalid_argument("DMA span " + std::to_string(number) + " (engine " + std::to_string(s.engine) + ", queue " +
                          std::to_string(s.queue) + ", index " + std::to_string(s.index) +
                          "): needs engine < 8, queue < 16, 0 <= trigger <= begin <= end <= visible, sizes >= 0");
}

Result<std::string> records_of(const DeviceProfile& profile) {
  std::string out;
  out.reserve((profile.instructions.size() * 3 + profile.dmas.size() * 6) * kNtffRecordBytes);
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const InstructionSpan& s = profile.instructions[i];
    LW_RETURN_IF_ERROR(check(s, i));
    Group group(&out, static_cast<uint8_t>(s.engine | (s.throttled ? 1 << kEngineBits : 0)), s.index, s.iteration);
    if (s.ready_ps != s.begin_ps) group.put(NtffKind::instruction_ready, s.ready_ps);
    group.put(NtffKind::instruction_begin, s.begin_ps);
    if (s.table_load_ps != 0) group.put(NtffKind::table_load, s.table_load_ps);
    group.put(NtffKind::instruction_end, s.end_ps);
  }
  for (size_t i = 0; i < profile.dmas.size(); ++i) {
    const DmaSpan& s = profile.dmas[i];
    LW_RETURN_IF_ERROR(check(s, i));
    Group group(&out, static_cast<uint8_t>(s.engine | s.queue << kEngineBits), s.index, s.iteration);
    group.put(NtffKind::dma_trigger, s.trigger_ps);
    group.put(NtffKind::dma_begin, s.begin_ps);
    group.put(NtffKind::dma_bytes, s.bytes);
    group.put(NtffKind::dma_descriptors, s.descriptors);
    group.put(NtffKind::dma_end, s.end_ps);
    group.put(NtffKind::dma_visible, s.visible_ps);
  }
  return out;
}

std::string metadata_of(const Ntff& ntff) {
  const Producer& p = ntff.producer;
  ProtoMessage m;
  m.text(kProducer, "lanewise").text(kPreset, p.machine_preset).text(kSpec, p.machine_spec);
  m.text(kSimulator, p.simulator_version).text(kCompiler, p.compiler_version);
  m.integer(kExecOverhead, p.exec_overhead_ns).integer(kCaptureOverhead, p.device_capture_overhead_ns);
  m.text(kProgram, ntff.program).text(kNeff, ntff.neff);
  m.text(kUuid, std::string_view(reinterpret_cast<const char*>(ntff.uuid.data()), ntff.uuid.size()));
  m.uint(kTickPs, 1);
  for (const std::string& engine : ntff.engines) m.text(kEngine, engine);
  m.uint(kInstructions, ntff.profile.instructions.size()).uint(kDmas, ntff.profile.dmas.size()).uint(kSimulated, 1);
  return std::string(m.bytes());
}

}  // namespace

Result<std::string> write_ntff(const Ntff& ntff) {
  if (ntff.profile.duration_ps < 0) return invalid_argument("the duration of the profile is negative");
  LW_ASSIGN_OR_RETURN(const std::string records, records_of(ntff.profile));
  const std::string metadata = metadata_of(ntff);
  const size_t records_offset = align16(kNtffHeaderBytes + metadata.size());

  std::string bytes(kNtffHeaderBytes, '\0');
  bytes.replace(0, kMagic.size(), kMagic);
  store_le<uint32_t>(&bytes, kVersion, kNtffVersion);
  store_le<uint32_t>(&bytes, kHeaderSize, kNtffHeaderBytes);
  store_le<uint64_t>(&bytes, kMetadataOffset, kNtffHeaderBytes);
  store_le<uint64_t>(&bytes, kMetadataSize, metadata.size());
  store_le<uint64_t>(&bytes, kRecordsOffset, records_offset);
  store_le<uint64_t>(&bytes, kRecordCount, records.size() / kNtffRecordBytes);
  store_le<uint64_t>(&bytes, kProgramHash, ntff.program_hash);
  store_le<uint16_t>(&bytes, kNc, ntff.nc);
  store_le<uint32_t>(&bytes, kInstance, ntff.instance);
  store_le<uint64_t>(&bytes, kLaunchId, ntff.launch_id);
  store_le<int64_t>(&bytes, kDuration, ntff.profile.duration_ps);
  store_le<uint32_t>(&bytes, kMetadataCrc, crc_of(metadata));
  store_le<uint32_t>(&bytes, kRecordsCrc, crc_of(records));
  store_le<uint32_t>(&bytes, kHeaderCrc, crc_of(std::string_view(bytes).substr(0, kHeaderCrc)));
  bytes += metadata;
  bytes.resize(records_offset, '\0');
  return bytes + records;
}

}  // namespace lanewise::trace::record

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

struct Sections {
  uint64_t metadata_offset = 0, metadata_size = 0, records_offset = 0, record_count = 0;
};

Status read_header(std::string_view bytes, Ntff* out, Sections* sections) {
  if (bytes.size() < kNtffHeaderBytes)
    return data_loss("the header needs 128 bytes, the file ends at byte " + std::to_string(bytes.size()));
  if (bytes.substr(0, kMagic.size()) != kMagic) return data_loss("no Lanewise NTFF: other magic at byte 0");
  if (crc_of(bytes.substr(0, kHeaderCrc)) != load_le<uint32_t>(bytes, kHeaderCrc))
    return data_loss("header checksum at byte 88 is wrong");
  out->version = load_le<uint32_t>(bytes, kVersion);
  if (out->version > kNtffVersion)
    return unimplemented("NTFF version " + std::to_string(out->version) + " at byte 8, this reader knows " +
                         std::to_string(kNtffVersion) + "; use a newer Lanewise");
  out->program_hash = load_le<uint64_t>(bytes, kProgramHash);
  out->nc = load_le<uint16_t>(bytes, kNc);
  out->instance = load_le<uint32_t>(bytes, kInstance);
  out->launch_id = load_le<uint64_t>(bytes, kLaunchId);
  out->profile.duration_ps = load_le<int64_t>(bytes, kDuration);
  sections->metadata_offset = load_le<uint64_t>(bytes, kMetadataOffset);
  sections->metadata_size = load_le<uint64_t>(bytes, kMetadataSize);
  sections->records_offset = load_le<uint64_t>(bytes, kRecordsOffset);
  sections->record_count = load_le<uint64_t>(bytes, kRecordCount);
  return ok_status();
}

Status read_metadata(std::string_view bytes, const Sections& s, Ntff* out) {
  if (s.metadata_offset > bytes.size() || s.metadata_size > bytes.size() - s.metadata_offset)
    return data_loss("metadata of " + std::to_string(s.metadata_size) + " bytes at byte " +
                     std::to_string(s.metadata_offset) + " is cut, the file ends at byte " +
                     std::to_string(bytes.size()));
  const std::string_view metadata = bytes.substr(s.metadata_offset, s.metadata_size);
  std::vector<ProtoField> fields;
  const Status damage = read_proto(metadata, &fields);
  Producer& p = out->producer;
  for (const ProtoField& f : fields) {
    switch (f.number) {
      case kPreset: p.machine_preset = f.bytes; break;
      case kSpec: p.machine_spec = f.bytes; break;
      case kSimulator: p.simulator_version = f.bytes; break;
      case kCompiler: p.compiler_version = f.bytes; break;
      case kExecOverhead: p.exec_overhead_ns = f.as_integer(); break;
      case kCaptureOverhead: p.device_capture_overhead_ns = f.as_integer(); break;
      case kProgram: out->program = f.bytes; break;
      case kNeff: out->neff = f.bytes; break;
      case kUuid: std::copy_n(f.bytes.begin(), std::min(f.bytes.size(), out->uuid.size()), out->uuid.begin()); break;
      case kEngine: out->engines.emplace_back(f.bytes); break;
    }
  }
  if (!damage.ok()) return damage.with_context("metadata from byte " + std::to_string(s.metadata_offset) + " on");
  if (crc_of(metadata) != load_le<uint32_t>(bytes, kMetadataCrc))
    return data_loss("metadata checksum at byte 80 is wrong");
  return ok_status();
}

struct Record {
  uint16_t iteration;
  uint8_t byte2;
  NtffKind kind;
  uint32_t index;
  int64_t value;
};

// Puts the records of a span together; the order within a group is fixed, so each record names its one successor set.
class SpanReader {
 public:
  explicit SpanReader(DeviceProfile* out) : out_(out) {}

  Status take(const Record& r) {
    if (open_ && (r.byte2 != first_.byte2 || r.index != first_.index || r.iteration != first_.iteration))
      return data_loss("a record of another span inside an open one");
    if (!open_) first_ = r;
    if (r.value < 0) return data_loss("a negative value");
    const uint32_t iteration = high_ << 16 | r.iteration;
    switch (r.kind) {
      case NtffKind::iteration_high:
        if (open_) return out_of_order();
        high_ = static_cast<uint32_t>(r.value);
        break;
      case NtffKind::instruction_ready:
        if (last_ != NtffKind::iteration_high && open_) return out_of_order();
        begin_instruction(r, iteration);
        break;
      case NtffKind::instruction_begin:
        if (open_ && last_ != NtffKind::iteration_high && last_ != NtffKind::instruction_ready) return out_of_order();
        if (last_ != NtffKind::instruction_ready || !open_) begin_instruction(r, iteration);
        instruction_.begin_ps = r.value;
        break;
      case NtffKind::table_load:
        if (!open_ || last_ != NtffKind::instruction_begin) return out_of_order();
        instruction_.table_load_ps = r.value;
        break;
      case NtffKind::instruction_end:
        if (!open_ || (last_ != NtffKind::instruction_begin && last_ != NtffKind::table_load)) return out_of_order();
        instruction_.end_ps = r.value;
        out_->instructions.push_back(instruction_);
        return close();
      case NtffKind::dma_trigger:
        if (open_ && last_ != NtffKind::iteration_high) return out_of_order();
        dma_ = DmaSpan{};
        dma_.engine = r.byte2 & ((1 << kEngineBits) - 1);
        dma_.queue = r.byte2 >> kEngineBits & ((1 << kQueueBits) - 1);
        dma_.index = r.index;
        dma_.iteration = iteration;
        dma_.trigger_ps = r.value;
        break;
      case NtffKind::dma_begin:
      case NtffKind::dma_bytes:
      case NtffKind::dma_descriptors:
      case NtffKind::dma_end:
      case NtffKind::dma_visible:
        if (!open_ || static_cast<int>(last_) + 1 != static_cast<int>(r.kind)) return out_of_order();
        return take_dma(r);
      default:
        return data_loss("unknown record kind " + std::to_string(static_cast<int>(r.kind)));
    }
    return stay_open(r.kind);
  }

  bool open() const { return open_; }

 private:
  void begin_instruction(const Record& r, uint32_t iteration) {
    instruction_ = InstructionSpan{};
    instruction_.engine = r.byte2 & ((1 << kEngineBits) - 1);
    instruction_.throttled = r.byte2 >> kEngineBits & 1;
    instruction_.index = r.index;
    instruction_.iteration = iteration;
    instruction_.ready_ps = r.value;
  }

  Status take_dma(const Record& r) {
    switch (r.kind) {
      case NtffKind::dma_begin: dma_.begin_ps = r.value; break;
      case NtffKind::dma_bytes: dma_.bytes = r.value; break;
      case NtffKind::dma_descriptors: dma_.descriptors = r.value; break;
      case NtffKind::dma_end: dma_.end_ps = r.value; break;
      default:
        dma_.visible_ps = r.value;
        out_->dmas.push_back(dma_);
        return close();
    }
    return stay_open(r.kind);
  }

  Status stay_open(NtffKind kind) {
    open_ = true;
    last_ = kind;
    return ok_status();
  }
  Status close() {
    open_ = false;
    high_ = 0;
    return ok_status();
  }
  static Status out_of_order() { return data_loss("a record out of order"); }

  DeviceProfile* out_;
  bool open_ = false;
  Record first_{};
  NtffKind last_{};
  uint32_t high_ = 0;
  InstructionSpan instruction_;
  DmaSpan dma_;
};

Status read_records(std::string_view bytes, const Sections& s, Ntff* out) {
  if (s.records_offset > bytes.size())
    return data_loss("records at byte " + std::to_string(s.records_offset) + " are missing, the file ends at byte " +
                     std::to_string(bytes.size()));
  const uint64_t there = (bytes.size() - s.records_offset) / kNtffRecordBytes;
  const uint64_t count = std::min(there, s.record_count);
  SpanReader spans(&out->profile);
  for (uint64_t i = 0; i < count; ++i) {
    const size_t at = s.records_offset + i * kNtffRecordBytes;
    const Record r{load_le<uint16_t>(bytes, at), load_le<uint8_t>(bytes, at + 2),
                   static_cast<NtffKind>(load_le<uint8_t>(bytes, at + 3)), load_le<uint32_t>(bytes, at + 4),
                   load_le<int64_t>(bytes, at + 8)};
    const Status taken = spans.take(r);
    if (!taken.ok()) return data_loss(taken.message() + " at byte " + std::to_string(at));
  }
  if (there < s.record_count)
    return data_loss("the header promises " + std::to_string(s.record_count) + " records, the file ends at byte " +
                     std::to_string(bytes.size()) + " after " + std::to_string(there));
  const size_t end = s.records_offset + count * kNtffRecordBytes;
  if (spans.open()) return data_loss("the last span is not closed at byte " + std::to_string(end));
  if (crc_of(bytes.substr(s.records_offset, count * kNtffRecordBytes)) != load_le<uint32_t>(bytes, kRecordsCrc))
    return data_loss("records from byte " + std::to_string(s.records_offset) + " to " + std::to_string(end) +
                     " do not match the checksum at byte 84");
  return ok_status();
}

}  // namespace

Status read_ntff(std::string_view bytes, Ntff* out) {
  *out = Ntff{};
  Sections sections;
  LW_RETURN_IF_ERROR(read_header(bytes, out, &sections));
  // Damaged metadata does not hide the records.
  const Status metadata = read_metadata(bytes, sections, out);
  const Status records = read_records(bytes, sections, out);
  return metadata.ok() ? records : metadata;
}

}  // namespace lanewise::trace::record

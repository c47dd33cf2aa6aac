// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/ntff/capture.h"

#include <algorithm>

#include "trace/record/little_endian.h"
#include "trace/record/proto_wire.h"

namespace lanewise::trace::ntff {
namespace {

using record::load_le;
using record::ProtoField;

// Field numbers of the metadata, with what says so in docs/formats/ntff.md.
namespace top { enum : uint32_t { neff = 1, pair_id = 2, run = 4, runtime = 8, instance_type = 9 }; }
namespace core_field { enum : uint32_t { subgraph = 1, physical = 3, image = 4, parts = 5, section = 6, ring = 7 }; }

Result<std::vector<ProtoField>> fields_of(std::string_view message, uint64_t offset) {
  std::vector<ProtoField> fields;
  if (Status s = record::read_proto(message, &fields); !s.ok())
    return s.with_context("metadata message at byte " + std::to_string(offset));
  return fields;
}

Result<isa::Engine> engine_of(uint64_t number) {
  switch (number) {   // the order of the record kinds: PE, ACT, POOL, DVE, SP
    case 0: return isa::Engine::pe;
    case 1: return isa::Engine::scalar;
    case 2: return isa::Engine::gpsimd;
    case 3: return isa::Engine::vector;
    case 4: return isa::Engine::sync;
    default: return data_loss("engine " + std::to_string(number) + " in the metadata; engines 0 to 4 are known");
  }
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  Result<Capture> read() {
    LW_RETURN_IF_ERROR(header());
    LW_ASSIGN_OR_RETURN(const auto fields, fields_of(bytes_.substr(kHeaderBytes, out_.metadata_bytes), kHeaderBytes));
    for (const ProtoField& f : fields) {
      switch (f.number) {
        case top::neff: out_.neff = f.bytes; break;
        case top::pair_id: out_.pair_id = f.bytes.substr(0, kPairIdBytes); break;   // what follows is not part of the id
        case top::run: LW_RETURN_IF_ERROR(run(f.bytes)); break;
        case top::runtime: LW_RETURN_IF_ERROR(runtime(f.bytes)); break;
        case top::instance_type: out_.instance_type = f.bytes; break;
        default: break;   // named in docs/formats/ntff.md, used by nothing here
      }
    }
    sections();
    return std::move(out_);
  }

 private:
  Status header() {
    if (bytes_.empty()) return data_loss("the file is empty (0 bytes); capture it again");
    if (bytes_.starts_with("LANENTFF"))
      return invalid_argument("this is a capture of Lanewise's own device, not of a real one");
    if (bytes_.size() >= 16 && load_le<uint64_t>(bytes_, 0) == 2 && load_le<uint64_t>(bytes_, 8) == 1024)
      return invalid_argument("this is a NEFF (a program), not an NTFF; give the .ntff as the second file");
    if (bytes_.size() < kHeaderBytes)
      return data_loss("the header needs 128 bytes, the file ends at byte " + std::to_string(bytes_.size()));
    const auto word = load_le<uint64_t>(bytes_, 0);
    const auto version = static_cast<uint8_t>(word);
    // Bytes 8 to 15 are zero in every capture seen; a version alone would accept one file in 40 of any kind.
    if (load_le<uint64_t>(bytes_, 8) != 0 || version == 0 || version > 32)
      return invalid_argument("this is no NTFF: bytes 0 to 15 are not those of a device capture");
    if (version != kVersion)
      return unimplemented("NTFF version " + std::to_string(version) + " at byte 0; version 5 is understood, " +
                           (version > kVersion ? "use a newer Lanewise" : "capture again with a newer runtime"));
    out_.metadata_bytes = word >> 8;
    if (out_.metadata_bytes > bytes_.size() - kHeaderBytes)
      return data_loss("the metadata needs " + std::to_string(out_.metadata_bytes) +
                       " bytes from byte 128 on, the file ends at byte " + std::to_string(bytes_.size()));
    return ok_status();
  }

  uint64_t offset_of(std::string_view part) const { return static_cast<uint64_t>(part.data() - bytes_.data()); }

  Status run(std::string_view message) {
    LW_ASSIGN_OR_RETURN(const auto outer, fields_of(message, offset_of(message)));
    for (const ProtoField& f : outer) {
      if (f.number != 4 || f.wire != ProtoField::Wire::bytes) continue;
      LW_ASSIGN_OR_RETURN(const auto cores, fields_of(f.bytes, offset_of(f.bytes)));
      for (const ProtoField& c : cores)
        if (c.number == 1 && c.wire == ProtoField::Wire::bytes) LW_RETURN_IF_ERROR(core(c.bytes));
    }
    return ok_status();
  }

  Status core(std::string_view message) {
    LW_ASSIGN_OR_RETURN(const auto fields, fields_of(message, offset_of(message)));
    Core& core = out_.cores.emplace_back();
    std::vector<std::string_view> parts;
    for (const ProtoField& f : fields) {
      switch (f.number) {
        case core_field::subgraph: core.subgraph = f.bytes; break;
        case core_field::physical: core.physical = static_cast<uint32_t>(f.value); break;
        case core_field::image: LW_RETURN_IF_ERROR(image(f.bytes, &core)); break;
        case core_field::parts: parts.push_back(f.bytes); break;
        case core_field::section: LW_RETURN_IF_ERROR(section(f.bytes, &core)); break;
        case core_field::ring: LW_RETURN_IF_ERROR(ring(f.bytes, &core)); break;
        default: break;
      }
    }
    for (std::string_view p : parts) LW_RETURN_IF_ERROR(parts_of(p, &core));
    return ok_status();
  }

  Status image(std::string_view message, Core* core) {
    LW_ASSIGN_OR_RETURN(const auto fields, fields_of(message, offset_of(message)));
    Image image;
    uint64_t engine = 0;
    for (const ProtoField& f : fields) {
      if (f.number == 1) engine = f.value;
      if (f.number == 2) image.address = f.value;
      if (f.number == 3) image.bytes = f.bytes;
    }
    LW_ASSIGN_OR_RETURN(image.engine, engine_of(engine));
    if (image.bytes.size() % kInstructionBytes != 0)
      return data_loss("the instructions of " + core->subgraph + " at byte " + std::to_string(offset_of(message)) +
                       " are " + std::to_string(image.bytes.size()) + " bytes, no multiple of 64");
    core->images.push_back(image);
    return ok_status();
  }

  // Prologue, body and epilogue of an image by their byte offsets; the body is the second of three.
  Status parts_of(std::string_view message, Core* core) {
    LW_ASSIGN_OR_RETURN(const auto fields, fields_of(message, offset_of(message)));
    uint64_t engine = 0;
    std::vector<uint64_t> begins;
    for (const ProtoField& f : fields) {
      if (f.number == 1) engine = f.value;
      if (f.number != 2 || f.wire != ProtoField::Wire::bytes) continue;
      LW_ASSIGN_OR_RETURN(const auto part, fields_of(f.bytes, offset_of(f.bytes)));
      uint64_t begin = 0;
      for (const ProtoField& p : part)
        if (p.number == 1) begin = p.value;
      begins.push_back(begin);
    }
    LW_ASSIGN_OR_RETURN(const isa::Engine which, engine_of(engine));
    const auto image = std::find_if(core->images.begin(), core->images.end(),
                                    [&](const Image& i) { return i.engine == which; });
    const std::string where = "the parts of the instructions at byte " + std::to_string(offset_of(message));
    if (image == core->images.end()) return data_loss(where + " name an engine without instructions");
    if (begins.size() != 3 || begins[0] != 0 || begins[1] > begins[2] || begins[2] > image->bytes.size() ||
        begins[1] % kInstructionBytes != 0 || begins[2] % kInstructionBytes != 0)
      return data_loss(where + " are not prologue, body and epilogue in order");
    image->body_begin = static_cast<uint32_t>(begins[1] / kInstructionBytes);
    image->body_end = static_cast<uint32_t>(begins[2] / kInstructionBytes);
    return ok_status();
  }

  Status section(std::string_view message, Core* core) {
    LW_ASSIGN_OR_RETURN(const auto fields, fields_of(message, offset_of(message)));
    Section s;
    uint64_t unit = 0, content = 0;
    for (const ProtoField& f : fields) {
      if (f.number == 1) content = f.value;
      if (f.number == 3) unit = f.value;
      if (f.number == 5) s.offset = f.value;
      if (f.number == 6) s.bytes = f.value;
    }
    if (unit > 2) return data_loss("a record section of unit " + std::to_string(unit) + " at byte " +
                                   std::to_string(offset_of(message)) + "; units 0 to 2 are known");
    s.unit = static_cast<Unit>(unit);
    s.content = static_cast<uint32_t>(std::min<uint64_t>(content, UINT32_MAX));
    core->sections.push_back(s);
    return ok_status();
  }

  Status ring(std::string_view message, Core* core) {
    LW_ASSIGN_OR_RETURN(const auto fields, fields_of(message, offset_of(message)));
    Ring ring;
    for (const ProtoField& f : fields) {
      if (f.number == 1) ring.dma_engine = static_cast<uint32_t>(f.value);
      if (f.number == 2) ring.number = static_cast<uint32_t>(f.value);
      if (f.number == 4) ring.queue = f.bytes;
      if (f.number != 8 || f.wire != ProtoField::Wire::bytes) continue;
      LW_ASSIGN_OR_RETURN(const auto transfer, fields_of(f.bytes, offset_of(f.bytes)));
      Ring::Transfer t;
      for (const ProtoField& p : transfer) {
        if (p.number == 1) t.id = static_cast<uint32_t>(p.value);
        if (p.number == 2) t.descriptors = static_cast<uint32_t>(p.value);
      }
      ring.transfers.push_back(t);
    }
    core->rings.push_back(std::move(ring));
    return ok_status();
  }

  Status runtime(std::string_view message) {
    LW_ASSIGN_OR_RETURN(const auto fields, fields_of(message, offset_of(message)));
    for (const ProtoField& f : fields) {
      if (f.wire == ProtoField::Wire::bytes) out_.runtime_commit = f.bytes;
      else if (f.number <= 3) out_.runtime_version += (out_.runtime_version.empty() ? "" : ".") + std::to_string(f.value);
    }
    return ok_status();
  }

  // Offsets in the metadata count from the end of it. Cuts what reaches past the file, finds what lies in no section.
  void sections() {
    const uint64_t base = kHeaderBytes + out_.metadata_bytes;
    const uint64_t room = bytes_.size() - base;
    std::vector<std::pair<uint64_t, uint64_t>> taken;
    for (Core& core : out_.cores)
      for (Section& s : core.sections) {
        const uint64_t wanted = s.bytes;
        if (s.offset > room) s.bytes = s.offset = 0;
        s.bytes = std::min(s.bytes, room - s.offset) / kRecordBytes * kRecordBytes;
        if (s.bytes < wanted) {
          out_.cut = true;
          out_.sentences.push_back("a section of " + core.subgraph + " has " + std::to_string(wanted) +
                                   " bytes of records, " + std::to_string(s.bytes) +
                                   " can be read: the file ends at byte " + std::to_string(bytes_.size()));
        }
        s.offset += base;
        if (s.bytes > 0) taken.push_back({s.offset, s.offset + s.bytes});
      }
    std::sort(taken.begin(), taken.end());
    uint64_t at = base;
    for (auto [begin, end] : taken) {
      if (begin > at) out_.skipped += begin - at;
      if (begin < at)
        out_.sentences.push_back("record sections overlap at byte " + std::to_string(begin));
      out_.section_bytes += end > at ? end - std::max(begin, at) : 0;
      at = std::max(at, end);
    }
    out_.skipped += bytes_.size() - at;
    if (out_.skipped > 0)
      out_.sentences.push_back(std::to_string(out_.skipped) + " bytes after the metadata are in no section");
  }

  std::string_view bytes_;
  Capture out_;
};

}  // namespace

Result<Capture> read_capture(std::string_view bytes) { return Reader(bytes).read(); }

Record read_record(std::string_view bytes, const Section& section, uint64_t index) {
  const uint64_t at = section.offset + index * kRecordBytes;
  return {load_le<uint16_t>(bytes, at), load_le<uint8_t>(bytes, at + 2), load_le<uint8_t>(bytes, at + 3),
          load_le<uint32_t>(bytes, at + 4), load_le<uint64_t>(bytes, at + 8)};
}

}  // namespace lanewise::trace::ntff

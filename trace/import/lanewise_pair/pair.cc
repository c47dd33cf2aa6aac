// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/lanewise_pair/pair.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "isa/sequencer.h"
#include "machine/machine.h"
#include "trace/import/lanewise_pair/program.h"
#include "trace/record/little_endian.h"
#include "trace/record/neff.h"
#include "trace/record/ntff.h"
#include "trace/record/ntff_layout.h"

namespace lanewise::trace::lanewise_pair {
namespace {

using device::DeviceProfile;
using device::kNone;

std::string_view kind_name(uint8_t kind) {
  switch (static_cast<record::NtffKind>(kind)) {
    case record::NtffKind::iteration_high: return "iteration_high";
    case record::NtffKind::instruction_ready: return "instruction_ready";
    case record::NtffKind::instruction_begin: return "instruction_begin";
    case record::NtffKind::table_load: return "table_load";
    case record::NtffKind::instruction_end: return "instruction_end";
    case record::NtffKind::dma_trigger: return "dma_trigger";
    case record::NtffKind::dma_begin: return "dma_begin";
    case record::NtffKind::dma_bytes: return "dma_bytes";
    case record::NtffKind::dma_descriptors: return "dma_descriptors";
    case record::NtffKind::dma_end: return "dma_end";
    case record::NtffKind::dma_visible: return "dma_visible";
  }
  return {};
}

// Every byte of the file in one of the ledger's classes. The header was read, so its offsets may be trusted as numbers,
// but not to lie inside the file, behind the header, or in order.
void fill_ledger(std::string_view bytes, device::Ledger* ledger) {
  namespace layout = record::ntff_layout;
  const auto inside = [&](uint64_t at) { return std::min<uint64_t>(at, bytes.size()); };
  const uint64_t metadata = std::max<uint64_t>(record::kNtffHeaderBytes, inside(record::load_le<uint64_t>(bytes, layout::kMetadataOffset)));
  const uint64_t metadata_end = inside(metadata + std::min<uint64_t>(record::load_le<uint64_t>(bytes, layout::kMetadataSize), bytes.size()));
  const uint64_t records = std::max(metadata_end, inside(record::load_le<uint64_t>(bytes, layout::kRecordsOffset)));
  const uint64_t promised = record::load_le<uint64_t>(bytes, layout::kRecordCount);
  const uint64_t count = std::min<uint64_t>(promised, (bytes.size() - records) / record::kNtffRecordBytes);
  ledger->bytes = static_cast<int64_t>(bytes.size());
  ledger->header = record::kNtffHeaderBytes;
  ledger->metadata = static_cast<int64_t>(metadata_end - metadata);
  ledger->record_bytes = static_cast<int64_t>(count * record::kNtffRecordBytes);
  ledger->padding = static_cast<int64_t>(records - metadata_end);
  ledger->skipped = ledger->bytes - ledger->header - ledger->metadata - ledger->record_bytes - ledger->padding;
  ledger->records = static_cast<int64_t>(count);
  std::array<int64_t, 256> kinds{};
  for (uint64_t i = 0; i < count; ++i) ++kinds[static_cast<unsigned char>(bytes[records + i * record::kNtffRecordBytes + 3])];
  for (int k = 0; k < 256; ++k) {
    if (kinds[k] == 0) continue;
    std::string name(kind_name(static_cast<uint8_t>(k)));
    if (name.empty()) {
      constexpr char kDigits[] = "0123456789abcdef";
      name = std::string("0x") + kDigits[k >> 4] + kDigits[k & 15];
      ledger->unknown += kinds[k];
    }
    ledger->kinds[name] = kinds[k];
  }
}

// First row of each engine's stream in Program::instructions, and the end.
using Streams = std::array<uint32_t, isa::kEngineCount + 1>;

Streams streams_of(const device::Program& program) {
  Streams first{};
  for (const device::Instruction& i : program.instructions) ++first[static_cast<int>(i.engine) + 1];
  for (int e = 0; e < isa::kEngineCount; ++e) first[e + 1] += first[e];
  return first;
}

// kNone: no such instruction.
uint32_t row_of(const Streams& first, uint8_t engine, uint32_t index) {
  if (engine >= isa::kEngineCount || index >= first[engine + 1] - first[engine]) return kNone;
  return first[engine] + index;
}

Status fill_runs(const record::DeviceProfile& runs, DeviceProfile* out) {
  const device::Program& program = out->program;
  const Streams first = streams_of(program);
  std::vector<uint32_t> descriptor_of(program.instructions.size(), kNone);
  for (size_t d = 0; d < program.descriptors.size(); ++d) descriptor_of[program.descriptors[d].trigger] = static_cast<uint32_t>(d);
  const auto misfit = [](uint8_t engine, uint32_t index, const char* what) {
    return data_loss("has " + std::string(what) + " of instruction " + std::to_string(index) + " of engine " +
                     std::to_string(engine) + ", which the program does not have");
  };
  out->instructions.reserve(runs.instructions.size());
  for (const record::InstructionSpan& s : runs.instructions) {
    const uint32_t row = row_of(first, s.engine, s.index);
    if (row == kNone) return misfit(s.engine, s.index, "a run");
    if (s.end_ps < s.begin_ps) return data_loss("has a run that ends before it begins: instruction " + std::to_string(s.index));
    device::InstructionRun r;
    r.instruction = row;
    r.setup = program.instructions[row].setup;
    r.engine = static_cast<isa::Engine>(s.engine);
    r.throttled = s.throttled;
    r.iteration = s.iteration;
    r.ready = Picos(s.ready_ps);
    r.begin = Picos(s.begin_ps);
    r.end = Picos(s.end_ps);
    r.table_load = Picos(s.table_load_ps);
    out->instructions.push_back(r);
  }
  for (const record::DmaSpan& s : runs.dmas) {
    const uint32_t row = row_of(first, s.engine, s.index);
    if (row == kNone || descriptor_of[row] == kNone) return misfit(s.engine, s.index, "a DMA");
    if (s.end_ps < s.begin_ps || s.visible_ps < s.end_ps)
      return data_loss("has a DMA that ends before it begins: instruction " + std::to_string(s.index));
    device::DmaRun r;
    r.queue = program.instructions[row].queue;
    r.trigger = row;
    r.descriptor = descriptor_of[row];
    r.iteration = s.iteration;
    r.triggered = Picos(s.trigger_ps);
    r.begin = Picos(s.begin_ps);
    r.end = Picos(s.end_ps);
    r.visible = Picos(s.visible_ps);
    r.bytes = s.bytes;
    r.descriptors = s.descriptors;
    out->dmas.push_back(r);
  }
  const auto earlier = [](const auto& a, const auto& b) { return a.begin < b.begin; };
  std::stable_sort(out->instructions.begin(), out->instructions.end(), earlier);
  std::stable_sort(out->dmas.begin(), out->dmas.end(), earlier);
  return ok_status();
}

void derive_semaphores(const machine::Machine& machine, DeviceProfile* out) {
  const device::Program& program = out->program;
  std::vector<std::pair<device::SemaphoreRun, uint32_t>> updates;   // with the increment
  for (size_t i = 0; i < out->instructions.size(); ++i) {
    const device::InstructionRun& run = out->instructions[i];
    const device::Instruction& in = program.instructions[run.instruction];
    if (in.queue != kNone) continue;   // a trigger's update comes with its DMA
    for (const device::Semaphore& s : in.updates)
      updates.push_back({{run.end + Picos(isa::sequencer(machine, run.engine).post_ps), run.core, s.number, 0, false, run.engine, static_cast<uint32_t>(i)}, s.value});
  }
  for (size_t i = 0; i < out->dmas.size(); ++i) {
    const device::DmaRun& run = out->dmas[i];
    for (const device::Semaphore& s : program.instructions[run.trigger].updates)
      updates.push_back({{run.visible, run.core, s.number, 0, true, program.instructions[run.trigger].engine, static_cast<uint32_t>(i)}, s.value});
  }
  std::stable_sort(updates.begin(), updates.end(), [](const auto& a, const auto& b) { return a.first.at < b.first.at; });
  std::map<std::pair<uint16_t, int32_t>, uint32_t> values;
  for (auto& [update, increment] : updates) {
    update.value = values[{update.core, update.semaphore}] += increment;
    out->semaphores.push_back(update);
  }
}

void find_ends(DeviceProfile* out) {
  bool any = false;
  const auto cover = [&](Picos begin, Picos end) {
    out->first = any ? std::min(out->first, begin) : begin;
    out->last = any ? std::max(out->last, end) : end;
    any = true;
  };
  for (const device::InstructionRun& r : out->instructions) {
    if (!out->program.instructions[r.instruction].setup) cover(r.begin, r.end);
  }
  for (const device::DmaRun& r : out->dmas) cover(r.begin, r.end);
}

Status check_kinds(std::string_view neff, std::string_view ntff) {
  if (neff.empty()) return data_loss("the .neff is empty (0 bytes): take the capture again, or copy the file again");
  if (ntff.empty()) return data_loss("the .ntff is empty (0 bytes): take the capture again, or copy the file again");
  if (looks_like_ntff(neff) && looks_like_neff(ntff)) return invalid_argument("the two files are swapped: the first is the .ntff, the second the .neff");
  if (looks_like_ntff(neff)) return invalid_argument("both files are .ntff; one has to be the .neff of the program");
  if (!looks_like_ntff(ntff)) return invalid_argument("the second file is no .ntff of Lanewise");
  return ok_status();
}

}  // namespace

bool looks_like_ntff(std::string_view bytes) { return bytes.starts_with(record::ntff_layout::kMagic); }

bool looks_like_neff(std::string_view bytes) {
  record::NeffHeader header;
  return record::read_neff_header(bytes.substr(0, record::kNeffHeaderBytes), &header).ok();
}

Result<DeviceProfile> join(device::Program program, const record::DeviceProfile& runs, const machine::Machine& machine) {
  DeviceProfile out;
  out.program = std::move(program);
  out.producer = "lanewise";
  out.machine = machine.spec;
  out.simulated = true;
  out.exec_overhead_ns = machine.host.exec_overhead_ns;
  out.device_capture_overhead_ns = machine.host.device_capture_overhead_ns;
  out.duration = Picos(runs.duration_ps);
  LW_RETURN_IF_ERROR(fill_runs(runs, &out));
  derive_semaphores(machine, &out);
  find_ends(&out);
  return out;
}

Result<DeviceProfile> read_pair(std::string_view neff_bytes, std::string_view ntff_bytes) {
  LW_RETURN_IF_ERROR(check_kinds(neff_bytes, ntff_bytes));
  record::Ntff ntff;
  const Status ntff_damage = record::read_ntff(ntff_bytes, &ntff);
  if (ntff_damage.code() == StatusCode::unimplemented) return ntff_damage;
  record::Neff neff;
  const Status neff_damage = record::read_neff(neff_bytes, &neff);
  if (!neff_damage.ok() && neff.find("program.bin") == nullptr) return neff_damage.with_context(".neff");

  DeviceProfile out;
  auto program = program_of(neff);
  if (!program.ok()) return program.status().with_context(".neff");
  out.program = std::move(program).value();
  // A header that could not be read leaves no identity to compare and no runs.
  if (ntff.profile.instructions.empty() && ntff.profile.dmas.empty() && !ntff_damage.ok()) return ntff_damage.with_context(".ntff");
  const bool named = ntff.uuid != record::PairId{};
  if (named ? ntff.uuid != neff.header.uuid : ntff.program_hash != neff.program_hash())
    return failed_precondition("the files are of two programs: the .ntff shows " + std::to_string(ntff.program_hash) + (ntff.program.empty() ? "" : " (" + ntff.program + ")") +
                               ", the .neff holds " + out.program.hash + " (" + out.program.name + "); take the .neff whose name has the same number");
  const Status fits = fill_runs(ntff.profile, &out);
  if (!fits.ok()) return data_loss("the .ntff " + fits.message());
  fill_ledger(ntff_bytes, &out.ledger);
  if (!neff_damage.ok()) out.ledger.sentences.push_back(".neff: " + neff_damage.message());
  if (!ntff_damage.ok()) out.ledger.sentences.push_back(".ntff: " + ntff_damage.message() + "; the runs before it are shown");
  out.producer = "lanewise";
  out.machine = ntff.producer.machine_spec.empty() ? ntff.producer.machine_preset : ntff.producer.machine_spec;
  out.simulator_version = ntff.producer.simulator_version;
  out.simulated = true;
  out.first_core = ntff.nc;
  out.exec_overhead_ns = ntff.producer.exec_overhead_ns;
  out.device_capture_overhead_ns = ntff.producer.device_capture_overhead_ns;
  out.duration = Picos(ntff.profile.duration_ps);
  if (out.machine.empty()) out.machine = out.program.target;
  const auto machine = machine::load_machine(out.machine);
  if (machine.ok()) derive_semaphores(*machine, &out);
  else out.ledger.sentences.push_back("when semaphores changed is not known: " + machine.status().message());
  find_ends(&out);
  return out;
}

}  // namespace lanewise::trace::lanewise_pair

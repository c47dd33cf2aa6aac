// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/ntff/kinds.h"

#include <cstdio>

namespace lanewise::trace::ntff {
namespace {

// Bit 6 of the kind byte says that records were lost; the kinds themselves are 128 to 159.
constexpr uint8_t kLost = 64;
constexpr uint8_t kFirst = 128, kLast = 159;
constexpr uint8_t kFirstEngine = 132;       // then four kinds an engine
constexpr uint8_t kDmaSemaphore = 155;
constexpr uint8_t kPeLimit = 158;
constexpr uint32_t kSemaphoreIds = 256;     // ids below are events
constexpr uint32_t kDmaEnginesPerPair = 32; // two cores, 16 each: what 128 to 159 can tell apart

constexpr isa::Engine kEngines[] = {isa::Engine::pe, isa::Engine::scalar, isa::Engine::gpsimd, isa::Engine::vector,
                                    isa::Engine::sync};

void instruction(const Record& r, uint8_t kind, Meaning* m) {
  const int slot = kind - kFirstEngine;
  if (slot < 0 || slot / 4 >= 5 || slot % 4 > 1) return;
  m->kind = slot % 4 == 0 ? Kind::instruction_begin : Kind::instruction_end;
  m->engine = kEngines[slot / 4];
  m->pc = (uint32_t{r.flags} & 0x1f) << 16 | r.id;
  m->branch = r.flags & 0x20;
  m->waited = r.payload >> 16;
}

void semaphore(const Record& r, uint8_t kind, Meaning* m) {
  const int slot = kind - kFirstEngine;
  if (kind == kDmaSemaphore) m->by_dma = true;
  else if (slot < 0 || slot / 4 >= 5 || slot % 4 != 3) return;
  else m->engine = kEngines[slot / 4];
  m->value = r.payload;
  if (r.id < kSemaphoreIds) {
    m->number = r.id;
    m->kind = r.flags == 0xf1 ? Kind::event_set : r.flags == 0x07 ? Kind::event_clear : Kind::event_other;
    return;
  }
  m->number = r.id - kSemaphoreIds;
  switch (r.flags) {
    case 0xf3: m->kind = Kind::semaphore_add; break;
    case 0xf4: m->kind = Kind::semaphore_subtract; break;
    case 0xf9: m->kind = Kind::semaphore_set; break;
    default: m->kind = Kind::semaphore_other; break;
  }
}

void dma(const Record& r, uint8_t kind, uint32_t physical_core, Meaning* m) {
  switch (r.payload & 0xf) {
    case 1: m->kind = Kind::descriptor_start; break;
    case 5: m->kind = Kind::descriptor_read; break;
    case 6: m->kind = Kind::descriptor_complete; break;
    default: return;
  }
  m->number = r.payload >> 4 & 0xf;
  m->dma_engine = physical_core / 2 * kDmaEnginesPerPair + (kind - kFirst);
  m->value = r.id == 0 ? 65536 : r.id;   // the size wraps: the table loads of 64 KiB show 0
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::unknown: return "unknown";
    case Kind::instruction_begin: return "instruction_begin";
    case Kind::instruction_end: return "instruction_end";
    case Kind::semaphore_add: return "semaphore_add";
    case Kind::semaphore_subtract: return "semaphore_subtract";
    case Kind::semaphore_set: return "semaphore_set";
    case Kind::semaphore_other: return "semaphore_other";
    case Kind::event_set: return "event_set";
    case Kind::event_clear: return "event_clear";
    case Kind::event_other: return "event_other";
    case Kind::descriptor_start: return "descriptor_start";
    case Kind::descriptor_read: return "descriptor_read";
    case Kind::descriptor_complete: return "descriptor_complete";
    case Kind::pe_limit: return "pe_limit";
  }
  return "unknown";
}

Meaning meaning(const Record& record, const Section& section, uint32_t physical_core) {
  Meaning m;
  const uint8_t kind = record.kind & static_cast<uint8_t>(~kLost);
  if (kind < kFirst || kind > kLast) return m;
  m.lost_before = record.kind & kLost;
  const auto content = static_cast<Content>(section.content);
  if (section.unit == Unit::dma) {
    if (section.content == static_cast<uint32_t>(Content::dma)) dma(record, kind, physical_core, &m);
    return m;
  }
  if (section.unit != Unit::engine) return m;
  if (content == Content::instructions) instruction(record, kind, &m);
  else if (content == Content::semaphores) semaphore(record, kind, &m);
  else if (content == Content::throttle && kind == kPeLimit && record.flags != 0) {
    m.kind = Kind::pe_limit;
    m.value = record.id;
    m.limit = double(record.payload & 0xff) / record.flags;   // 8 of 8, 4 of 8
  }
  return m;
}

std::string ledger_name(const Meaning& meaning, const Record& record) {
  if (meaning.kind != Kind::unknown) return std::string(kind_name(meaning.kind));
  char text[8];
  std::snprintf(text, sizeof text, "0x%02x", record.kind);
  return text;
}

}  // namespace lanewise::trace::ntff

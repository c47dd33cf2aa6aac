// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A small capture in the shape of real ones, made by hand for tests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "trace/device/profile.h"
#include "trace/import/ntff/capture.h"
#include "trace/record/little_endian.h"
#include "trace/record/proto_wire.h"

namespace lanewise::trace::ntff::test {

inline std::string record_bytes(uint16_t id, uint8_t flags, uint8_t kind, uint32_t payload, uint64_t time) {
  std::string b(kRecordBytes, '\0');
  record::store_le<uint16_t>(&b, 0, id);
  record::store_le<uint8_t>(&b, 2, flags);
  record::store_le<uint8_t>(&b, 3, kind);
  record::store_le<uint32_t>(&b, 4, payload);
  record::store_le<uint64_t>(&b, 8, time);
  return b;
}

// One core whose DVE has one instruction of a program between a prologue and an epilogue of one each, and whose SP
// triggers one transfer of two descriptors on DMA engine 64, queue 1 "qSPIO0".
struct Small {
  std::string pair_id = "0123456789abcdef";
  uint64_t address = 0x8005c03d8000;   // 64 * 0x2001700f600
  std::string instructions, semaphores, dma, throttle;   // records
  uint8_t wait_semaphore = 9;

  std::string image(bool waits) const {
    std::string b(3 * kInstructionBytes, '\0');
    b[kInstructionBytes] = 0x41;
    b[kInstructionBytes + 1] = 0x10;
    if (waits) {
      b[kInstructionBytes + 4] = 5;
      b[kInstructionBytes + 5] = static_cast<char>(wait_semaphore);
      b[kInstructionBytes + 8] = 2;
    }
    return b;
  }

  std::string bytes() const {
    using record::ProtoMessage;
    ProtoMessage core;
    core.text(1, "sg00").uint(3, 4);
    for (int engine : {3, 4}) {   // DVE, SP
      ProtoMessage code, parts, prologue, body, epilogue;
      code.uint(1, engine).uint(2, address + (engine == 4 ? 0x10000 : 0)).text(3, image(engine == 3));
      prologue.uint(2, 1);
      body.uint(1, kInstructionBytes).uint(2, 1).uint(3, 2);
      epilogue.uint(1, 2 * kInstructionBytes).uint(2, 1);
      parts.uint(1, engine).message(2, prologue).message(2, body).message(2, epilogue);
      core.message(4, code).message(5, parts);
    }
    const std::string* parts[] = {&instructions, &semaphores, &dma, &throttle};
    const int content[] = {0, 1, 4, 5};
    uint64_t offset = 0;
    for (int i = 0; i < 4; ++i) {
      ProtoMessage section;
      section.uint(1, static_cast<uint64_t>(content[i])).uint(3, content[i] == 4).uint(5, offset).uint(6, parts[i]->size());
      core.message(6, section);
      offset += parts[i]->size();
    }
    ProtoMessage ring, transfer;
    transfer.uint(2, 2);
    ring.uint(1, 64).uint(2, 1).text(4, "qSPIO0").message(8, transfer);
    core.message(7, ring);
    ProtoMessage run, outer, top;
    run.message(1, core);
    outer.message(4, run);
    top.text(1, "file.neff").text(2, pair_id).message(4, outer).text(9, "trn2.3xlarge");
    std::string header(kHeaderBytes, '\0');
    record::store_le<uint64_t>(&header, 0, uint64_t{top.bytes().size()} << 8 | kVersion);
    return header + std::string(top.bytes()) + instructions + semaphores + dma + throttle;
  }

  // The program that fits.
  device::Program program() const {
    device::Program p;
    p.target = "trn2";
    device::Instruction tensor, trigger;
    tensor.engine = isa::Engine::vector;
    tensor.waits.push_back({wait_semaphore, ">=", 2});
    trigger.engine = isa::Engine::sync;
    trigger.queue = 0;
    trigger.updates.push_back({wait_semaphore, "+", 1});
    p.instructions = {tensor, trigger};
    p.queues.push_back({0, "qSPIO0", isa::Engine::sync});
    device::DmaDescriptor d;
    d.queue = 0;
    d.trigger = 1;
    d.bytes = 8000;
    p.descriptors.push_back(d);
    return p;
  }
};

// Folder of the real captures, empty when it is not there: beside the sources, or LANEWISE_SHARED.
inline std::filesystem::path hardware_folder() {
  const char* shared = std::getenv("LANEWISE_SHARED");
  const std::filesystem::path root =
      shared != nullptr ? std::filesystem::path(shared) : std::filesystem::path(LANEWISE_SOURCE_DIR) / ".." / "shared";
  std::error_code ignored;
  return std::filesystem::exists(root / "hardware", ignored) ? root / "hardware" : std::filesystem::path();
}

}  // namespace lanewise::trace::ntff::test

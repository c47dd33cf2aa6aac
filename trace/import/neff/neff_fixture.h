// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: a small NEFF in the form of neuronx-cc's, made up here. y = x + x on 4 partitions of 8 floats.
#pragma once

#include <map>
#include <string>

#include "trace/record/little_endian.h"
#include "trace/record/tar_gz.h"

namespace lanewise::trace::neff {

struct Fixture {
  std::map<std::string, std::string> members;
  uint64_t package = 2, major = 2;

  std::string bytes() const {
    std::vector<record::TarMember> list;
    for (const auto& [name, content] : members) list.push_back({name, content});
    auto data = record::write_tar_gz(list);
    LW_CHECK(data.ok(), data.status().to_string());
    std::string out(1024, '\0');
    record::store_le<uint64_t>(&out, 0, package);
    record::store_le<uint64_t>(&out, 8, 1024);
    record::store_le<uint64_t>(&out, 16, data->size());
    record::store_le<uint64_t>(&out, 24, major);
    out.replace(220, 9, "file.neff");
    return out + *data;
  }
};

inline std::string instruction(uint8_t opcode, int wait = -1, uint32_t value = 0, int update = -1) {
  std::string b(64, '\0');
  b[0] = static_cast<char>(opcode);
  b[1] = 16;
  if (wait >= 0) b[4] = 5, b[5] = static_cast<char>(wait), record::store_le<uint32_t>(&b, 8, value);
  if (update >= 0) b[6] = 0x13, b[7] = static_cast<char>(update);
  return b;
}
inline void pattern3(std::string* b, size_t at, uint32_t address, uint16_t count) {
  record::store_le<uint32_t>(b, at, address);
  for (size_t d = 0; d < 3; ++d) record::store_le<uint16_t>(b, at + 4 + 2 * d, 1);
  for (size_t d = 0; d < 3; ++d) record::store_le<uint16_t>(b, at + 10 + 2 * d, d == 0 ? count : 1);
}
inline std::string trigger(const std::string& queue, uint32_t id, int wait = -1, uint32_t value = 0) {
  std::string b = instruction(0xc1, wait, value);
  b.replace(12, queue.size(), queue);
  record::store_le<uint32_t>(&b, 48, id);
  return b;
}
inline std::string add(int wait, uint32_t value, int update) {
  std::string b = instruction(0x41, wait, value, update);
  b[12] = static_cast<char>(0xaa), b[13] = 0x0a, b[14] = 4, b[15] = 4;
  pattern3(&b, 16, 64, 8);
  pattern3(&b, 32, 64, 8);
  pattern3(&b, 48, 128, 8);
  return b;
}

inline Fixture small_neff() {
  Fixture f;
  const std::string setup = instruction(0xb1) + instruction(0xcc);
  f.members["info.json"] = R"({"tool_version": "2.0"})";
  f.members["neff.json"] = "{}";
  f.members["kelf-0.json"] = R"({"graphs": [{"definition": "sg00/def.json", "name": "sg00"}], "target": "cayman"})";
  f.members["sg00/def.json"] = R"({
    "pe": "PE.json", "pe_instr": "PE.bin", "act": "Activation.json", "act_instr": "Activation.bin", "pool": "Pool.json", "pool_instr": "Pool.bin",
    "dve": "DVE.json", "dve_instr": "DVE.bin", "sp": "SP.json", "sp_instr": "SP.bin",
    "dma_queue": {"qSPIO0": {"owner": "sp", "type": "in", "num_queues": 16, "semaphore_set": [8, 9]}},
    "var": {"SB": {"type": "state-buffer"}, "x": {"type": "input", "size": 128}, "y": {"type": "output", "size": 128}}})";
  f.members["sg00/tensor_map.json"] = R"({"x": {"dtype": "float32", "kind": "input", "tf_shape": [4, 8], "is_const": false},
    "y": {"dtype": "float32", "kind": "output", "tf_shape": [4, 8], "is_const": false}})";
  for (const char* engine : {"PE", "Activation", "Pool", "DVE"}) {
    f.members["sg00/" + std::string(engine) + ".json"] = R"({"dma": []})";
    f.members["sg00/" + std::string(engine) + ".bin"] = setup;
  }
  f.members["sg00/SP.json"] = R"({"dma": [
    {"#comment": "load", "id": 0, "queue": "qSPIO0", "semaphore": 8, "desc": [{"op": "copy", "from": "x", "from_dtype": "float32", "from_off": 0,
      "from_sizes": [32, 4], "from_steps": [1, 32], "to": "SB", "to_dtype": "float32", "to_off": 64, "to_sizes": [32, 4], "to_steps": [1, 262144]}]},
    {"#comment": "store", "id": 1, "queue": "qSPIO0", "semaphore": 9, "desc": [{"op": "copy", "from": "SB", "from_dtype": "float32", "from_off": 128,
      "from_sizes": [32, 4], "from_steps": [1, 262144], "to": "y", "to_dtype": "float32", "to_off": 0, "to_sizes": [32, 4], "to_steps": [1, 32]}]}]})";
  f.members["sg00/SP.bin"] = setup + trigger("qSPIO0", 0) + trigger("qSPIO0", 1, 6, 1) + instruction(0xa4, 9, 16);
  f.members["sg00/DVE.bin"] = setup + add(8, 16, 6);
  return f;
}

}  // namespace lanewise::trace::neff

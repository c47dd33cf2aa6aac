// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the instructions of a compiled graph come from in Python. It belongs to the launch and not to the program: call sites whose
// graphs compile to the same code share one program, and its debug map names the nodes of whoever compiled it first.
//
//   SourceTable   of one graph that a framework compiled: each node with the stack of the line that made it and its module
//   SourceSite    one program of that graph: for each instruction the node it came from
//
// Both are handed over when the graph is compiled. A launch carries the number of its site (Event::site), which costs it nothing else;
// a capture writes a table and a site when the first launch names them. docs/formats/launch_sources.md has the field numbers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/program.h"

namespace lanewise::trace::record {

inline constexpr char kSourcesFile[] = "launch_sources.pb";
inline constexpr uint32_t kSourcesVersion = 1;
inline constexpr uint32_t kNoNode = UINT32_MAX;

struct SourceFrame {
  std::string file, function;
  int32_t line = 0;                 // from 1; 0 = not known
  bool operator==(const SourceFrame&) const = default;
};

struct SourceNode {
  std::string name;                 // of the node in its graph: "mul_1"
  std::string op;                   // "aten.mul.Tensor"
  std::string module;               // "Net.layers.0.norm"; empty: the framework does not say
  std::string module_class;         // "RMSNorm"
  bool backward = false;            // its stack and module are those of the forward op that it differentiates
  uint32_t own = kNoNode;           // index in `frames` of the innermost line that is no library's; kNoNode: there is none
  std::vector<uint32_t> frames;     // innermost first; indices in SourceTable::frames
  bool operator==(const SourceNode&) const = default;
};

struct SourceTable {
  std::string graph;                // its name in rows and files
  std::vector<SourceFrame> frames;
  std::vector<SourceNode> nodes;
  bool operator==(const SourceTable&) const = default;
};

// So many instructions in a row of one node.
struct SourceRun {
  uint32_t node = kNoNode;          // index in SourceTable::nodes
  uint32_t count = 0;
  bool operator==(const SourceRun&) const = default;
};

struct SourceSite {
  uint32_t table = 0;               // number of its SourceTable
  uint64_t program_hash = 0;
  std::string program;
  std::array<std::vector<SourceRun>, isa::kEngineCount> streams;   // by engine, in the order of its instructions
  bool operator==(const SourceSite&) const = default;
};

// The site of a program whose debug entry i came from node `debug_nodes[i]` of the table (kNoNode: none; entries beyond: none).
SourceSite make_site(uint32_t table, const isa::Program& program, uint64_t hash, const std::vector<uint32_t>& debug_nodes);

// The numbers of the tables and sites of this process: 1, 2, ...; they stay for its life, as compiled graphs do. At most a million of
// each; later ones get 0, so that a program that compiles without end does not take the memory. Any thread.
uint32_t add_source_table(SourceTable table);
uint32_t add_source_site(SourceSite site);
std::shared_ptr<const SourceTable> source_table(uint32_t number);   // null: there is none
std::shared_ptr<const SourceSite> source_site(uint32_t number);

// The file, as whole fields of one message: cut anywhere it reads up to the cut.
void begin_sources(std::string* out);
void append_table(uint32_t number, const SourceTable& table, std::string* out);
void append_site(uint32_t number, const SourceSite& site, std::string* out);

struct LaunchSources {
  std::map<uint32_t, SourceTable> tables;
  std::map<uint32_t, SourceSite> sites;
};
// Unknown fields are skipped. Indices that lead nowhere become kNoNode or are left out. Errors: data_loss with byte offset, and `out`
// holds what was read before; unimplemented: a version newer than ours.
Status read_sources(std::string_view bytes, LaunchSources* out);

}  // namespace lanewise::trace::record

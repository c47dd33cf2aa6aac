// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A device profile as the public tables of public_schema.h.
//
// Ids: instructions 1, 2, ... in order of their begin; transfers (DmaPacketAggregated, "dma_block" in Flow) likewise.
// Columns named percent are fractions of 1, as in Summary.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trace/device_analysis/dependencies.h"
#include "trace/device_analysis/options.h"

namespace lanewise::trace::device_analysis {

struct PublicTables {
  std::vector<Table> tables;                                  // those with rows, in the schema's order
  std::map<std::string, std::vector<std::string>> empty;      // columns that nothing filled, by table
  std::map<std::string, std::string> left_out;                // tables without rows, and why
};
PublicTables public_tables(const Subject& subject);

// The parts of it; each adds its tables.
class PublicTable;
struct PublicBuilder {
  const Subject& subject;
  const Dependencies& dependencies;
  PublicTables* out;
  void add(PublicTable table, std::string_view why_empty) const;
};
void add_public_events(const PublicBuilder& builder);    // Instruction, ActiveTime, SemaphoreUpdate, Flow
void add_public_dmas(const PublicBuilder& builder);      // DmaPacket, DmaPacketAggregated
void add_public_series(const PublicBuilder& builder);    // SbufUsage, PsumUsage, DmaUsage, HbmUsage, PendingDma, Throttle, SbufAllocation
void add_public_sources(const PublicBuilder& builder);   // StackFrame, StackFrameFileLocation, StackFrameFileName, StackFrameFunctionName
void add_public_framework(const PublicBuilder& builder); // FrameworkInstruction
void add_public_lookups(const PublicBuilder& builder);   // OpcodeSummary, ..., Metadata, SchemaFields

// By source of the program: the id in StackFrame of its innermost line, or empty.
std::vector<std::string> stack_frame_ids(const device::Program& program);

// The nodes of the framework's graph: those that the launch names (Program::sources), and those that only the debug map does. Ids count
// from 1.
struct FrameworkNodes {
  std::vector<std::string> paths;              // by id - 1: "Net/layers/0/norm/aten.mul.Tensor"; without a module the operator alone
  std::vector<int64_t> of_instruction;         // by Program::instructions; 0 = of none
};
FrameworkNodes framework_nodes(const device::Program& program);

// The transfer that each DMA run belongs to, counted from 1 by first run: packets of one trigger are one transfer.
std::vector<int64_t> transfer_ids(const device::DeviceProfile& profile);

}  // namespace lanewise::trace::device_analysis

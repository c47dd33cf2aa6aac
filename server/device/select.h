// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs by what they are: the way from a row of a table to the timeline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/device/device_view.h"

namespace lanewise::server::device {

// All that is said must hold. Texts are compared whole; a table's "-" is the empty text.
struct Where {
  std::optional<int64_t> core, index;
  std::optional<std::string> engine;              // "tensor", ...: with `index` one instruction
  std::optional<std::string> opcode, ir_op, aten_node;
  std::optional<std::string> node;                // of the graph that was compiled
  std::optional<std::string> module, file;        // of the launch; "unknown" is the run of which it says nothing
  std::optional<int64_t> line;                    // with `file`
  std::optional<std::string> queue, tensor;       // of DMAs: the name of the queue; a tensor on either side
  std::optional<std::string> run;                 // as tables name a run: "sync[12]", "1:sync[12]", "DMA of sync[12]"
  bool with_dmas = false;                         // of instructions: the DMAs that they ordered too
};
// Numbers of events in order.
std::vector<uint32_t> find_events(const DeviceView& view, const Where& where);

}  // namespace lanewise::server::device

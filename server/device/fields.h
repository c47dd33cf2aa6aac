// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// All that a profile tells of one run, as members of a JSON object.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "server/device/device_view.h"

namespace lanewise::server::device {

// Into the open object: of an instruction engine, index, opcode, text, name, ir_op, aten_node, module, source_node (the node of the compiled graph), backward, operands (role, place, dtype, shape,
// address), elements, flops, bytes, waits, updates, queue, throttled, iteration; of a DMA queue, engine, from, to, bytes, the moments of
// its way. Times are ps. What the profile does not say is left out.
void write_fields(JsonWriter& w, const DeviceView& view, uint32_t event);

// The Python stack of the node that a run came from, innermost first, as members name, file, line of an array of objects.
void write_stack(JsonWriter& w, const DeviceView& view, uint32_t event);

// "SBUF 0x40, partitions 0-127: 128 x 512 float32", one operand for people.
std::string operand_text(const trace::device::Operand& operand);

}  // namespace lanewise::server::device

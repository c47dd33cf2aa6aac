// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

const AMOUNTS = [
  { name: "runs" },
  { name: "time_ps", title: "time", about: "Sum of the runs; runs of one engine may overlap", bar: true },
  { name: "active_ps", title: "active", about: "Union of the runs of each engine", sum: false },
  { name: "share", about: "Active time as a share of the whole profile" },
  { name: "flops", title: "FLOPs" },
  { name: "elements", hidden: true },
  { name: "read_bytes", title: "read", hidden: true },
  { name: "written_bytes", title: "written", hidden: true },
  { name: "dma_bytes", title: "DMA bytes", about: "Of the DMAs that these instructions ordered" },
];

export const panel: TablePanel = {
  kind: "table",
  id: "instructions",
  of: "device",
  title: "Instructions",
  about: "What ran: by opcode, IR op, ATen node, engine, and each instruction",
  table: "instructions",
  ranged: true,
  empty: "Nothing ran.",
  parts: [
    {
      table: "opcodes",
      title: "by opcode",
      columns: [{ name: "opcode", width: 220 }, { name: "engine" }, ...AMOUNTS],
      sort: "time_ps:desc",
      pick: ["where"],
      where: { opcode: "opcode", engine: "engine" },
      group: ["engine"],
    },
    {
      table: "aten_nodes",
      title: "by ATen node",
      columns: [{ name: "aten_node", title: "ATen node", width: 260 }, ...AMOUNTS],
      sort: "time_ps:desc",
      pick: ["where"],
      where: { aten_node: "aten_node" },
    },
    {
      table: "ir_ops",
      title: "by IR op",
      columns: [
        { name: "ir_op", title: "IR op", width: 220 },
        { name: "aten_node", title: "ATen node", width: 200 },
        ...AMOUNTS,
      ],
      sort: "time_ps:desc",
      pick: ["where"],
      where: { ir_op: "ir_op", aten_node: "aten_node" },
      group: ["aten_node"],
    },
    {
      table: "engines",
      title: "by engine",
      columns: [{ name: "engine" }, ...AMOUNTS],
      sort: "time_ps:desc",
      pick: ["where"],
      where: { engine: "engine" },
    },
    {
      table: "instructions",
      title: "one by one",
      columns: [
        { name: "engine" },
        { name: "index", title: "#", about: "Position in the engine's stream" },
        { name: "opcode", width: 160 },
        { name: "runs" },
        { name: "begin_ps", title: "first at" },
        { name: "time_ps", title: "time", bar: true },
        { name: "flops", title: "FLOPs" },
        { name: "dma_bytes", title: "DMA bytes" },
        { name: "ir_op", title: "IR op", width: 150 },
        { name: "aten_node", title: "ATen node", width: 150 },
        { name: "text", title: "instruction", width: 520 },
      ],
      sort: "begin_ps:asc",
      pick: ["where"],
      where: { core: "core", engine: "engine", index: "index" },
      group: ["engine", "opcode", "ir_op", "aten_node"],
    },
  ],
};

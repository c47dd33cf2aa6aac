// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

const REASONS = ["data", "dma", "queue", "buffer_free", "order", "pipeline", "other"];

export const panel: TablePanel = {
  kind: "table",
  id: "stalls",
  of: "device",
  title: "Stalls",
  about: "Why did an engine wait? Busy, stall and idle time add up to the whole.",
  table: "stalls",
  ranged: true,
  empty: "No engine waited.",
  parts: [
    {
      table: "engines",
      title: "by engine",
      columns: [
        { name: "core", hidden: true },
        { name: "engine" },
        { name: "busy_ps", title: "busy", bar: true },
        { name: "stall_ps", title: "stall", bar: true },
        { name: "idle_ps", title: "idle", about: "After its last run, or without any" },
        ...REASONS.map((reason) => ({ name: `reasons.${reason}_ps`, title: reason.replace("_", " ") })),
      ],
      sort: "busy_ps:desc",
      pick: ["where"],
      where: { core: "core", engine: "engine" },
    },
    {
      table: "causes",
      title: "by cause",
      columns: [
        { name: "engine" },
        { name: "reason" },
        { name: "opcode", title: "waited", width: 180 },
        { name: "set_by", title: "for", width: 180 },
        { name: "stalls" },
        { name: "time_ps", title: "time", bar: true },
        { name: "longest_ps", title: "longest" },
      ],
      sort: "time_ps:desc",
      pick: ["where"],
      where: { core: "core", engine: "engine", opcode: "opcode" },
      group: ["engine", "reason"],
    },
    {
      table: "stalls",
      title: "one by one",
      columns: [
        { name: "engine" },
        { name: "begin_ps", title: "at" },
        { name: "dur_ps", title: "stall", bar: true },
        { name: "reason" },
        { name: "run", title: "waited" },
        { name: "opcode", width: 150 },
        { name: "wait", about: "The semaphore and the value it waited for" },
        { name: "set_by" },
        { name: "set_by_opcode", width: 150 },
        { name: "ir_op", title: "IR op", hidden: true },
        { name: "aten_node", title: "ATen node", hidden: true },
      ],
      sort: "dur_ps:desc",
      pick: ["span"],
      group: ["engine", "reason", "opcode"],
    },
  ],
};

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

export const panel: TablePanel = {
  kind: "table",
  id: "critical-path",
  of: "device",
  title: "Critical path",
  about: "Which chain of runs decided the duration, and what would a faster part save?",
  table: "critical-path",
  ranged: true,
  empty: "Nothing ran.",
  parts: [
    {
      table: "path",
      title: "the path",
      columns: [
        { name: "begin_ps", title: "at" },
        { name: "dur_ps", title: "length", bar: true },
        { name: "kind", about: "What the time of this piece is" },
        { name: "run" },
        { name: "opcode", width: 150 },
        { name: "what", width: 220 },
        { name: "ir_op", title: "IR op" },
        { name: "aten_node", title: "ATen node" },
      ],
      sort: "begin_ps:asc",
      pick: ["span"],
      group: ["kind", "opcode", "aten_node"],
    },
    {
      table: "kinds",
      title: "by kind of time",
      columns: [
        { name: "part", width: 220 },
        { name: "pieces" },
        { name: "time_ps", title: "time", bar: true },
        { name: "share" },
      ],
      sort: "time_ps:desc",
      pick: [],
    },
    {
      table: "speedups",
      title: "what would help",
      columns: [
        { name: "what", width: 220 },
        { name: "on_path_ps", title: "on the path", bar: true, sum: false },
        { name: "saved_ps", title: "saved", bar: true, sum: false },
        { name: "saved_share", title: "of the whole" },
        { name: "sentence", width: 420 },
      ],
      sort: "saved_ps:desc",
      pick: [],
    },
    {
      table: "slack",
      title: "slack",
      columns: [
        { name: "run" },
        { name: "opcode", width: 150 },
        { name: "runs" },
        { name: "time_ps", title: "time", bar: true },
        { name: "slack_ps", title: "slack", about: "How much later it could be done without a later end of the whole" },
        { name: "critical" },
        { name: "ir_op", title: "IR op" },
        { name: "aten_node", title: "ATen node" },
      ],
      sort: "slack_ps:asc",
      pick: ["where"],
      where: { run: "run" },
      group: ["opcode", "aten_node"],
    },
  ],
};

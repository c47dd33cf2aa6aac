// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

export const panel: TablePanel = {
  kind: "table",
  id: "hidden",
  title: "Hidden costs",
  about: "Which allocations, waits, copies, fallbacks and compilations happen behind the lines?",
  table: "hidden",
  ranged: true,
  empty: "No hidden cost was found.",
  parts: [
    {
      table: "rows",
      title: "by line",
      columns: [
        { name: "kind", width: 100 },
        { name: "name", width: 220 },
        { name: "op", title: "operator", width: 180 },
        { name: "file", width: 220 },
        { name: "line" },
        { name: "calls" },
        { name: "host_ns", title: "on the host", bar: true },
        { name: "longest_ns", title: "longest" },
        { name: "per_step", title: "per step" },
        { name: "event" },
      ],
      sort: "host_ns:desc",
      pick: ["event"],
      group: ["kind", "op", "file"],
    },
    {
      table: "kinds",
      title: "by kind",
      columns: [
        { name: "kind" },
        { name: "calls" },
        { name: "host_ns", title: "on the host", bar: true },
        { name: "longest_ns", title: "longest" },
        { name: "event" },
      ],
      sort: "host_ns:desc",
      pick: ["event"],
    },
  ],
};

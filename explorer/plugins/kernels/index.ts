// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

export const panel: TablePanel = {
  kind: "table",
  id: "kernels",
  title: "Kernels",
  about: "What ran on the devices?",
  table: "kernels",
  ranged: true,
  empty: "Nothing ran on a device.",
  parts: [
    {
      table: "rows",
      title: "kernels",
      columns: [
        { name: "name", width: 260 },
        { name: "calls" },
        { name: "sum_ns", title: "total", bar: true },
        { name: "share", title: "share %", about: "Percent of all device time" },
        { name: "mean_ns", title: "mean" },
        { name: "op", title: "asked for by", about: "The operator most of the calls come from", width: 160 },
        { name: "min_ns", title: "min" },
        { name: "max_ns", title: "max" },
        { name: "device" },
        { name: "kind" },
        { name: "linked", title: "linked", about: "Calls with a known operator", hidden: true },
      ],
      sort: "sum_ns:desc",
      pick: ["name"],
      group: ["op", "kind", "device"],
    },
  ],
};

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

export const panel: TablePanel = {
  kind: "table",
  id: "copies",
  title: "Copies",
  about: "What was copied between host and device, how fast, and who asked?",
  table: "copies",
  ranged: true,
  empty: "Nothing was copied.",
  parts: [
    {
      table: "rows",
      title: "by who asked",
      columns: [
        { name: "kind" },
        { name: "op", title: "operator", width: 200 },
        { name: "file", width: 220 },
        { name: "line" },
        { name: "calls" },
        { name: "bytes", bar: true },
        { name: "sum_ns", title: "on the device" },
        { name: "host_ns", title: "on the host" },
        { name: "gb_per_s", title: "GB/s" },
        { name: "smallest", hidden: true },
        { name: "largest", hidden: true },
        { name: "per_step", title: "per step" },
        { name: "tiny", about: "All at most 4096 bytes" },
        { name: "inside", hidden: true, width: 160 },
        { name: "device" },
        { name: "event", title: "longest" },
      ],
      sort: "bytes:desc",
      pick: ["event"],
      group: ["kind", "op", "file"],
    },
    {
      table: "kinds",
      title: "by kind",
      columns: [
        { name: "kind" },
        { name: "device" },
        { name: "calls" },
        { name: "bytes" },
        { name: "sum_ns", title: "total" },
        { name: "busy_ns" },
        { name: "gb_per_s", title: "GB/s" },
      ],
      sort: "bytes:desc",
      pick: [],
    },
  ],
};

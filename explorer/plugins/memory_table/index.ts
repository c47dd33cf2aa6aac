// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

export const panel: TablePanel = {
  kind: "table",
  id: "memory_table",
  title: "Allocations",
  about: "How much was allocated, at most, and by whom?",
  table: "memory",
  ranged: false,
  empty: "The trace tells nothing of memory. Record with profile_memory=True.",
  parts: [
    {
      table: "rows",
      title: "by who allocated",
      columns: [
        { name: "device" },
        { name: "op", title: "operator", width: 200 },
        { name: "file", width: 240 },
        { name: "line" },
        { name: "allocations" },
        { name: "allocated_bytes", title: "allocated", bar: true },
        { name: "largest_bytes", title: "largest" },
        { name: "kept_bytes", title: "kept", about: "Not freed by the end" },
        { name: "peak_bytes", title: "at the peak", about: "Live at the peak", bar: true },
        { name: "event" },
      ],
      sort: "peak_bytes:desc",
      pick: ["event"],
      group: ["op", "file", "device"],
    },
    {
      table: "devices",
      title: "by device",
      columns: [
        { name: "device" },
        { name: "source" },
        { name: "allocations" },
        { name: "releases" },
        { name: "allocated_bytes" },
        { name: "peak_bytes" },
        { name: "peak_reserved_bytes" },
        { name: "peak_start" },
        { name: "last_bytes" },
        { name: "unknown_releases" },
        { name: "peak_event" },
      ],
      pick: ["event"],
    },
  ],
};

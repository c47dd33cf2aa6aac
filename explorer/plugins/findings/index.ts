// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

export const panel: TablePanel = {
  kind: "table",
  id: "findings",
  title: "Findings",
  about: "What should change first?",
  table: "verdict",
  ranged: false,
  empty: "Nothing stands out.",
  parts: [
    {
      table: "findings",
      title: "findings",
      columns: [
        { name: "kind", width: 130 },
        { name: "text", title: "finding", width: 560 },
        { name: "gain_ns", title: "gain", about: "Device time that would be free", bar: true },
        { name: "file", width: 220 },
        { name: "line" },
        { name: "rank", hidden: true },
        { name: "evidence", width: 120 },
      ],
      pick: ["events"],
      group: ["kind", "file"],
    },
  ],
};

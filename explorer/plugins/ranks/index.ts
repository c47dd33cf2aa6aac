// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

export const panel: TablePanel = {
  kind: "table",
  id: "ranks",
  title: "Ranks",
  about: "Which rank is late, and who waits for it?",
  table: "ranks",
  ranged: false,
  empty: "The trace has one rank.",
  parts: [
    {
      table: "ranks",
      title: "ranks",
      columns: [
        { name: "rank" },
        { name: "file", width: 240 },
        { name: "steps" },
        { name: "step_ns", title: "step" },
        { name: "busy_ns", title: "busy" },
        { name: "compute_ns", title: "compute" },
        { name: "communication_ns", title: "communication" },
        { name: "wait_ns", title: "waits", bar: true },
        { name: "waited_for_ns", title: "is waited for", bar: true },
        { name: "last", title: "came last" },
        { name: "late_ns", title: "late" },
        { name: "skew_ns", title: "clock skew" },
        { name: "straggler" },
      ],
      pick: [],
    },
    {
      table: "collectives",
      title: "collectives",
      columns: [
        { name: "name", width: 260 },
        { name: "k" },
        { name: "ranks" },
        { name: "start", title: "at" },
        { name: "spread_ns", title: "spread", bar: true },
        { name: "wait_ns", title: "waits" },
        { name: "first_rank", title: "first" },
        { name: "last_rank", title: "last" },
        { name: "work_ns", title: "work" },
        { name: "event" },
      ],
      sort: "spread_ns:desc",
      pick: ["event"],
      group: ["name", "last_rank"],
    },
    { table: "unmatched", title: "unmatched", columns: [{ name: "name" }, { name: "counts" }], pick: ["name"] },
  ],
};

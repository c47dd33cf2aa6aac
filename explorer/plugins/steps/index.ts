// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

export const panel: TablePanel = {
  kind: "table",
  id: "steps",
  title: "Steps",
  about: "Where did each profiler step go?",
  table: "steps",
  ranged: true,
  empty: "The trace has no ProfilerStep ranges. Call prof.step() in the loop to get them.",
  parts: [
    {
      table: "rows",
      title: "steps",
      columns: [
        { name: "step" },
        { name: "rank" },
        { name: "start", title: "at" },
        { name: "dur_ns", title: "length", bar: true },
        { name: "kernel_ns", title: "kernels" },
        { name: "communication_ns", title: "communication", about: "Collectives that no kernel hides" },
        { name: "copy_ns", title: "copies" },
        { name: "runtime_ns", title: "runtime calls" },
        { name: "dataloader_ns", title: "data loader" },
        { name: "cpu_ns", title: "host operators" },
        { name: "other_ns", title: "other" },
        { name: "asked_ns", title: "asked for", about: "Device work that the step submitted, wherever it ran" },
        { name: "outlier" },
      ],
      sort: "start:asc",
      pick: ["span"],
    },
    {
      table: "spread",
      title: "spread",
      columns: [
        { name: "part" },
        { name: "steps" },
        { name: "min_ns", title: "min" },
        { name: "median_ns", title: "median" },
        { name: "mean_ns", title: "mean" },
        { name: "max_ns", title: "max" },
        { name: "deviation_ns", title: "deviation" },
        { name: "outliers" },
      ],
      pick: [],
    },
  ],
};

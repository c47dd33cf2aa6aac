// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

export const panel: TablePanel = {
  kind: "table",
  id: "launches",
  title: "Launches",
  about: "How long from the launch call to the start on the device, and who waited for whom?",
  table: "launches",
  ranged: true,
  empty: "The trace holds no launches.",
  parts: [
    {
      table: "rows",
      title: "by call",
      columns: [
        { name: "name", width: 220 },
        { name: "device" },
        { name: "calls" },
        { name: "device_events", title: "device events" },
        { name: "host_ns", title: "on the host", bar: true },
        { name: "latency_median_ns", title: "latency median" },
        { name: "latency_p95_ns", title: "latency p95" },
        { name: "latency_max_ns", title: "latency max" },
        {
          name: "own_median_ns",
          title: "own median",
          about: "The part of the latency in which no earlier event of the lane ran",
        },
        { name: "depth_mean", title: "queue depth", about: "Submissions that had not ended when the call began" },
        { name: "event" },
      ],
      sort: "host_ns:desc",
      pick: ["event", "name"],
    },
    {
      table: "stretches",
      title: "launch-bound stretches",
      columns: [
        { name: "device" },
        { name: "start", title: "at" },
        { name: "dur_ns", title: "length" },
        { name: "launches" },
        { name: "busy_ns" },
        { name: "idle_ns", title: "idle", bar: true },
        { name: "op", title: "operator", width: 180 },
        { name: "file", width: 200 },
        { name: "line" },
        { name: "event" },
      ],
      sort: "idle_ns:desc",
      pick: ["span", "event"],
      group: ["op", "file"],
    },
    {
      table: "devices",
      title: "by device",
      columns: [
        { name: "device" },
        { name: "launches" },
        { name: "device_events", title: "device events" },
        { name: "latency_median_ns", title: "latency median" },
        { name: "latency_p95_ns", title: "latency p95" },
        { name: "latency_max_ns", title: "latency max" },
        { name: "depth_mean", title: "queue depth" },
        { name: "empty_share", title: "found empty %" },
        { name: "stretches" },
        { name: "stretch_idle_ns", title: "idle in stretches" },
      ],
      pick: [],
    },
  ],
};

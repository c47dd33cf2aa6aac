// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { causes, causeWords } from "@/base/causes";
import type { TablePanel } from "@/base/panel";

const CAUSES = causes.map(({ id, title, about }) => ({ name: `causes.${id}`, title, about }));

export const panel: TablePanel = {
  kind: "table",
  id: "gaps",
  title: "Gaps",
  about: "Why was a device idle? Every idle nanosecond has exactly one cause.",
  table: "gaps",
  ranged: true,
  empty: "No device was idle.",
  parts: [
    {
      table: "gaps",
      title: "gaps",
      columns: [
        { name: "device" },
        { name: "start", title: "at" },
        { name: "dur_ns", title: "idle", bar: true },
        { name: "cause", width: 150, words: causeWords },
        { name: "op", title: "operator", about: "The operator behind the gap", width: 200 },
        { name: "event" },
      ],
      sort: "dur_ns:desc",
      pick: ["span", "event"],
      group: ["cause", "op", "device"],
    },
    {
      table: "devices",
      title: "by device",
      columns: [{ name: "device" }, { name: "wall_ns" }, { name: "busy_ns" }, { name: "idle_inside_ns" }, ...CAUSES],
      pick: [],
    },
    {
      table: "steps",
      title: "by step",
      columns: [
        { name: "step" },
        { name: "device" },
        { name: "start", title: "at" },
        { name: "wall_ns" },
        { name: "busy_ns" },
        ...CAUSES,
      ],
      pick: ["span"],
    },
  ],
};

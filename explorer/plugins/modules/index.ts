// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

export const panel: TablePanel = {
  kind: "table",
  id: "modules",
  title: "Modules",
  about: "Which module of the model costs how much?",
  table: "modules",
  ranged: true,
  empty: "The trace names no modules. Record with with_modules=True or with_stack=True.",
  parts: [
    {
      table: "rows",
      title: "modules",
      columns: [
        { name: "module", width: 260 },
        { name: "name", width: 200 },
        { name: "calls" },
        {
          name: "self_device_ns",
          title: "self device",
          about: "Counted for the operator and again for its kernels",
          bar: true,
          sum: false,
        },
        { name: "device_ns", title: "device", sum: false },
        { name: "self_cpu_ns", title: "self host", bar: true },
        { name: "cpu_ns", title: "host", sum: false },
      ],
      sort: "self_device_ns:desc",
      pick: ["event", "name"],
      group: ["module", "name"],
    },
  ],
};

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import type { TablePanel } from "@/base/panel";

export const panel: TablePanel = {
  kind: "table",
  id: "operators",
  title: "Operators",
  about: "Which operators cost how much, on the host and on the device?",
  table: "ops",
  ranged: true,
  empty: "The trace holds no operators.",
  parts: [
    {
      table: "rows",
      title: "operators",
      columns: [
        { name: "name", width: 320 },
        { name: "calls" },
        {
          name: "self_device_ns",
          title: "self device",
          about: "Device work that the operator itself asked for",
          bar: true,
          sum: false,
        },
        { name: "device_ns", title: "device", about: "Device work of the operator and of all inside it", sum: false },
        { name: "self_cpu_ns", title: "self host", about: "Host time without the operators inside", bar: true },
        { name: "cpu_ns", title: "host", about: "Host time with the operators inside", sum: false },
        { name: "device_type", title: "kind", about: "Host operators, or the rows that PyTorch makes for devices" },
        { name: "annotation", about: "A record_function range" },
      ],
      sort: "self_device_ns:desc",
      pick: ["name"],
      group: ["device_type"],
    },
  ],
};

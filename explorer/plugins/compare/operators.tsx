// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Operator by operator: what is the same, what was replaced by what, what only one side has.
import { useMemo } from "preact/hooks";
import { focus } from "@/base/view";
import { type Column, cell, type Frame, type FrameTable } from "@/engine/frame";
import { Table } from "@/widgets/table/table";

interface OperatorsProps {
  frame: Frame;
  side: string;
  from: string;
  to: string;
}

export function Operators({ frame, side, from, to }: OperatorsProps) {
  const table = frame.tables.find((t) => t.name === "rows");
  const source = useMemo(() => (table ? rowsOfSide(table, side) : null), [table, side]);
  const hints = useMemo(
    () => [
      { name: "status", width: 100 },
      { name: "a_ops", title: `operators of ${from}`, width: 230 },
      { name: "b_ops", title: `operators of ${to}`, width: 230 },
      { name: "a_kernels", title: `kernels of ${from}`, width: 150 },
      { name: "b_kernels", title: `kernels of ${to}`, width: 150 },
      { name: "delta_ns", title: "difference", about: "Device time with overhead, a step", bar: true },
      { name: "a_device_ns", title: `device ${from}` },
      { name: "b_device_ns", title: `device ${to}` },
      { name: "a_overhead_ns", title: `overhead ${from}`, hidden: true },
      { name: "b_overhead_ns", title: `overhead ${to}`, hidden: true },
      { name: "a_calls", title: `calls ${from}` },
      { name: "b_calls", title: `calls ${to}` },
      { name: "a_host_ns", title: `host ${from}`, hidden: true },
      { name: "b_host_ns", title: `host ${to}`, hidden: true },
      { name: "module", width: 180 },
    ],
    [from, to],
  );
  if (!source) return null;
  return (
    <Table
      source={source}
      label={`operators of ${from} and ${to}`}
      hints={hints}
      group={["status", "module", "a_ops", "b_ops"]}
      empty="Neither side has operators."
      onPick={(row) => {
        // The timeline in front is that of the first side.
        const event = source.columns.find((c) => c.name === "a_event");
        const id = event ? cell(event, row) : null;
        if (typeof id === "number") focus.value = idText(id);
      }}
    />
  );
}

function idText(packed: number): string {
  const part = Math.floor(packed / 4294967296);
  return part === 0 ? String(packed) : `${part}:${packed - part * 4294967296}`;
}

// The rows of one side, as a table of its own.
export function rowsOfSide(table: FrameTable, side: string): FrameTable {
  const sides = table.column("side");
  const keep: number[] = [];
  for (let row = 0; row < table.rows; row++) if (cell(sides, row) === side) keep.push(row);
  const columns = table.columns
    .filter((column) => column.name !== "side" && column.storage !== "lists")
    .map((column): Column => {
      const values = Float64Array.from(keep, (row) => column.values[row] ?? 0);
      // Codes and nulls keep their meaning: only the array is another one.
      return {
        ...column,
        values: column.storage === "dict" ? Uint32Array.from(values) : values,
        storage: wide(column),
      };
    });
  return {
    ...table,
    rows: keep.length,
    columns,
    column(wanted) {
      const found = columns.find((c) => c.name === wanted);
      if (!found) throw new Error(`table ${table.name} has no column ${wanted}`);
      return found;
    },
  };
}

function wide(column: Column): Column["storage"] {
  if (column.storage === "dict" || column.storage === "i32") return column.storage;
  return "f64";
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables as the frame reader gives them, made from rows, for tests.
import type { Column, ColumnType, Frame, FrameTable } from "@/engine/frame";

type Value = string | number | boolean | number[] | null;

export function fakeTable(
  name: string,
  rows: Record<string, Value>[],
  types: Record<string, ColumnType> = {},
  members: Record<string, unknown> = {},
): FrameTable {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)).concat(Object.keys(types)))];
  const columns = names.map((column) =>
    fakeColumn(
      column,
      rows.map((row) => row[column] ?? null),
      types[column],
    ),
  );
  return {
    name,
    rows: rows.length,
    columns,
    members,
    column(wanted) {
      const found = columns.find((c) => c.name === wanted);
      if (!found) throw new Error(`table ${name} has no column ${wanted}`);
      return found;
    },
  };
}

export function fakeFrame(tables: FrameTable[], members: Record<string, unknown> = {}): Frame {
  return {
    tables,
    members,
    table(wanted) {
      const found = tables.find((t) => t.name === wanted);
      if (!found) throw new Error(`the answer has no table ${wanted}`);
      return found;
    },
  };
}

function fakeColumn(name: string, values: Value[], type?: ColumnType): Column {
  const some = values.find((value) => value !== null);
  const plain = { name, dictionary: null, list: null, exact: false };
  if (Array.isArray(some)) {
    const list: number[] = [];
    const ends = values.map((value) => list.push(...(value as number[])) && list.length);
    return {
      ...plain,
      type: type ?? "events",
      storage: "lists",
      values: Uint32Array.from(ends),
      list: Float64Array.from(list),
    };
  }
  if (typeof some === "string") {
    const dictionary = [...new Set(values.filter((value) => value !== null))] as string[];
    const codes = values.map((value) => (value === null ? 0xffffffff : dictionary.indexOf(value as string)));
    return { ...plain, type: type ?? "text", storage: "dict", values: Uint32Array.from(codes), dictionary };
  }
  const numbers = values.map((value) => (value === null ? Number.NaN : Number(value)));
  const guess: ColumnType = name.endsWith("_ns") || name === "start" ? "ns" : name === "event" ? "event" : "count";
  return { ...plain, type: type ?? guess, storage: "f64", values: Float64Array.from(numbers) };
}

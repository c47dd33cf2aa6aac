// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads a frame: tables whose columns are views into the answer's bytes (docs/formats/server.md). Nothing is copied.

export type ColumnType =
  | "text"
  | "count"
  | "ns"
  | "ps"
  | "bytes"
  | "integer"
  | "real"
  | "flag"
  | "event"
  | "events"
  | "integers"
  | "name";
export type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

export interface Column {
  name: string;
  type: ColumnType;
  storage: "f64" | "f32" | "i32" | "u32" | "u16" | "u8" | "dict" | "lists";
  // The values; codes into `dictionary` for dict, ends into `list` for lists.
  values: Numbers;
  dictionary: string[] | null;
  list: Float64Array | null;
  exact: boolean;
}

export interface FrameTable {
  name: string;
  rows: number;
  columns: Column[];
  column(name: string): Column;
  // What the header says beside name, rows and columns.
  members: Record<string, unknown>;
}

export interface Frame {
  tables: FrameTable[];
  table(name: string): FrameTable;
  members: Record<string, unknown>;
}

const NULL_CODE = 0xffffffff;

const STORAGE = {
  f64: Float64Array,
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
  dict: Uint32Array,
  lists: Uint32Array,
} as const;

interface WireColumn {
  name: string;
  type: ColumnType;
  storage: Column["storage"];
  offset: number;
  length: number;
  dictionary?: string[];
  value_offset?: number;
  value_length?: number;
  exact?: boolean;
}

// Throws an Error with a sentence when the bytes are no frame.
export function readFrame(bytes: ArrayBuffer): Frame {
  const view = new DataView(bytes);
  if (bytes.byteLength < 8 || view.getUint32(0, true) !== 0x3146574c) {
    throw new Error("the server's answer is not a frame");
  }
  const headerLength = view.getUint32(4, true);
  const start = 8 + headerLength;
  if (start > bytes.byteLength) throw new Error("the server's answer was cut off");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, headerLength)));
  const tables = (header.tables as Record<string, unknown>[]).map((wire) => {
    const { name, rows, columns: wireColumns, ...members } = wire;
    const columns = (wireColumns as WireColumn[]).map((column) => readColumn(bytes, start, column));
    return {
      name: name as string,
      rows: rows as number,
      columns,
      members,
      column(wanted: string): Column {
        const found = columns.find((c) => c.name === wanted);
        if (!found) throw new Error(`table ${name} has no column ${wanted}`);
        return found;
      },
    };
  });
  const { tables: _tables, ...members } = header;
  return {
    tables,
    members,
    table(wanted: string): FrameTable {
      const found = tables.find((t) => t.name === wanted);
      if (!found) throw new Error(`the answer has no table ${wanted}`);
      return found;
    },
  };
}

function readColumn(bytes: ArrayBuffer, start: number, wire: WireColumn): Column {
  const View = STORAGE[wire.storage];
  if (!View) throw new Error(`unknown column storage ${wire.storage}`);
  return {
    name: wire.name,
    type: wire.type,
    storage: wire.storage,
    values: new View(bytes, start + wire.offset, wire.length),
    dictionary: wire.dictionary ?? null,
    list:
      wire.storage === "lists" ? new Float64Array(bytes, start + (wire.value_offset ?? 0), wire.value_length) : null,
    exact: wire.exact ?? false,
  };
}

// One cell for people and sorting: number, text, list of numbers, or null.
export function cell(column: Column, row: number): number | string | number[] | null {
  const value = column.values[row];
  if (value === undefined) return null;
  if (column.storage === "dict") return value === NULL_CODE ? null : (column.dictionary?.[value] ?? null);
  if (column.storage === "lists") {
    const begin = row === 0 ? 0 : (column.values[row - 1] ?? 0);
    return Array.from(column.list?.subarray(begin, value) ?? []);
  }
  if (column.storage === "i32") return value === -2147483648 ? null : value;
  return Number.isNaN(value) ? null : value;
}

// "part:ordinal" of an id in a frame.
export function eventIdText(packed: number): string {
  const part = Math.floor(packed / 4294967296);
  const ordinal = packed - part * 4294967296;
  return part === 0 ? String(ordinal) : `${part}:${ordinal}`;
}

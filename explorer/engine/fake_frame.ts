// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes frames, for tests: the other side of frame.ts.
import type { ColumnType, Numbers } from "@/engine/frame";

export interface FakeColumn {
  name: string;
  type?: ColumnType;
  values: Numbers | number[];
  storage?: "f64" | "f32" | "u32" | "u16" | "u8";
}

export interface FakeTable {
  name: string;
  members?: Record<string, unknown>;
  columns: FakeColumn[];
}

const STORAGE = {
  f64: Float64Array,
  f32: Float32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
} as const;

export function frameBytes(tables: FakeTable[], members: Record<string, unknown> = {}): ArrayBuffer {
  let offset = 0;
  const buffers: { at: number; values: Numbers }[] = [];
  const wire = tables.map((table) => ({
    name: table.name,
    rows: table.columns[0]?.values.length ?? 0,
    ...table.members,
    columns: table.columns.map((column) => {
      const storage = column.storage ?? "f64";
      const values = new STORAGE[storage](column.values);
      const at = offset;
      buffers.push({ at, values });
      offset = Math.ceil((offset + values.byteLength) / 8) * 8;
      return { name: column.name, type: column.type ?? "integer", storage, offset: at, length: values.length };
    }),
  }));
  let header = JSON.stringify({ tables: wire, ...members });
  const encoder = new TextEncoder();
  const length = encoder.encode(header).length;
  header += " ".repeat((8 - ((8 + length) % 8)) % 8);
  const head = encoder.encode(header);
  const bytes = new Uint8Array(8 + head.length + offset);
  bytes.set([0x4c, 0x57, 0x46, 0x31]);
  new DataView(bytes.buffer).setUint32(4, head.length, true);
  bytes.set(head, 8);
  for (const { at, values } of buffers) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 8 + head.length + at);
  }
  return bytes.buffer;
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Small tables as rows: for cards and bars of a few lines. Large ones stay columns (widgets/table).
import { cell, type FrameTable } from "@/engine/frame";

export class Row {
  constructor(
    private readonly table: FrameTable,
    readonly index: number,
  ) {}

  number(name: string): number {
    const value = this.value(name);
    return typeof value === "number" ? value : Number.NaN;
  }

  // 0 where there is none.
  amount(name: string): number {
    const value = this.number(name);
    return Number.isNaN(value) ? 0 : value;
  }

  text(name: string): string | null {
    const value = this.value(name);
    return value === null || Array.isArray(value) ? null : String(value);
  }

  list(name: string): number[] {
    const value = this.value(name);
    return Array.isArray(value) ? value : [];
  }

  private value(name: string) {
    const column = this.table.columns.find((c) => c.name === name);
    return column ? cell(column, this.index) : null;
  }
}

export function rowsOf(table: FrameTable | undefined, most = 1000): Row[] {
  if (!table) return [];
  return Array.from({ length: Math.min(most, table.rows) }, (_, index) => new Row(table, index));
}

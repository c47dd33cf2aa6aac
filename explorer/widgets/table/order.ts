// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which rows a table shows, and in what order: filter, sort and group over typed columns, as lists of row numbers. (A table
// library keeps an object with methods for every row; a table of links has as many rows as the trace has device events.)
import { readTime } from "@/base/units";
import { numberAt, type Source, shown, type TableColumn, textAt } from "@/widgets/table/columns";

export interface Order {
  column: string;
  falling: boolean;
}

// Words must all be found in the row's texts; `column>value` compares ("calls>10", "self_device_ns>1ms", "op=aten::mul").
export function filterRows(source: Source, columns: readonly TableColumn[], text: string): Uint32Array {
  const tests = text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => testOf(columns, word));
  const rows = new Uint32Array(source.rows);
  let kept = 0;
  for (let row = 0; row < source.rows; row++) {
    if (tests.every((test) => test(row))) rows[kept++] = row;
  }
  return rows.subarray(0, kept);
}

function testOf(columns: readonly TableColumn[], word: string): (row: number) => boolean {
  const comparison = /^([a-z_0-9.]+)(>=|<=|>|<|=)(.+)$/i.exec(word);
  const column = comparison && columns.find((c) => c.name === comparison[1]);
  if (comparison && column) {
    const sign = comparison[2];
    const wanted = comparison[3] ?? "";
    const limit = column.type === "ns" ? readTime(wanted) : Number(wanted);
    if (column.numeric && limit !== null && Number.isFinite(limit)) {
      return (row) => {
        const value = numberAt(column.values, row);
        if (sign === ">") return value > limit;
        if (sign === "<") return value < limit;
        if (sign === ">=") return value >= limit;
        if (sign === "<=") return value <= limit;
        return value === limit;
      };
    }
    if (sign === "=") return (row) => shown(column, row).toLowerCase() === wanted.toLowerCase();
  }
  // A dictionary is searched once, not once a row.
  const needle = word.toLowerCase();
  const texts = columns.filter((c) => !c.numeric);
  const hits = texts.map((c) => c.values.dictionary?.map((entry) => entry.toLowerCase().includes(needle)));
  return (row) =>
    texts.some((c, i) => {
      const hit = hits[i];
      if (hit) return hit[c.values.values[row] ?? -1] ?? false;
      return shown(c, row).toLowerCase().includes(needle);
    });
}

// Sorts in place; equal rows keep their order, and what is null stands last either way.
export function sortRows(rows: Uint32Array, column: TableColumn, falling: boolean): void {
  const { values } = column;
  const sign = falling ? -1 : 1;
  if (values.storage === "dict") {
    // Codes become ranks once; then only numbers are compared.
    const ranks = rankTexts(values.dictionary ?? []);
    const rank = (row: number) => ranks[values.values[row] ?? -1] ?? -1;
    rows.sort((a, b) => {
      const x = rank(a);
      const y = rank(b);
      if (x === y) return a - b;
      if (x < 0 || y < 0) return x < 0 ? 1 : -1;
      return sign * (x - y);
    });
    return;
  }
  const number = (row: number) => (values.storage === "lists" ? listLength(column, row) : numberAt(values, row));
  rows.sort((a, b) => {
    const x = number(a);
    const y = number(b);
    if (x === y) return a - b;
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) ? (Number.isNaN(y) ? a - b : 1) : -1;
    return sign * (x - y);
  });
}

function listLength(column: TableColumn, row: number): number {
  const { values } = column.values;
  return (values[row] ?? 0) - (row === 0 ? 0 : (values[row - 1] ?? 0));
}

function rankTexts(texts: readonly string[]): Uint32Array {
  const order = texts.map((_, i) => i).sort((a, b) => ((texts[a] ?? "") < (texts[b] ?? "") ? -1 : 1));
  const ranks = new Uint32Array(texts.length);
  order.forEach((code, rank) => {
    ranks[code] = rank;
  });
  return ranks;
}

export interface Group {
  key: string;
  rows: Uint32Array;
}

// Rows with the same text of `column`, each group in the order of `rows`; groups in the order of their first row, unless
// `by` says which sum orders them.
export function groupRows(rows: Uint32Array, column: TableColumn, by: TableColumn | null, falling: boolean): Group[] {
  const found = new Map<string, number[]>();
  for (const row of rows) {
    const key = column.values.storage === "dict" ? (textAt(column.values, row) ?? "") : shown(column, row);
    const group = found.get(key);
    if (group) group.push(row);
    else found.set(key, [row]);
  }
  const groups = [...found].map(([key, list]) => ({ key, rows: Uint32Array.from(list) }));
  if (by?.additive) {
    const sums = new Map(groups.map((group) => [group, sumOf(by, group.rows)]));
    groups.sort((a, b) => (falling ? -1 : 1) * ((sums.get(a) ?? 0) - (sums.get(b) ?? 0)));
  }
  return groups;
}

export function sumOf(column: TableColumn, rows: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < rows.length; i++) {
    const value = numberAt(column.values, rows[i] ?? -1);
    if (!Number.isNaN(value)) sum += value;
  }
  return sum;
}

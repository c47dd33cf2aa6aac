// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a reader types above a table, compiled to a test of a row number.
import { readTime } from "@/base/units";
import { numberAt, shown, type TableColumn } from "@/widgets/table/columns";

export type RowTest = (row: number) => boolean;

// Words must all be found in the row's texts; `column>value` compares ("calls>10", "self_device_ns>1ms", "op=aten::mul").
export function rowTest(columns: readonly TableColumn[], text: string): RowTest {
  const tests = text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => testOf(columns, word));
  return (row) => tests.every((test) => test(row));
}

const COMPARISON = /^([a-z_0-9.]+)(>=|<=|>|<|=)(.+)$/i;

// Why a filter can pass nothing: the column of a comparison that the table does not have, in a sentence; else null.
export function filterTrouble(columns: readonly TableColumn[], text: string): string | null {
  for (const word of text.trim().split(/\s+/)) {
    const name = COMPARISON.exec(word)?.[1];
    if (name === undefined || columns.some((c) => c.name === name)) continue;
    return `No column is called ${name}. There are: ${columns.map((c) => c.name).join(", ")}.`;
  }
  return null;
}

function testOf(columns: readonly TableColumn[], word: string): RowTest {
  const comparison = COMPARISON.exec(word);
  const column = comparison && columns.find((c) => c.name === comparison[1]);
  if (comparison && column) {
    const sign = comparison[2];
    const wanted = comparison[3] ?? "";
    const limit = column.type === "ns" || column.type === "ps" ? readTime(wanted, column.type) : Number(wanted);
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
  const hits = texts.map((c) =>
    c.values.dictionary?.map((entry) => `${entry} ${c.words[entry] ?? ""}`.toLowerCase().includes(needle)),
  );
  return (row) =>
    texts.some((c, i) => {
      const hit = hits[i];
      if (hit) return hit[c.values.values[row] ?? -1] ?? false;
      return shown(c, row).toLowerCase().includes(needle);
    });
}

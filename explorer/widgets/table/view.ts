// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a reader changes about a table, and what it shows then: the model between the columns and the picture. Plain
// functions over plain state; the component keeps the state.
import type { Source, TableColumn } from "@/widgets/table/columns";
import { filterRows, type Group, groupRows, type Order, sortRows } from "@/widgets/table/order";

// Kept between visits, per table; nothing in it when the reader changed nothing.
export interface TableLayout {
  sort?: Order | null;
  group?: string | null;
  // Names of columns that are shown, in order.
  columns?: string[];
  widths?: Record<string, number>;
}

export const ROW_HEIGHT = 26;

// Where the keyboard is.
export interface Place {
  // Index into the entries; -1 is the header.
  entry: number;
  column: number;
}

export interface TableView {
  columns: TableColumn[];
  // All rows that pass the filter, in order.
  rows: Uint32Array;
  groups: Group[];
  // What stands below each other: a row number, or -(g + 1) for the head of group g.
  entries: Int32Array;
  sort: Order | null;
}

export function viewOf(
  source: Source,
  all: readonly TableColumn[],
  layout: TableLayout,
  text: string,
  opened: ReadonlySet<string>,
  firstSort: Order | null,
): TableView {
  const byName = new Map(all.map((column) => [column.name, column]));
  const columns = layout.columns
    ? layout.columns.flatMap((name) => byName.get(name) ?? [])
    : all.filter((column) => !column.hidden);
  const rows = filterRows(source, all, text);
  const sort = layout.sort === undefined ? firstSort : layout.sort;
  const sortColumn = sort ? byName.get(sort.column) : undefined;
  if (sort && sortColumn) sortRows(rows, sortColumn, sort.falling);
  const groupColumn = layout.group ? byName.get(layout.group) : undefined;
  if (!groupColumn) return { columns, rows, groups: [], entries: Int32Array.from(rows), sort };
  const groups = groupRows(rows, groupColumn, sortColumn ?? null, sort?.falling ?? true);
  const entries: number[] = [];
  groups.forEach((group, g) => {
    entries.push(-(g + 1));
    if (opened.has(group.key)) for (const row of group.rows) entries.push(row);
  });
  return { columns, rows, groups, entries: Int32Array.from(entries), sort };
}

// A click on a header: numbers fall first, texts rise first, the third click gives the table's own order back.
export function nextSort(now: Order | null, column: TableColumn): Order | null {
  if (now?.column !== column.name) return { column: column.name, falling: column.numeric };
  if (now.falling === column.numeric) return { column: column.name, falling: !column.numeric };
  return null;
}

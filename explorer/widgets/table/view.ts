// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a reader changes about a table, and what it shows then: words between the model and the picture.
import type { TableColumn } from "@/widgets/table/columns";

export interface Order {
  column: string;
  falling: boolean;
}

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
  // How many rows and heads of groups stand below each other (TableModel.entry).
  entries: number;
  // How many rows pass the filter, and how many of them the table holds (cut.ts).
  passing: number;
  held: number;
  sort: Order | null;
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables as text for other programs: tab-separated for the clipboard, commas for files. Whole numbers, no units in cells.
import { plain, type TableColumn } from "@/widgets/table/columns";

export function tsv(columns: readonly TableColumn[], rows: ArrayLike<number>): string {
  return lines(columns, rows, "\t", (text) => text.replace(/[\t\r\n]+/g, " "));
}

export function csv(columns: readonly TableColumn[], rows: ArrayLike<number>): string {
  return lines(columns, rows, ",", (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text));
}

function lines(
  columns: readonly TableColumn[],
  rows: ArrayLike<number>,
  separator: string,
  quote: (text: string) => string,
): string {
  const out = [columns.map((column) => quote(column.name)).join(separator)];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0;
    out.push(columns.map((column) => quote(plain(column, row))).join(separator));
  }
  return `${out.join("\n")}\n`;
}

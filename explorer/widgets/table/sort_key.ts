// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The number by which a row stands in a column's order: its value, the length of its list, the rank of its text. NaN where
// there is nothing; such rows stand last either way.
import { listLength, numberAt, type TableColumn } from "@/widgets/table/columns";

export type SortKey = (row: number) => number;

export function sortKey({ values }: TableColumn): SortKey {
  if (values.storage === "lists") return (row) => listLength(values, row);
  if (values.storage !== "dict") return (row) => numberAt(values, row);
  // Codes become ranks once; then only numbers are compared.
  const ranks = rankTexts(values.dictionary ?? []);
  return (row) => ranks[values.values[row] ?? -1] ?? Number.NaN;
}

function rankTexts(texts: readonly string[]): Uint32Array {
  const order = texts.map((_, i) => i).sort((a, b) => ((texts[a] ?? "") < (texts[b] ?? "") ? -1 : 1));
  const ranks = new Uint32Array(texts.length);
  order.forEach((code, rank) => {
    ranks[code] = rank;
  });
  return ranks;
}

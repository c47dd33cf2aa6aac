// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which rows of a very long table are shown. The table library keeps about 1.2 kB for every row, and a trace of ten million
// slices has millions of launches: beyond MOST_ROWS a table holds those that pass the filter and come first in its order, and
// says how many there are. Up to there, everything is in it.
import type { RowTest } from "@/widgets/table/filter";
import type { SortKey } from "@/widgets/table/sort_key";

export const MOST_ROWS = 200_000;

export interface Cut {
  // Row numbers, rising.
  rows: Uint32Array;
  // How many pass the filter.
  passing: number;
}

// `key`: null keeps the table's own order.
export function cut(count: number, test: RowTest, key: SortKey | null, falling: boolean, most: number): Cut {
  const passing = new Uint32Array(count);
  let kept = 0;
  for (let row = 0; row < count; row++) if (test(row)) passing[kept++] = row;
  if (kept <= most) return { rows: passing.slice(0, kept), passing: kept };
  if (!key) return { rows: passing.slice(0, most), passing: kept };
  // Sorted without a comparison of ours: the key of the last row that still has room, and which rows share it. Rows without a
  // value stand last, as in the table.
  const sign = falling ? -1 : 1;
  const keys = new Float64Array(kept);
  for (let i = 0; i < kept; i++) {
    const value = key(passing[i] ?? 0);
    keys[i] = Number.isNaN(value) ? Number.POSITIVE_INFINITY : sign * value;
  }
  const sorted = keys.slice().sort();
  const limit = sorted[most - 1] ?? 0;
  let room = most - lowerBound(sorted, limit);
  const rows = new Uint32Array(most);
  let taken = 0;
  for (let i = 0; i < kept; i++) {
    const value = keys[i] ?? 0;
    if (value < limit || (value === limit && room-- > 0)) rows[taken++] = passing[i] ?? 0;
  }
  return { rows, passing: kept };
}

// How many of `sorted` are smaller than `value`.
function lowerBound(sorted: Float64Array, value: number): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

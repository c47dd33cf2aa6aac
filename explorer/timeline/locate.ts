// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What lies under a point, from the tiles that are on the screen. A slice wide enough to be told apart is known exactly and at
// once; a narrow one is known by its longest neighbour in the column, and the server is asked.
import { eventIdText } from "@/engine/frame";
import { eachWide, type Row } from "./labels";
import { lowerBound } from "./painter";

export interface Found {
  // Text id, or null when only the server can tell.
  id: string | null;
  name: number;
  row: number;
  from: number;
  to: number;
  before: number;
  after: number;
  // Slices in the column; 1 for an exact one.
  count: number;
  exact: boolean;
}

// `reach` is how far, in ns, a point may be from a slice to mean it.
export function sliceAt(row: Row, ns: number, reach: number): Found | null {
  let best: Found | null = null;
  let bestDistance = reach;
  eachWide(row, { from: ns - reach, to: ns + reach }, 0, (slices, i, start) => {
    const dur = slices.durNs[i] as number;
    const distance = ns < start ? start - ns : ns > start + dur ? ns - start - dur : 0;
    // Of several rows in a collapsed lane the first one means the outermost slice.
    if (best !== null && distance >= bestDistance) return;
    if (distance > reach) return;
    bestDistance = distance;
    best = {
      id: eventIdText(slices.event[i] as number),
      name: slices.name[i] as number,
      row: Math.max(0, row.row),
      from: start,
      to: start + dur,
      before: slices.before[i] as number,
      after: slices.after[i] as number,
      count: 1,
      exact: true,
    };
  });
  return best ?? columnAt(row, ns, reach);
}

function columnAt(row: Row, ns: number, reach: number): Found | null {
  let best: Found | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const segment of row.segments) {
    const columns = segment.tiles.columns;
    if (!columns || segment.to < ns - reach || segment.from > ns + reach) continue;
    const r = Math.max(0, row.row);
    if (r >= columns.rowStart.length - 1) continue;
    const step = 2 ** segment.block.level;
    const begin = columns.rowStart[r] as number;
    const end = columns.rowStart[r + 1] as number;
    let i = lowerBound(columns.column, Math.floor((ns - reach - segment.block.from) / step), begin, end);
    if (i > begin) i--;
    for (; i < end; i++) {
      const from = segment.block.from + (columns.column[i] as number) * step;
      const to = from + (columns.span[i] as number) * step;
      if (from > ns + reach) break;
      if (to < ns - reach) continue;
      const distance = ns < from ? from - ns : ns > to ? ns - to : 0;
      if (distance >= bestDistance) continue;
      bestDistance = distance;
      best = {
        id: eventIdText(columns.event[i] as number),
        name: columns.name[i] as number,
        row: r,
        from,
        to,
        before: 0,
        after: 0,
        count: columns.count[i] as number,
        exact: false,
      };
    }
  }
  return best;
}

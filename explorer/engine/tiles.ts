// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Answers to tile requests, kept within a number of bytes. The columns stay views into the answer; only an index of rows is
// added. A frame asks `cover` how to paint a span of a lane from what is here: wanted level first, then the nearest others, so
// that there is always a picture while better tiles travel.
import { TILE_COLUMNS } from "@/engine/api";
import type { Frame, FrameTable } from "@/engine/frame";

export interface Slices {
  rowStart: Uint32Array;
  startNs: Float64Array;
  durNs: Float64Array;
  name: Uint32Array;
  event: Float64Array;
  channels: Uint8Array;
  before: Float32Array;
  after: Float32Array;
}

export interface Columns {
  // Entries of row r lie at rowStart[r] .. rowStart[r + 1].
  rowStart: Uint32Array;
  column: Uint32Array;
  span: Uint32Array;
  busy: Float32Array;
  count: Uint32Array;
  name: Uint32Array;
  event: Float64Array;
  channels: Uint8Array;
}

export interface CounterColumns {
  column: Uint32Array;
  low: Float64Array;
  high: Float64Array;
  last: Float64Array;
}

export interface LaneTiles {
  columns: Columns | null;
  slices: Slices | null;
  counter: CounterColumns | null;
}

export interface Block {
  // Filter, search, selection and state of the import that the tiles were made for.
  key: string;
  level: number;
  // Where it lies: ns, whole tiles.
  from: number;
  to: number;
  lanes: Map<number, LaneTiles>;
  bytes: number;
  used: number;
}

export interface Segment {
  block: Block;
  tiles: LaneTiles;
  from: number;
  to: number;
}

export const tileNs = (level: number) => TILE_COLUMNS * 2 ** level;

// Finer tiles than this many levels are not used for a coarser picture: they would cost 2^n entries a column.
const FINER_LEVELS = 2;

export class TileCache {
  bytes = 0;
  private blocks = new Set<Block>();
  private byLane = new Map<number, Map<number, Block[]>>();
  private tick = 0;

  constructor(readonly limit: number) {}

  get size(): number {
    return this.blocks.size;
  }

  add(block: Block): void {
    block.used = ++this.tick;
    this.blocks.add(block);
    this.bytes += block.bytes;
    for (const lane of block.lanes.keys()) {
      let levels = this.byLane.get(lane);
      if (!levels) {
        levels = new Map();
        this.byLane.set(lane, levels);
      }
      const list = levels.get(block.level);
      // Newest first: after a change of key it is the better one.
      if (list) list.unshift(block);
      else levels.set(block.level, [block]);
    }
    while (this.bytes > this.limit && this.blocks.size > 1) this.evict(block);
  }

  clear(): void {
    this.blocks.clear();
    this.byLane.clear();
    this.bytes = 0;
  }

  // Segments without overlap that paint [from, to) of a lane as well as possible.
  cover(lane: number, key: string, level: number, from: number, to: number): Segment[] {
    const found: Segment[] = [];
    const levels = this.byLane.get(lane);
    if (!levels) return found;
    this.tick++;
    const known = [...levels.keys()]
      .filter((l) => l >= level - FINER_LEVELS)
      .sort((a, b) => Math.abs(a - level) - Math.abs(b - level) || b - a);
    let open: [number, number][] = [[from, to]];
    // Tiles of another key (before a filter or a search changed) are a better picture than none.
    for (const current of [true, false]) {
      for (const l of known) {
        for (const block of levels.get(l) ?? []) {
          if (open.length === 0) return found;
          if ((block.key === key) === current) open = this.take(block, lane, open, found);
        }
      }
    }
    return found;
  }

  // The tiles of a level that are not here for this key: [first, end) around all of them, or null.
  missing(lane: number, key: string, level: number, first: number, end: number): [number, number] | null {
    const size = tileNs(level);
    let open: [number, number][] = [[first * size, end * size]];
    for (const block of this.byLane.get(lane)?.get(level) ?? []) {
      if (block.key === key) open = this.take(block, lane, open, null);
    }
    const head = open[0];
    const tail = open[open.length - 1];
    return head && tail ? [Math.round(head[0] / size), Math.round(tail[1] / size)] : null;
  }

  private take(block: Block, lane: number, open: [number, number][], found: Segment[] | null): [number, number][] {
    let touched = false;
    for (const [from, to] of open) {
      if (block.from < to && block.to > from) touched = true;
    }
    if (!touched) return open;
    block.used = this.tick;
    const rest: [number, number][] = [];
    const tiles = block.lanes.get(lane);
    for (const [from, to] of open) {
      const a = Math.max(from, block.from);
      const b = Math.min(to, block.to);
      if (a >= b || !tiles) {
        rest.push([from, to]);
        continue;
      }
      found?.push({ block, tiles, from: a, to: b });
      if (from < a) rest.push([from, a]);
      if (b < to) rest.push([b, to]);
    }
    return rest;
  }

  private evict(keep: Block): void {
    let oldest: Block | null = null;
    for (const block of this.blocks) {
      if (block !== keep && (oldest === null || block.used < oldest.used)) oldest = block;
    }
    if (!oldest) return;
    this.blocks.delete(oldest);
    this.bytes -= oldest.bytes;
    for (const lane of oldest.lanes.keys()) {
      const levels = this.byLane.get(lane);
      const list = levels?.get(oldest.level);
      if (!levels || !list) continue;
      list.splice(list.indexOf(oldest), 1);
      if (list.length === 0) levels.delete(oldest.level);
      if (levels.size === 0) this.byLane.delete(lane);
    }
  }
}

// The block of an answer. Lanes that were asked for and are not in the answer are empty there.
export function blockOf(
  frame: Frame,
  asked: { level: number; first: number; count: number; lanes: number[] },
  key: string,
  bytes: number,
): Block {
  const size = tileNs(asked.level);
  const lanes = new Map<number, LaneTiles>();
  for (const lane of asked.lanes) lanes.set(lane, { columns: null, slices: null, counter: null });
  let lane = -1;
  for (const table of frame.tables) {
    if (typeof table.members.lane === "number") lane = table.members.lane;
    const tiles = lanes.get(lane);
    if (!tiles) continue;
    if (table.name === "slices") tiles.slices = slicesOf(table);
    else if (table.columns.some((c) => c.name === "low")) tiles.counter = counterOf(table);
    else tiles.columns = columnsOf(table);
  }
  return {
    key,
    level: asked.level,
    from: asked.first * size,
    to: (asked.first + asked.count) * size,
    lanes,
    bytes,
    used: 0,
  };
}

function columnsOf(table: FrameTable): Columns {
  return {
    rowStart: rowIndex(table.column("row").values),
    column: table.column("column").values as Uint32Array,
    span: table.column("span").values as Uint32Array,
    busy: table.column("busy").values as Float32Array,
    count: table.column("count").values as Uint32Array,
    name: table.column("name").values as Uint32Array,
    event: table.column("event").values as Float64Array,
    channels: table.column("channels").values as Uint8Array,
  };
}

function slicesOf(table: FrameTable): Slices {
  return {
    rowStart: rowIndex(table.column("row").values),
    startNs: table.column("start_ns").values as Float64Array,
    durNs: table.column("dur_ns").values as Float64Array,
    name: table.column("name").values as Uint32Array,
    event: table.column("event").values as Float64Array,
    channels: table.column("channels").values as Uint8Array,
    before: table.column("overhead_before_ns").values as Float32Array,
    after: table.column("overhead_after_ns").values as Float32Array,
  };
}

function counterOf(table: FrameTable): CounterColumns {
  return {
    column: table.column("column").values as Uint32Array,
    low: table.column("low").values as Float64Array,
    high: table.column("high").values as Float64Array,
    last: table.column("last").values as Float64Array,
  };
}

// Start of each row in a column sorted by row; one more at the end.
function rowIndex(rows: ArrayLike<number>): Uint32Array {
  const count = rows.length;
  const last = count === 0 ? -1 : (rows[count - 1] as number);
  const starts = new Uint32Array(last + 2);
  let row = 0;
  for (let i = 0; i < count; i++) {
    const here = rows[i] as number;
    if (here < row - 1) throw new Error("the rows of a tile are not sorted");
    while (row <= here) starts[row++] = i;
  }
  while (row <= last + 1) starts[row++] = count;
  return starts;
}

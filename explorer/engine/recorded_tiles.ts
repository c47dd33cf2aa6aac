// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of a report: one level was recorded, every other is cut from it. A coarser column is the sum of its finer ones; a finer
// one has its part of the recorded column, evenly, since nothing finer is known. Sums of rows stay what they were.
import { TILE_COLUMNS, type TileRequest } from "@/engine/api";
import type { Column, Frame, FrameTable, Numbers } from "@/engine/frame";

interface Cells {
  row: number[];
  // Column of the recorded level, counted from the trace's origin.
  column: number[];
  span: number[];
  busy: number[];
  count: number[];
  name: number[];
  event: number[];
  channels: number[];
  // How long a recorded column is.
  columnNs: number;
}

interface Wide {
  row: number;
  start: number;
  dur: number;
  name: number;
  event: number;
  channels: number;
  before: number;
  after: number;
}

interface Counter {
  column: number[];
  low: number[];
  high: number[];
  last: number[];
}

interface RecordedLane {
  cells: Cells | null;
  wide: Wide[];
  counter: Counter | null;
  maxRow: number;
}

export class RecordedTiles {
  readonly level: number;
  private lanes = new Map<number, RecordedLane>();

  // Frames as the server gave them, one behind the other in time, all of one level.
  constructor(frames: readonly Frame[]) {
    let level = 0;
    for (const frame of frames) {
      for (const table of frame.tables) {
        const lane = this.lane(Number(table.members.lane));
        if (table.name === "slices") takeSlices(lane, table);
        else {
          level = Number(table.members.level);
          lane.maxRow = Math.max(lane.maxRow, Number(table.members.max_row ?? 0));
          takeColumns(lane, table, Number(table.members.first) * TILE_COLUMNS);
        }
      }
    }
    this.level = level;
  }

  tiles(request: TileRequest): Frame {
    const tables = request.lanes.flatMap((id) => {
      const lane = this.lanes.get(id);
      return lane ? tablesOf(id, lane, this.level, request) : [];
    });
    return {
      tables,
      members: {},
      table: (name) => {
        const found = tables.find((t) => t.name === name);
        if (!found) throw new Error(`the report has no table ${name}`);
        return found;
      },
    };
  }

  private lane(id: number): RecordedLane {
    let lane = this.lanes.get(id);
    if (!lane) {
      lane = { cells: null, wide: [], counter: null, maxRow: 0 };
      this.lanes.set(id, lane);
    }
    return lane;
  }
}

function takeColumns(lane: RecordedLane, table: FrameTable, first: number): void {
  const all = (name: string) => Array.from(table.column(name).values);
  const column = all("column").map((c) => c + first);
  if (table.columns.some((c) => c.name === "low")) {
    lane.counter ??= { column: [], low: [], high: [], last: [] };
    lane.counter.column.push(...column);
    for (const name of ["low", "high", "last"] as const) lane.counter[name].push(...all(name));
    return;
  }
  lane.cells ??= {
    row: [],
    column: [],
    span: [],
    busy: [],
    count: [],
    name: [],
    event: [],
    channels: [],
    columnNs: 2 ** Number(table.members.level),
  };
  lane.cells.column.push(...column);
  for (const name of ["row", "span", "busy", "count", "name", "event", "channels"] as const) {
    for (const value of all(name)) lane.cells[name].push(value);
  }
}

function takeSlices(lane: RecordedLane, table: FrameTable): void {
  const at = (name: string) => table.column(name).values;
  const [row, start, dur] = [at("row"), at("start_ns"), at("dur_ns")];
  const [name, event, channels] = [at("name"), at("event"), at("channels")];
  const [before, after] = [at("overhead_before_ns"), at("overhead_after_ns")];
  const known = new Set(lane.wide.map((w) => `${w.row} ${w.start} ${w.event}`));
  for (let i = 0; i < table.rows; i++) {
    const wide: Wide = {
      row: row[i] ?? 0,
      start: start[i] ?? 0,
      dur: dur[i] ?? 0,
      name: name[i] ?? 0,
      event: event[i] ?? 0,
      channels: channels[i] ?? 0,
      before: before[i] ?? 0,
      after: after[i] ?? 0,
    };
    // A slice over the edge of two frames is in both.
    if (!known.has(`${wide.row} ${wide.start} ${wide.event}`)) lane.wide.push(wide);
  }
}

function tablesOf(id: number, lane: RecordedLane, level: number, request: TileRequest): FrameTable[] {
  const members = { lane: id, level: request.level, first: request.first, count: request.count, max_row: lane.maxRow };
  // How many columns of the request one recorded column is; below 1 when the request is coarser.
  const scale = 2 ** (level - request.level);
  const first = request.first * TILE_COLUMNS;
  const end = first + request.count * TILE_COLUMNS;
  if (lane.counter) return [tableOf("lane", members, counterColumns(lane.counter, scale, first, end))];
  const tables: FrameTable[] = [];
  if (lane.cells) tables.push(tableOf("lane", members, cellColumns(lane.cells, scale, first, end)));
  const columnNs = 2 ** request.level;
  const wide = lane.wide
    .filter((w) => w.dur >= 3 * columnNs && w.start < end * columnNs && w.start + w.dur > first * columnNs)
    .sort((a, b) => a.row - b.row || a.start - b.start);
  tables.push(
    tableOf("slices", { lane: id }, [
      column(
        "row",
        Uint16Array.from(wide, (w) => w.row),
      ),
      column(
        "start_ns",
        Float64Array.from(wide, (w) => w.start),
      ),
      column(
        "dur_ns",
        Float64Array.from(wide, (w) => w.dur),
      ),
      column(
        "name",
        Uint32Array.from(wide, (w) => w.name),
      ),
      column(
        "event",
        Float64Array.from(wide, (w) => w.event),
      ),
      column(
        "channels",
        Uint8Array.from(wide, (w) => w.channels),
      ),
      column(
        "overhead_before_ns",
        Float32Array.from(wide, (w) => w.before),
      ),
      column(
        "overhead_after_ns",
        Float32Array.from(wide, (w) => w.after),
      ),
    ]),
  );
  return tables;
}

interface Cell {
  row: number;
  column: number;
  span: number;
  busy: number;
  count: number;
  name: number;
  event: number;
  channels: number;
  // Busy of the slice that gave name and event.
  most: number;
}

function cellColumns(cells: Cells, scale: number, first: number, end: number): Column[] {
  const out: Cell[] = [];
  // Columns that several cells share, by row and column.
  const shared = new Map<number, Cell>();
  const cellOf = (i: number, at: number, span: number, busy: number, starts: boolean): Cell => ({
    row: cells.row[i] ?? 0,
    column: at - first,
    span,
    busy,
    count: starts ? (cells.count[i] ?? 1) : 1,
    name: cells.name[i] ?? 0,
    event: cells.event[i] ?? 0,
    channels: cells.channels[i] ?? 0,
    most: busy,
  });
  // One piece of a coarser column joins what is there already.
  const join = (next: Cell, starts: boolean) => {
    const key = next.row * 4_294_967_296 + next.column;
    const known = shared.get(key);
    if (!known) {
      shared.set(key, next);
      out.push(next);
      return;
    }
    known.busy += next.busy;
    known.channels |= next.channels;
    if (starts) known.count += next.count;
    if (next.most > known.most) {
      known.most = next.most;
      known.name = next.name;
      known.event = next.event;
    }
  };
  for (let i = 0; i < cells.column.length; i++) {
    const span = cells.span[i] ?? 1;
    const from = (cells.column[i] ?? 0) * scale;
    const to = from + span * scale;
    if (to <= first || from >= end) continue;
    const busy = cells.busy[i] ?? 0;
    if (scale >= 1) {
      const [begin, stop] = span === 1 && scale > 1 ? within(cells, i, from, to) : [from, to];
      const [a, b] = [Math.max(begin, first), Math.min(stop, end)];
      if (b > a) out.push(cellOf(i, a, b - a, (busy * (b - a)) / (stop - begin), a === begin));
      continue;
    }
    const share = busy / (to - from);
    const part = (at: number, length: number, starts: boolean) => {
      if (at >= first && at < end) join(cellOf(i, at, 1, share * length, starts), starts);
    };
    // The columns that this cell fills alone stay one run, as the server gives it.
    const runFrom = Math.ceil(from);
    const runTo = Math.floor(to);
    if (runTo - runFrom < 2) {
      for (let at = Math.floor(from); at < to; at++) {
        part(at, Math.min(to, at + 1) - Math.max(from, at), at <= from);
      }
      continue;
    }
    if (runFrom > from) part(runFrom - 1, runFrom - from, true);
    const [a, b] = [Math.max(runFrom, first), Math.min(runTo, end)];
    if (b > a) out.push(cellOf(i, a, b - a, share * (b - a), runFrom === from));
    if (runTo < to) part(runTo, to - runTo, false);
  }
  out.sort((a, b) => a.row - b.row || a.column - b.column);
  return [
    column(
      "row",
      Uint16Array.from(out, (c) => c.row),
    ),
    column(
      "column",
      Uint32Array.from(out, (c) => c.column),
    ),
    column(
      "busy",
      Float32Array.from(out, (c) => c.busy),
    ),
    column(
      "count",
      Uint32Array.from(out, (c) => c.count),
    ),
    column(
      "name",
      Uint32Array.from(out, (c) => c.name),
    ),
    column(
      "event",
      Float64Array.from(out, (c) => c.event),
    ),
    column(
      "channels",
      Uint8Array.from(out, (c) => c.channels),
    ),
    column(
      "span",
      Uint32Array.from(out, (c) => c.span),
    ),
  ];
}

// Where the busy part of a recorded column lies in its finer columns: as long as it is busy, against the neighbour that it goes
// on into, else from the column's start. Nothing finer was recorded.
function within(cells: Cells, i: number, from: number, to: number): [number, number] {
  const columnNs = to - from;
  const base = cells.busy[i] ?? 0;
  const goesOn =
    cells.event[i + 1] === cells.event[i] &&
    cells.row[i + 1] === cells.row[i] &&
    cells.column[i + 1] === (cells.column[i] ?? 0) + 1;
  const filled = Math.max(1, Math.min(columnNs, Math.round((base / cells.columnNs) * columnNs)));
  return goesOn ? [to - filled, to] : [from, from + filled];
}

function counterColumns(counter: Counter, scale: number, first: number, end: number): Column[] {
  const found = new Map<number, { low: number; high: number; last: number }>();
  counter.column.forEach((base, i) => {
    const at = Math.floor(base * scale);
    if (at < first || at >= end) return;
    const [low, high, last] = [counter.low[i] ?? 0, counter.high[i] ?? 0, counter.last[i] ?? 0];
    const known = found.get(at - first);
    if (known) {
      known.low = Math.min(known.low, low);
      known.high = Math.max(known.high, high);
      known.last = last;
    } else found.set(at - first, { low, high, last });
  });
  const rows = [...found].sort((a, b) => a[0] - b[0]);
  return [
    column(
      "column",
      Uint32Array.from(rows, ([at]) => at),
    ),
    column(
      "low",
      Float64Array.from(rows, ([, value]) => value.low),
    ),
    column(
      "high",
      Float64Array.from(rows, ([, value]) => value.high),
    ),
    column(
      "last",
      Float64Array.from(rows, ([, value]) => value.last),
    ),
  ];
}

function column(name: string, values: Numbers): Column {
  const storage =
    values instanceof Float64Array
      ? "f64"
      : values instanceof Float32Array
        ? "f32"
        : values instanceof Uint16Array
          ? "u16"
          : values instanceof Uint8Array
            ? "u8"
            : "u32";
  return { name, type: "integer", storage, values, dictionary: null, list: null, exact: false };
}

function tableOf(name: string, members: Record<string, unknown>, columns: Column[]): FrameTable {
  return {
    name,
    rows: columns[0]?.values.length ?? 0,
    columns,
    members,
    column(wanted) {
      const found = columns.find((c) => c.name === wanted);
      if (!found) throw new Error(`table ${name} has no column ${wanted}`);
      return found;
    },
  };
}

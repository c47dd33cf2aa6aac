// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A server inside the page, for tests: lanes of slices, cut into tiles column by column, the slow and plain way. What it does
// not answer rejects with status 500, so that a test that needs it fails.
import { Channel, type Lane, TILE_COLUMNS, type TileRequest, type TraceEvent, type TraceInfo } from "@/engine/api";
import type { Client } from "@/engine/client";
import { type FakeTable, frameBytes } from "@/engine/fake_frame";
import { type Frame, readFrame } from "@/engine/frame";
import { ServerError } from "@/engine/transport";

export interface FakeSlice {
  start: number;
  dur: number;
  name: string;
  before?: number;
  after?: number;
}

export interface FakeLane extends Partial<Lane> {
  title: string;
  // Slices by row, each row sorted and without overlap.
  slices: FakeSlice[][];
}

export class FakeServer {
  readonly names: string[] = [];
  readonly lanes: Lane[];
  readonly kept = new Map<string, unknown>();
  readonly tileRequests: TileRequest[] = [];
  selected = new Set<string>();
  private readonly index = new Map<string, number>();
  private readonly events: TraceEvent[] = [];
  private readonly rows: { lane: number; slices: (FakeSlice & { event: number })[] }[][] = [];

  constructor(
    lanes: FakeLane[],
    readonly infoExtra: Partial<TraceInfo> = {},
  ) {
    this.lanes = lanes.map((lane, id) => {
      const rows = lane.slices.map((slices, row) => ({
        lane: id,
        slices: slices.map((s) => ({ ...s, event: this.event(s, id, row) })),
      }));
      this.rows.push(rows);
      const all = lane.slices.flat();
      return {
        id,
        group: "framework",
        rank: 0,
        part: 0,
        pid: "1",
        tid: String(id),
        device: null,
        stream: null,
        subtitle: "",
        kind: "slices",
        rows: lane.slices.length,
        events: all.length,
        overlap_rows: 0,
        sum_ns: all.reduce((sum, s) => sum + s.dur, 0),
        ...without(lane),
      };
    });
  }

  get end(): number {
    return this.events.reduce((end, e) => Math.max(end, e.start_ns + e.dur_ns), 1);
  }

  client(): Client {
    const refuse = () => Promise.reject(new ServerError(500, "the fake server does not answer this"));
    const answers: Partial<Client> = {
      trace: async (_id, _signal, from = 0) => ({ ...this.info(), names: this.names.slice(from) }),
      lanes: async () => this.lanes,
      tiles: async (_id, request) => this.tiles(request),
      event: async (_id, id) => ({
        ...this.found(id),
        args: {},
        stack: [],
        step: null,
        device: null,
        stream: null,
        correlation: null,
        external_id: null,
        flags: [],
        file_offset: 0,
        file_length: 0,
        json: "{}",
      }),
      hit: async (_id, at) => {
        const touching = this.events.filter(
          (e) => e.lane === at.lane && e.row === at.row && e.start_ns < at.to && e.start_ns + e.dur_ns >= at.from,
        );
        return { event: touching.sort((a, b) => b.dur_ns - a.dur_ns)[0] ?? null, gap: null };
      },
      step: async (_id, request) => {
        const from = "event" in request ? this.found(request.event) : null;
        const lane = from?.lane ?? ("lane" in request ? request.lane : 0);
        const row = from?.row ?? ("row" in request ? request.row : 0);
        const at = from?.start_ns ?? ("at" in request ? request.at : 0);
        const ofRow = this.events.filter((e) => e.lane === lane && e.row === row);
        const next = ofRow.find((e) => e.start_ns > at);
        const previous = [...ofRow].reverse().find((e) => e.start_ns < at);
        const event = { next, previous, first: ofRow[0], last: ofRow[ofRow.length - 1], up: null, down: null }[
          request.dir
        ];
        return { event: event ?? null, gap: null };
      },
      chain: async () => ({ steps: [], arrows: [], arrows_total: 0 }),
      select: async (_id, request) => this.select("box" in request ? request.box : null),
      state: async <T>(key: string) => (this.kept.get(key) as T) ?? null,
      keepState: async (key, value) => {
        this.kept.set(key, value);
      },
    };
    return new Proxy(answers, { get: (target, key) => target[key as keyof Client] ?? refuse }) as Client;
  }

  tiles(request: TileRequest): Frame {
    this.tileRequests.push(request);
    const step = 2 ** request.level;
    const origin = request.first * TILE_COLUMNS * step;
    const total = request.count * TILE_COLUMNS;
    const tables: FakeTable[] = [];
    for (const lane of request.lanes) {
      const entries: number[][] = [];
      const wide: number[][] = [];
      for (const [row, { slices }] of (this.rows[lane] ?? []).entries()) {
        const columns = new Map<
          number,
          {
            busy: number;
            count: number;
            name: number;
            event: number;
            longest: number;
            channels: number;
            whole: boolean;
          }
        >();
        for (const s of slices) {
          if (s.start + s.dur < origin || s.start > origin + total * step) continue;
          const name = this.index.get(s.name) as number;
          const channels = this.channels(s, request);
          if (s.dur >= 3 * step) wide.push([row, s.start, s.dur, name, s.event, channels, s.before ?? 0, s.after ?? 0]);
          const first = Math.max(0, Math.floor((s.start - origin) / step));
          const last = Math.min(total - 1, Math.max(first, Math.ceil((s.start + s.dur - origin) / step) - 1));
          for (let c = first; c <= last; c++) {
            const left = origin + c * step;
            const inside = Math.max(0, Math.min(s.start + s.dur, left + step) - Math.max(s.start, left));
            const old = columns.get(c) ?? {
              busy: 0,
              count: 0,
              name,
              event: s.event,
              longest: -1,
              channels: 0,
              whole: false,
            };
            old.busy += inside;
            old.count++;
            old.channels |= channels;
            if (inside > old.longest)
              Object.assign(old, { name, event: s.event, longest: inside, whole: inside === step });
            columns.set(c, old);
          }
        }
        let open: number[] | null = null;
        for (const [c, e] of [...columns].sort((a, b) => a[0] - b[0])) {
          if (
            open &&
            e.whole &&
            open[6] === 1 &&
            open[5] === e.event &&
            (open[1] as number) + (open[8] as number) === c
          ) {
            open[8] = (open[8] as number) + 1;
            open[2] = (open[2] as number) + e.busy;
            continue;
          }
          open = [row, c, e.busy, e.count, e.name, e.event, e.whole ? 1 : 0, e.channels, 1];
          entries.push(open);
        }
      }
      const at = (list: number[][], i: number) => list.map((e) => e[i] as number);
      tables.push({
        name: "lane",
        members: { lane, level: request.level, first: request.first, count: request.count, max_row: 0 },
        columns: [
          { name: "row", storage: "u16", values: at(entries, 0) },
          { name: "column", storage: "u32", values: at(entries, 1) },
          { name: "busy", storage: "f32", values: at(entries, 2) },
          { name: "count", storage: "u32", values: at(entries, 3) },
          { name: "name", storage: "u32", values: at(entries, 4) },
          { name: "event", storage: "f64", values: at(entries, 5) },
          { name: "channels", storage: "u8", values: at(entries, 7) },
          { name: "span", storage: "u32", values: at(entries, 8) },
        ],
      });
      tables.push({
        name: "slices",
        members: { lane },
        columns: [
          { name: "row", storage: "u16", values: at(wide, 0) },
          { name: "start_ns", values: at(wide, 1) },
          { name: "dur_ns", values: at(wide, 2) },
          { name: "name", storage: "u32", values: at(wide, 3) },
          { name: "event", values: at(wide, 4) },
          { name: "channels", storage: "u8", values: at(wide, 5) },
          { name: "overhead_before_ns", storage: "f32", values: at(wide, 6) },
          { name: "overhead_after_ns", storage: "f32", values: at(wide, 7) },
        ],
      });
    }
    return readFrame(frameBytes(tables));
  }

  private select(box: { lanes: number[]; from: number; to: number } | null): Frame {
    const inside = this.events.filter(
      (e) => box?.lanes.includes(e.lane) && e.start_ns < box.to && e.start_ns + e.dur_ns > box.from,
    );
    const sum = inside.reduce((total, e) => total + e.dur_ns, 0);
    return readFrame(
      frameBytes([{ name: "selection", columns: [{ name: "event", values: inside.map((e) => Number(e.id)) }] }], {
        total: inside.length,
        count: inside.length,
        sum_ns: sum,
        union_ns: sum,
        first_ns: inside[0]?.start_ns ?? 0,
        last_ns: inside[inside.length - 1]?.start_ns ?? 0,
        selection: 1,
      }),
    );
  }

  private channels(s: FakeSlice & { event: number }, request: TileRequest): number {
    const { filter, search } = request;
    const passes = (!filter?.name || s.name.includes(filter.name)) && s.dur >= (filter?.min_ns ?? 0);
    const hit = !!search && s.name.includes(search);
    const selected = !!request.selection && this.selected.has(String(s.event));
    return (passes ? Channel.passes : 0) | (hit ? Channel.hit : 0) | (selected ? Channel.selected : 0);
  }

  private found(id: string): TraceEvent {
    const event = this.events[Number(id)];
    if (!event) throw new ServerError(404, `no event ${id}`);
    return event;
  }

  private event(s: FakeSlice, lane: number, row: number): number {
    if (!this.index.has(s.name)) this.index.set(s.name, this.names.push(s.name) - 1);
    const id = this.events.length;
    this.events.push({
      id: String(id),
      name: s.name,
      category: "cpu_op",
      role: "op",
      lane,
      row,
      start_ns: s.start,
      dur_ns: s.dur,
      part: 0,
    });
    return id;
  }

  private info(): TraceInfo {
    return {
      trace: {
        id: "fake",
        name: "fake",
        path: "/fake",
        kind: "session",
        tick_ps: 1000,
        state: "ready",
        error: null,
        progress: { done: 1, total: 1, text_bytes: 1, events: 1, mb_per_s: 1, left_s: null },
        health: "good",
        health_text: "",
        ledger: { read: 0, kept: 0, repaired: 0, dropped: 0 },
        simulated: null,
      },
      origin: "1700000000000000000",
      begin: 0,
      end: this.end,
      names: this.names,
      names_version: 1,
      devices: [],
      ranks: [0],
      steps: [],
      machine: null,
      parts: [{ path: "/fake", rank: 0, format: "kineto" }],
      ...this.infoExtra,
    };
  }
}

function without({ slices: _slices, ...rest }: FakeLane): Partial<Lane> & { title: string } {
  return rest;
}

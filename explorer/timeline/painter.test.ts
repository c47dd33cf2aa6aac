// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { TILE_COLUMNS, type TileRequest } from "@/engine/api";
import { FakeServer, type FakeSlice } from "@/engine/fake_server";
import { blockOf, TileCache, tileNs } from "@/engine/tiles";
import { RowPainter } from "./painter";
import { colorOfName, DARK, LIGHT, SHADES, ShadeTable } from "./palette";
import { View } from "./view";

// Deterministic noise: the same slices in every run.
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

function noisyRow(seed: number, count: number, length: number): FakeSlice[] {
  const next = random(seed);
  const slices: FakeSlice[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    at += Math.floor(next() ** 4 * (length / count) * 2);
    const dur = Math.floor(next() ** 6 * (length / count) * 2);
    slices.push({ start: at, dur, name: `n${i % 7}` });
    at += dur;
  }
  return slices;
}

function painted(server: FakeServer, lane: number, row: number, view: View, level = view.level): RowPainter {
  const first = Math.floor(view.from / tileNs(level));
  const count = Math.ceil(view.to / tileNs(level)) - first;
  const request: TileRequest = { level, first, count, lanes: [lane] };
  const cache = new TileCache(1e9);
  cache.add(blockOf(server.tiles(request), request, "", 1000));
  const painter = new RowPainter();
  painter.begin(view.width);
  for (const segment of cache.cover(lane, "", level, view.from, view.to)) painter.add(segment, row, view);
  return painter;
}

const sum = (values: ArrayLike<number>) => Array.from(values).reduce((a, b) => a + b, 0);

function wholeView(server: FakeServer, width = 1920): View {
  const view = new View();
  view.width = width;
  view.bounds(0, server.end);
  view.set(view.whole);
  return view;
}

describe("no loss in pictures", () => {
  const slices = noisyRow(1, 4000, 40e6);
  const server = new FakeServer([{ title: "a", slices: [slices] }]);
  const total = slices.reduce((all, s) => all + s.dur, 0);

  test("the pixels of a row hold the row's busy time when the whole is shown", () => {
    for (const width of [333, 1280, 1920, 3840]) {
      const painter = painted(server, 0, 0, wholeView(server, width));
      expect(sum(painter.busy) / total).toBeCloseTo(1, 5);
    }
  });

  test("and also when the picture is made from coarser or finer tiles than wanted", () => {
    const view = wholeView(server);
    for (const shift of [-2, -1, 1, 3]) {
      expect(sum(painted(server, 0, 0, view, view.level + shift).busy) / total).toBeCloseTo(1, 5);
    }
  });

  test("at every zoom the pixels hold what lies inside the view, but for the columns cut at its two edges", () => {
    const view = wholeView(server, 1000);
    for (let zoom = 0; zoom < 12; zoom++) {
      view.zoom(377, 0.5);
      const inside = slices.reduce(
        (all, s) => all + Math.max(0, Math.min(s.start + s.dur, view.to) - Math.max(s.start, view.from)),
        0,
      );
      const difference = Math.abs(sum(painted(server, 0, 0, view).busy) - inside);
      expect(difference).toBeLessThanOrEqual(2 * 2 ** view.level + inside * 1e-5);
    }
  });

  test("no pixel with an event in it is empty, none without one is painted", () => {
    const view = wholeView(server);
    const painter = painted(server, 0, 0, view);
    const has = new Uint8Array(view.width);
    for (const s of slices) {
      const last = Math.ceil(view.x(s.start + Math.max(s.dur, 1)));
      for (let p = Math.floor(view.x(s.start)); p < last; p++) has[p] = 1;
    }
    for (let p = 1; p < view.width - 1; p++) {
      const near = has[p - 1] || has[p] || has[p + 1];
      if (has[p]) expect(painter.name[p - 1] !== -1 || painter.name[p] !== -1 || painter.name[p + 1] !== -1).toBe(true);
      if (painter.name[p] !== -1) expect(near).toBeTruthy();
    }
  });

  test("a slice of 1 ns in a trace of 40 s is visible at fit zoom", () => {
    const tiny = new FakeServer([
      {
        title: "a",
        slices: [
          [
            { start: 0, dur: 1, name: "first" },
            { start: 23e9, dur: 1, name: "tiny" },
            { start: 40e9 - 1, dur: 1, name: "last" },
          ],
        ],
      },
    ]);
    const view = wholeView(tiny);
    const painter = painted(tiny, 0, 0, view);
    const out = new Uint32Array(view.width);
    const colors = Uint8Array.from(tiny.names, colorOfName);
    for (const theme of [LIGHT, DARK]) {
      const table = new ShadeTable(theme);
      painter.compose(out, 0, table, view.nsPerPixel, new Uint8Array(view.width), colors, false);
      const visible = Array.from(out.keys()).filter((p) => out[p] !== table.empty[0]);
      expect(visible.length).toBeGreaterThanOrEqual(3);
      const p = Math.floor(view.x(23e9));
      expect(visible.some((v) => Math.abs(v - p) <= 1)).toBe(true);
      expect(contrast(out[visible[0] as number] as number, table.empty[0])).toBeGreaterThan(20);
    }
  });

  test("an event without duration is visible", () => {
    const instant = new FakeServer([
      {
        title: "a",
        slices: [
          [
            { start: 0, dur: 1e9, name: "x" },
            { start: 15e8, dur: 0, name: "instant" },
            { start: 2e9, dur: 1e9, name: "x" },
          ],
        ],
      },
    ]);
    const view = wholeView(instant);
    const painter = painted(instant, 0, 0, view);
    const p = Math.floor(view.x(15e8));
    const name = instant.names.indexOf("instant");
    expect([painter.name[p - 1], painter.name[p], painter.name[p + 1]]).toContain(name);
  });
});

test("a collapsed lane shows all of its rows in one", () => {
  const rows = [noisyRow(2, 300, 1e6), noisyRow(3, 300, 1e6)];
  const server = new FakeServer([{ title: "a", slices: rows }]);
  const view = wholeView(server);
  const both = sum(painted(server, 0, 0, view).busy) + sum(painted(server, 0, 1, view).busy);
  expect(sum(painted(server, 0, -1, view).busy) / both).toBeCloseTo(1, 5);
});

test("tiles beside each other make the same pixels as one answer", () => {
  const server = new FakeServer([{ title: "a", slices: [noisyRow(4, 3000, 3e6)] }]);
  const view = wholeView(server, 1700);
  view.zoom(600, 0.4);
  const level = view.level;
  const first = Math.floor(view.from / tileNs(level));
  const end = Math.ceil(view.to / tileNs(level));
  const cache = new TileCache(1e9);
  for (let i = first; i < end; i++) {
    const request = { level, first: i, count: 1, lanes: [0] };
    cache.add(blockOf(server.tiles(request), request, "", 1000));
  }
  const pieces = new RowPainter();
  pieces.begin(view.width);
  for (const segment of cache.cover(0, "", level, view.from, view.to)) pieces.add(segment, 0, view);
  const whole = painted(server, 0, 0, view);
  expect(end - first).toBeGreaterThan(2);
  for (let p = 0; p < view.width; p++) expect(pieces.busy[p]).toBeCloseTo(whole.busy[p] as number, 0);
});

test("denser is darker on a light page, for every colour", () => {
  const table = new ShadeTable(LIGHT);
  for (let color = 0; color < 24; color++) {
    const at = (shade: number) => table.pixels[color * SHADES + shade] as number;
    expect(contrast(at(SHADES - 1), table.empty[0])).toBeGreaterThan(contrast(at(10), table.empty[0]));
  }
});

test("names that differ in numbers only have the same colour", () => {
  expect(colorOfName("layer.3.weight")).toBe(colorOfName("layer.41.weight"));
  expect(
    new Set(["aten::mul", "aten::add", "aten::mm", "nc_exec_running", "Memcpy HtoD"].map(colorOfName)).size,
  ).toBeGreaterThan(3);
});

test("what does not pass the filter steps back; hits and selected ones are never faint", () => {
  const server = new FakeServer([
    {
      title: "a",
      slices: [
        [
          { start: 0, dur: 1, name: "keep" },
          { start: 5e8, dur: 1, name: "other" },
          { start: 1e9, dur: 1, name: "keep" },
        ],
      ],
    },
  ]);
  const view = wholeView(server);
  const level = view.level;
  const request: TileRequest = {
    level,
    first: 0,
    count: Math.ceil(1e9 / tileNs(level)) + 1,
    lanes: [0],
    search: "keep",
  };
  const cache = new TileCache(1e9);
  cache.add(blockOf(server.tiles(request), request, "", 1));
  const painter = new RowPainter();
  painter.begin(view.width);
  for (const segment of cache.cover(0, "", level, view.from, view.to)) painter.add(segment, 0, view);
  const table = new ShadeTable(LIGHT);
  const out = new Uint32Array(view.width);
  painter.compose(
    out,
    0,
    table,
    view.nsPerPixel,
    new Uint8Array(view.width),
    Uint8Array.from(server.names, colorOfName),
    true,
  );
  const strongest = (ns: number) => {
    const p = Math.floor(view.x(ns));
    return Math.max(...[p - 1, p, p + 1].map((q) => contrast(out[q] ?? table.empty[0], table.empty[0])));
  };
  expect(strongest(0)).toBeGreaterThan(2 * strongest(5e8));
  expect(strongest(5e8)).toBeGreaterThan(0);
  expect(TILE_COLUMNS).toBe(512);
});

function contrast(a: number, b: number): number {
  return [0, 8, 16].reduce((all, shift) => all + Math.abs(((a >> shift) & 255) - ((b >> shift) & 255)), 0);
}

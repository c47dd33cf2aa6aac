// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { TileRequest } from "@/engine/api";
import { FakeServer } from "@/engine/fake_server";
import { nearPart, TileLoader, visiblePart, type Wish } from "@/engine/tile_loader";
import { type Block, blockOf, TileCache, tileNs } from "@/engine/tiles";
import { ServerError } from "@/engine/transport";

function block(level: number, first: number, count: number, lanes: number[], key = "", bytes = 100): Block {
  const empty = { columns: null, slices: null, counter: null };
  const size = tileNs(level);
  return {
    key,
    level,
    from: first * size,
    to: (first + count) * size,
    lanes: new Map(lanes.map((lane) => [lane, empty])),
    bytes,
    used: 0,
  };
}

function wish(extra: Partial<Wish> = {}): Wish {
  const size = tileNs(3);
  return {
    lanes: [1, 2],
    level: 3,
    from: 10 * size,
    to: 12 * size,
    begin: 0,
    end: 1000 * size,
    key: "",
    params: {},
    ...extra,
  };
}

describe("cover", () => {
  test("takes the wanted level where it is, the nearest elsewhere, without overlap", () => {
    const cache = new TileCache(1e6);
    cache.add(block(5, 0, 4, [1]));
    cache.add(block(3, 2, 1, [1]));
    const size = tileNs(3);
    const got = cache.cover(1, "", 3, 0, 8 * size).sort((a, b) => a.from - b.from);
    expect(got.map((s) => [s.block.level, s.from / size, s.to / size])).toEqual([
      [5, 0, 2],
      [3, 2, 3],
      [5, 3, 8],
    ]);
  });

  test("prefers tiles of the present key at any level over old ones", () => {
    const cache = new TileCache(1e6);
    cache.add(block(3, 0, 1, [1], "old"));
    cache.add(block(5, 0, 1, [1], "new"));
    expect(cache.cover(1, "new", 3, 0, tileNs(3))[0]?.block.key).toBe("new");
  });

  test("old tiles are better than none", () => {
    const cache = new TileCache(1e6);
    cache.add(block(3, 0, 1, [1], "old"));
    expect(cache.cover(1, "new", 3, 0, tileNs(3))).toHaveLength(1);
  });

  test("tiles much finer than wanted are not used: they would cost too much a frame", () => {
    const cache = new TileCache(1e6);
    cache.add(block(0, 0, 1, [1]));
    expect(cache.cover(1, "", 9, 0, tileNs(0))).toHaveLength(0);
  });
});

test("the cache holds its limit and drops what was not used longest", () => {
  const cache = new TileCache(1000);
  for (let i = 0; i < 10; i++) cache.add(block(3, i, 1, [1]));
  cache.cover(1, "", 3, 0, tileNs(3));
  for (let i = 10; i < 15; i++) cache.add(block(3, i, 1, [1]));
  expect(cache.bytes).toBeLessThanOrEqual(1000);
  expect(cache.missing(1, "", 3, 0, 1)).toBeNull();
  expect(cache.missing(1, "", 3, 1, 2)).toEqual([1, 2]);
});

describe("requests", () => {
  test("one request for all lanes that lack something, only for what they lack", () => {
    const cache = new TileCache(1e6);
    cache.add(block(3, 10, 1, [1]));
    expect(visiblePart(wish(), cache)).toEqual({ level: 3, first: 10, count: 2, lanes: [1, 2] });
    cache.add(block(3, 10, 2, [2]));
    expect(visiblePart(wish(), cache)).toEqual({ level: 3, first: 11, count: 1, lanes: [1] });
  });

  test("then the neighbours, then the level that a zoom out needs, then nothing", () => {
    const cache = new TileCache(1e6);
    const asked: TileRequest[] = [];
    for (;;) {
      const request = visiblePart(wish(), cache) ?? nearPart(wish(), cache);
      if (!request) break;
      asked.push(request);
      cache.add(block(request.level, request.first, request.count, request.lanes));
    }
    expect(asked.map((r) => [r.level, r.first, r.count])).toEqual([
      [3, 10, 2],
      [3, 8, 6],
      [5, 1, 3],
    ]);
  });

  test("nothing outside of the trace is asked for", () => {
    const size = tileNs(3);
    const request = visiblePart(wish({ from: -5 * size, to: 2 * size, begin: 0, end: size }), new TileCache(1e6));
    expect(request).toMatchObject({ first: 0, count: 1 });
  });

  test("another filter is another key: the same tiles are asked for again", () => {
    const cache = new TileCache(1e6);
    cache.add(block(3, 10, 2, [1, 2]));
    const request = visiblePart(wish({ key: "mul", params: { filter: { name: "mul" } } }), cache);
    expect(request).toMatchObject({ first: 10, count: 2, filter: { name: "mul" } });
  });
});

test("a cache too small for view and neighbours does not make the loader ask for ever", async () => {
  const server = new FakeServer([{ title: "a", slices: [[{ start: 0, dur: 1e6, name: "x" }]] }]);
  const cache = new TileCache(1);
  const loader = new TileLoader(
    server.client(),
    "fake",
    cache,
    () => loader.want(wish({ lanes: [0] })),
    () => {},
  );
  loader.want(wish({ lanes: [0] }));
  await new Promise((done) => setTimeout(done, 300));
  expect(loader.requests).toBeGreaterThan(1);
  expect(loader.requests).toBeLessThanOrEqual(6);
  loader.stop();
});

test("a request that fails is told and does not stop the next wish", async () => {
  const server = new FakeServer([{ title: "a", slices: [[{ start: 0, dur: 1e6, name: "x" }]] }]);
  const client = { ...server.client(), tiles: () => Promise.reject(new ServerError(410, "the file is gone")) };
  const told: string[] = [];
  const loader = new TileLoader(
    client,
    "fake",
    new TileCache(1e6),
    () => {},
    (failure) => told.push(failure.message),
  );
  loader.want(wish({ lanes: [0] }));
  await new Promise((done) => setTimeout(done, 10));
  loader.want(wish({ lanes: [0], level: 4 }));
  await new Promise((done) => setTimeout(done, 10));
  expect(told).toEqual(["the file is gone", "the file is gone"]);
  loader.stop();
});

test("a tile whose rows are not sorted is refused, not painted wrong", () => {
  const server = new FakeServer([
    { title: "a", slices: [[{ start: 0, dur: 9, name: "x" }], [{ start: 0, dur: 9, name: "y" }]] },
  ]);
  const request = { level: 0, first: 0, count: 1, lanes: [0] };
  const frame = server.tiles(request);
  frame.tables[0]?.column("row").values.reverse();
  expect(() => blockOf(frame, request, "", 1)).toThrow("not sorted");
});

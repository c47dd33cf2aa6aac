// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FakeServer, type FakeSlice } from "@/engine/fake_server";
import { blockOf, TileCache, tileNs } from "@/engine/tiles";
import { NOTHING_ARRANGED } from "./arrangement";
import type { Row } from "./labels";
import { layout } from "./layout";
import { sliceAt } from "./locate";

function row(slices: FakeSlice[], level: number): { row: Row; server: FakeServer } {
  const server = new FakeServer([{ title: "a", slices: [slices] }]);
  const count = Math.ceil(server.end / tileNs(level));
  const request = { level, first: 0, count, lanes: [0] };
  const cache = new TileCache(1e9);
  cache.add(blockOf(server.tiles(request), request, "", 1));
  const strip = layout(server.lanes, NOTHING_ARRANGED).shown[0];
  const lane = server.lanes[0];
  if (!strip || !lane) throw new Error("no lane");
  const segments = cache.cover(0, "", level, 0, count * tileNs(level));
  return { row: { place: { strip, y: 0, clip: 0 }, lane, row: 0, top: 0, size: 18, lines: 1, segments }, server };
}

const slices = [
  { start: 1000, dur: 500, name: "wide" },
  { start: 1500, dur: 400, name: "next" },
  { start: 9000, dur: 1, name: "tiny" },
];

test("a wide slice is known exactly, with its id", () => {
  const made = row(slices, 3);
  expect(sliceAt(made.row, 1499, 2)).toMatchObject({ id: "0", from: 1000, to: 1500, exact: true });
  expect(sliceAt(made.row, 1501, 2)).toMatchObject({ id: "1", exact: true });
});

test("a narrow one is known by its column, within reach of the pointer", () => {
  const made = row(slices, 5);
  expect(sliceAt(made.row, 9010, 64)).toMatchObject({ id: "2", exact: false });
  expect(sliceAt(made.row, 5000, 64)).toBeNull();
});

test("between two slices the nearer one is meant", () => {
  const made = row(slices, 2);
  expect(sliceAt(made.row, 1905, 20)).toMatchObject({ id: "1" });
});

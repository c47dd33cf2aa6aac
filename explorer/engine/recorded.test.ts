// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { fakeFrame, fakeTable } from "@/engine/fake_table";
import type { Frame } from "@/engine/frame";
import { keyOf, recordedClient } from "@/engine/recorded";
import { RecordedTiles } from "@/engine/recorded_tiles";

// Level 4 (16 ns), from tile 1 (8192 ns): slice 1 from 8200 to 8400, slice 2 from 8400 to 8406, slice 3 of 1 ns at 9000.
const recorded = () =>
  new RecordedTiles([
    fakeFrame([
      fakeTable(
        "lane",
        [
          { row: 0, column: 0, busy: 8, count: 1, name: 1, event: 1, channels: 1, span: 1 },
          { row: 0, column: 1, busy: 192, count: 1, name: 1, event: 1, channels: 1, span: 12 },
          { row: 0, column: 13, busy: 6, count: 1, name: 2, event: 2, channels: 3, span: 1 },
          { row: 0, column: 50, busy: 1, count: 1, name: 3, event: 3, channels: 1, span: 1 },
        ],
        {},
        { lane: 7, level: 4, first: 1, count: 48, max_row: 0 },
      ),
      fakeTable(
        "slices",
        [
          {
            row: 0,
            start_ns: 8200,
            dur_ns: 200,
            name: 1,
            event: 1,
            channels: 1,
            overhead_before_ns: 0,
            overhead_after_ns: 0,
          },
        ],
        {},
        { lane: 7 },
      ),
    ]),
  ]);

const cells = (frame: Frame) => {
  const table = frame.table("lane");
  return Array.from({ length: table.rows }, (_, row) =>
    Object.fromEntries(table.columns.map((column) => [column.name, column.values[row]])),
  );
};
const sum = (frame: Frame) => cells(frame).reduce((total, cell) => total + Number(cell.busy), 0);

describe("tiles of a report", () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 8, 11, 14])("keep the sum of a row at level %i", (level) => {
    const size = 512 * 2 ** level;
    const frame = recorded().tiles({ level, first: 0, count: Math.ceil(20_000 / size), lanes: [7] });
    expect(sum(frame)).toBeCloseTo(207, 3);
  });
  it("lose nothing at an edge between two requests", () => {
    const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((first) =>
      recorded().tiles({ level: 1, first, count: 1, lanes: [7] }),
    );
    expect(all.reduce((total, frame) => total + sum(frame), 0)).toBeCloseTo(207, 3);
  });
  it("give a coarse column to its longest slice, with the channels of all", () => {
    const [first] = cells(recorded().tiles({ level: 8, first: 0, count: 1, lanes: [7] }));
    expect(first).toMatchObject({ column: 32, name: 1, event: 1, channels: 3, span: 1 });
    expect(first?.busy).toBeCloseTo(206, 3);
  });
  it("keep runs of one slice as one cell", () => {
    const run = cells(recorded().tiles({ level: 5, first: 0, count: 1, lanes: [7] })).find((cell) => cell.span !== 1);
    expect(run).toMatchObject({ column: 257, span: 5, busy: 160 });
  });
  it("show a slice of 1 ns at every zoom, and wide slices with their exact times", () => {
    for (const level of [0, 4, 9, 14]) {
      const frame = recorded().tiles({ level, first: 0, count: Math.ceil(20_000 / (512 * 2 ** level)), lanes: [7] });
      const at = Math.floor(9000 / 2 ** level);
      expect(cells(frame).some((c) => Number(c.column) <= at && at <= Number(c.column) + Number(c.span) + 8)).toBe(
        true,
      );
    }
    const slices = recorded()
      .tiles({ level: 4, first: 0, count: 2, lanes: [7] })
      .table("slices");
    expect([slices.rows, slices.column("start_ns").values[0], slices.column("dur_ns").values[0]]).toEqual([
      1, 8200, 200,
    ]);
    expect(
      recorded()
        .tiles({ level: 7, first: 0, count: 1, lanes: [7] })
        .table("slices").rows,
    ).toBe(0);
  });
});

describe("a report", () => {
  const client = recordedClient({
    schema: 1,
    title: "t",
    answers: {
      "GET api/trace/a/event/5": { json: { id: "5" } },
      'POST api/trace/a/table/ops {"by":["module"],"top":3}': { json: 1 },
    },
    tiles: {},
  });
  it("gives what was recorded, and says what was not", async () => {
    expect(await client.event("a", "5")).toEqual({ id: "5" });
    await expect(client.event("a", "6")).rejects.toThrow("does not hold that");
    await expect(client.search("a", { text: "x" })).rejects.toThrow("open the trace itself");
  });
  it("knows the same question in another order of its members", () => {
    expect(keyOf("POST", "x", { b: [1, { d: 1, c: 2 }], a: undefined })).toBe('POST x {"b":[1,{"c":2,"d":1}]}');
  });
});

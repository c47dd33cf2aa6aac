// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { columnsOf, type Source } from "@/widgets/table/columns";
import { filterRows, groupRows, sortRows, sumOf } from "@/widgets/table/order";
import { csv, tsv } from "@/widgets/table/text";
import { nextSort, viewOf } from "@/widgets/table/view";
import { rowWindow, scrollTo } from "@/widgets/table/window";

const names = ["aten::mul", "aten::add", 'a,"b"'];
const source: Source = {
  name: "ops",
  rows: 4,
  columns: [
    {
      name: "name",
      type: "text",
      storage: "dict",
      values: Uint32Array.from([0, 1, 2, 0xffffffff]),
      dictionary: names,
      list: null,
    },
    {
      name: "calls",
      type: "count",
      storage: "i32",
      values: Int32Array.from([3, 1, -2147483648, 7]),
      dictionary: null,
      list: null,
    },
    {
      name: "dur_ns",
      type: "ns",
      storage: "f64",
      values: Float64Array.from([1500, 2_000_000, Number.NaN, 10]),
      dictionary: null,
      list: null,
    },
    {
      name: "max_ns",
      type: "ns",
      storage: "f64",
      values: Float64Array.from([1, 2, 3, 4]),
      dictionary: null,
      list: null,
    },
    {
      name: "event",
      type: "event",
      storage: "f64",
      values: Float64Array.from([5, 3 * 2 ** 32 + 9, 6, 7]),
      dictionary: null,
      list: null,
    },
    {
      name: "evidence",
      type: "events",
      storage: "lists",
      values: Uint32Array.from([2, 2, 3, 7]),
      dictionary: null,
      list: Float64Array.from([1, 2, 3, 4, 5, 6, 7]),
    },
  ],
};
const columns = columnsOf(source, []);
const by = (name: string) => {
  const found = columns.find((column) => column.name === name);
  if (!found) throw new Error(name);
  return found;
};
const all = () => Uint32Array.from([0, 1, 2, 3]);

describe("rows of a table", () => {
  it("sorts numbers and texts, null last either way, equal rows in their order", () => {
    const rows = all();
    sortRows(rows, by("calls"), true);
    expect([...rows]).toEqual([3, 0, 1, 2]);
    sortRows(rows, by("calls"), false);
    expect([...rows]).toEqual([1, 0, 3, 2]);
    sortRows(rows, by("name"), false);
    expect([...rows]).toEqual([2, 1, 0, 3]);
    sortRows(rows, by("name"), true);
    expect([...rows]).toEqual([0, 1, 2, 3]);
    sortRows(rows, by("evidence"), true);
    expect([...rows]).toEqual([3, 0, 2, 1]);
  });
  it("filters by words and by comparisons with units", () => {
    const found = (text: string) => [...filterRows(source, columns, text)];
    expect(found("ATEN")).toEqual([0, 1]);
    expect(found("aten mul")).toEqual([0]);
    expect(found("dur_ns>1us")).toEqual([0, 1]);
    expect(found("dur_ns>1us calls<2")).toEqual([1]);
    expect(found("name=aten::add")).toEqual([1]);
    expect(found("nothing")).toEqual([]);
    expect(found("unknown>3")).toEqual([]);
    expect(found("")).toEqual([0, 1, 2, 3]);
  });
  it("groups by text, ordered by the sum of the sorted column", () => {
    const groups = groupRows(all(), by("name"), by("dur_ns"), true);
    expect(groups.map((group) => [group.key, [...group.rows]])).toEqual([
      ["aten::add", [1]],
      ["aten::mul", [0]],
      ["", [3]],
      ['a,"b"', [2]],
    ]);
  });
  it("adds up only what adds up", () => {
    expect(sumOf(by("dur_ns"), all())).toBe(2_001_510);
    expect(by("dur_ns").additive).toBe(true);
    expect(by("max_ns").additive).toBe(false);
    expect(by("event").additive).toBe(false);
  });
  it("writes text that other programs read: whole ns, ids of parts, quotes", () => {
    const some = [by("name"), by("dur_ns"), by("event")];
    expect(csv(some, all())).toBe('name,dur_ns,event\naten::mul,1500,5\naten::add,2000000,3:9\n"a,""b""",,6\n,10,7\n');
    expect(tsv(some, [1])).toBe("name\tdur_ns\tevent\naten::add\t2000000\t3:9\n");
  });
});

describe("view of a table", () => {
  it("opens only the groups that were opened", () => {
    const opened = new Set(["aten::mul"]);
    const view = viewOf(source, columns, { group: "name", sort: null }, "", opened, null);
    expect([...view.entries]).toEqual([-1, 0, -2, -3, -4]);
  });
  it("hides what has no hint once there are hints", () => {
    const hinted = columnsOf(source, [{ name: "calls" }, { name: "gone" }, { name: "name" }]);
    const view = viewOf(source, hinted, {}, "", new Set(), { column: "calls", falling: true });
    expect(view.columns.map((column) => column.name)).toEqual(["calls", "name"]);
    expect([...view.entries]).toEqual([3, 0, 1, 2]);
  });
  it("goes from the first order to the other and back to none", () => {
    const first = nextSort(null, by("dur_ns"));
    const second = nextSort(first, by("dur_ns"));
    expect([first?.falling, second?.falling, nextSort(second, by("dur_ns"))]).toEqual([true, false, null]);
    expect(nextSort(first, by("name"))).toEqual({ column: "name", falling: false });
  });
});

describe("window of rows", () => {
  it("holds what is in view and a few more", () => {
    expect(rowWindow(1000, 26, 2600, 260, 2)).toEqual({ height: 26000, first: 98, end: 112, top: 2548 });
  });
  it("reaches every row of ten million, though no element may be that tall", () => {
    const rows = 10_000_000;
    const last = rowWindow(rows, 26, 8_000_000 - 500, 500);
    expect(last.height).toBe(8_000_000);
    expect(last.end).toBe(rows);
    for (const row of [0, 123_456, 9_999_999]) {
      const top = scrollTo(row, rows, 26, 4_000_000, 500);
      const view = rowWindow(rows, 26, top, 500, 1);
      expect(view.first).toBeLessThanOrEqual(row);
      expect(view.end).toBeGreaterThan(row);
    }
  });
  it("does not scroll for a row that is in view", () => {
    expect(scrollTo(5, 100, 26, 0, 260)).toBe(0);
  });
});

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { columnsOf, type Source } from "@/widgets/table/columns";
import { cut } from "@/widgets/table/cut";
import { filterTrouble, rowTest } from "@/widgets/table/filter";
import { type Opened, type TableInputs, TableModel } from "@/widgets/table/model";
import { sortKey } from "@/widgets/table/sort_key";
import { csv, tsv } from "@/widgets/table/text";
import type { Order } from "@/widgets/table/view";

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
const all = [0, 1, 2, 3];

const START: TableInputs = { source, columns, layout: {}, sort: null, text: "", opened: {} };
// What the table shows: row numbers, heads of groups by their text.
function shown(model: TableModel, more: Partial<TableInputs>) {
  const view = model.update({ ...START, ...more });
  return Array.from({ length: view.entries }, (_, place) => {
    const row = model.entry(place);
    return row && (row.getIsGrouped() ? `${row.groupingValue}` : model.numberOf(row));
  });
}
const sorted = (column: string, falling: boolean) => shown(new TableModel(), { sort: { column, falling } });

describe("rows of a table", () => {
  it("sorts numbers and texts, null last either way, equal rows in their order", () => {
    expect(sorted("calls", true)).toEqual([3, 0, 1, 2]);
    expect(sorted("calls", false)).toEqual([1, 0, 3, 2]);
    expect(sorted("name", false)).toEqual([2, 1, 0, 3]);
    expect(sorted("name", true)).toEqual([0, 1, 2, 3]);
    expect(sorted("evidence", true)).toEqual([3, 0, 2, 1]);
    expect(sorted("gone", true)).toEqual(all);
  });
  it("filters by words and by comparisons with units", () => {
    const model = new TableModel();
    const found = (text: string) => shown(model, { text });
    expect(found("ATEN")).toEqual([0, 1]);
    expect(found("aten mul")).toEqual([0]);
    expect(found("dur_ns>1us")).toEqual([0, 1]);
    expect(found("dur_ns>1us calls<2")).toEqual([1]);
    expect(found("name=aten::add")).toEqual([1]);
    expect(found("nothing")).toEqual([]);
    expect(found("unknown>3")).toEqual([]);
    expect(found(" ")).toEqual(all);
  });
  it("groups by text, ordered by the sum of the sorted column", () => {
    const layout = { group: "name", sort: { column: "dur_ns", falling: true } };
    expect(shown(new TableModel(), { layout })).toEqual(["aten::add", "aten::mul", "", 'a,"b"']);
  });
  it("orders groups by their first row where sums mean nothing, either way", () => {
    const some: Source = {
      name: "spans",
      rows: 4,
      columns: [
        { ...by("name").values, values: Uint32Array.from([0, 1, 1, 0]) },
        { ...by("max_ns").values, values: Float64Array.from([4, 3, 2, 1]) },
      ],
    };
    const model = new TableModel();
    const opened = { "name:aten::mul": true };
    const groups = (falling: boolean) =>
      shown(model, {
        source: some,
        columns: columnsOf(some, []),
        layout: { group: "name", sort: { column: "max_ns", falling } },
        opened,
      });
    expect(groups(true)).toEqual(["aten::mul", 0, 3, "aten::add"]);
    expect(groups(false)).toEqual(["aten::mul", 3, 0, "aten::add"]);
    expect(model.rows()).toEqual([3, 0, 2, 1]);
  });
  it("adds up only what adds up, of what passes the filter", () => {
    const model = new TableModel();
    model.update(START);
    expect(model.sum(by("dur_ns"))).toBe(2_001_510);
    model.update({ ...START, text: "aten" });
    expect(model.sum(by("dur_ns"))).toBe(2_001_500);
    model.update({ ...START, layout: { group: "dur_ns", sort: null } });
    const group = model.entry(0);
    expect(group && [model.sum(by("dur_ns"), group), model.sum(by("calls"), group)]).toEqual([1500, 3]);
    expect(by("dur_ns").additive).toBe(true);
    expect(by("max_ns").additive).toBe(false);
    expect(by("event").additive).toBe(false);
  });
  it("opens only the groups that were opened, and keeps them open", () => {
    const model = new TableModel();
    let opened: Opened = {};
    model.onOpened = (next) => {
      opened = next;
    };
    const layout = { group: "name", sort: null };
    model.update({ ...START, layout });
    model.entry(0)?.toggleExpanded();
    expect(shown(model, { layout, opened })).toEqual(["aten::mul", 0, "aten::add", 'a,"b"', ""]);
    expect(shown(model, { layout, opened, text: "aten" })).toEqual(["aten::mul", 0, "aten::add"]);
  });
  it("hides what has no hint once there are hints, and follows the reader's choice", () => {
    const hinted = columnsOf(source, [{ name: "calls" }, { name: "gone" }, { name: "name" }]);
    const model = new TableModel();
    const names = (layout: TableInputs["layout"]) =>
      model.update({ ...START, columns: hinted, layout }).columns.map((column) => column.name);
    expect(names({})).toEqual(["calls", "name"]);
    expect(names({ columns: ["dur_ns", "gone", "calls"] })).toEqual(["dur_ns", "calls"]);
  });
  it("goes from the first order to the other and back to none", () => {
    const model = new TableModel();
    const next = (column: string, sort: Order | null) => {
      let order: Order | null = null;
      model.onSort = (to) => {
        order = to;
      };
      model.update({ ...START, layout: { sort } });
      model.sortNext(by(column));
      return order;
    };
    const first = next("dur_ns", null);
    const second = next("dur_ns", first);
    expect([first, second, next("dur_ns", second)]).toEqual([
      { column: "dur_ns", falling: true },
      { column: "dur_ns", falling: false },
      null,
    ]);
    expect(next("name", first)).toEqual({ column: "name", falling: false });
  });
  it("lets go of its rows, and has them again when asked", () => {
    const model = new TableModel();
    const layout = { sort: { column: "calls", falling: true } };
    shown(model, { layout });
    model.release();
    expect([model.entry(0), model.rows()]).toEqual([undefined, []]);
    expect(shown(model, { layout })).toEqual([3, 0, 1, 2]);
  });
  it("takes another table in place of the one before", () => {
    const model = new TableModel();
    shown(model, { sort: { column: "calls", falling: true } });
    const other: Source = {
      name: "few",
      rows: 2,
      columns: [{ ...by("calls").values, values: Int32Array.from([1, 2]) }],
    };
    const inputs = { source: other, columns: columnsOf(other, []), sort: { column: "calls", falling: true } };
    expect(shown(model, inputs)).toEqual([1, 0]);
  });
});

describe("a table that is too long", () => {
  const some = (falling: boolean, key = sortKey(by("calls")), text = "") =>
    cut(4, rowTest(columns, text), key, falling, 2);
  it("holds what comes first in its order", () => {
    expect([...some(true).rows]).toEqual([0, 3]);
    expect([...some(false).rows]).toEqual([0, 1]);
    expect([...some(true, sortKey(by("name"))).rows]).toEqual([0, 1]);
    expect([...cut(4, () => true, null, true, 2).rows]).toEqual([0, 1]);
  });
  it("counts what passes the filter, and leaves out nothing that has room", () => {
    expect(some(true).passing).toBe(4);
    expect(some(true, sortKey(by("calls")), "aten")).toEqual({ rows: Uint32Array.from([0, 1]), passing: 2 });
  });
  it("has room for some of those that stand at the same place", () => {
    expect([
      ...cut(
        4,
        () => true,
        () => 1,
        true,
        3,
      ).rows,
    ]).toEqual([0, 1, 2]);
    expect([
      ...cut(
        4,
        () => true,
        () => Number.NaN,
        true,
        3,
      ).rows,
    ]).toEqual([0, 1, 2]);
  });
  it("shows the same rows at its top as if it held all", () => {
    const count = 301;
    const long: Source = {
      name: "launches",
      rows: count,
      columns: [
        { ...by("dur_ns").values, values: Float64Array.from({ length: count }, (_, row) => (row * 79) % count) },
      ],
    };
    const model = new TableModel(200);
    const inputs = { ...START, source: long, columns: columnsOf(long, []), sort: { column: "dur_ns", falling: true } };
    const view = model.update(inputs);
    expect([view.held, view.passing]).toEqual([200, count]);
    const longest = model.rows().slice(0, 3);
    expect(longest.map((row) => (row * 79) % count)).toEqual([count - 1, count - 2, count - 3]);
    const few = model.update({ ...inputs, text: "dur_ns<3" });
    expect([few.held, few.passing]).toEqual([3, 3]);
  });
});

describe("text of a table", () => {
  it("is what other programs read: whole ns, ids of parts, quotes", () => {
    const some = [by("name"), by("dur_ns"), by("event")];
    expect(csv(some, all)).toBe('name,dur_ns,event\naten::mul,1500,5\naten::add,2000000,3:9\n"a,""b""",,6\n,10,7\n');
    expect(tsv(some, [1])).toBe("name\tdur_ns\tevent\naten::add\t2000000\t3:9\n");
  });
});

describe("what a filter cannot mean", () => {
  it("is said when it names a column that is not there", () => {
    expect(filterTrouble(columns, "mul nope>3")).toMatch(/^No column is called nope\. There are: name, calls, /);
    expect(filterTrouble(columns, "mul calls>3")).toBeNull();
    expect(filterTrouble(columns, "aten::mul")).toBeNull();
  });
});

describe("words for short names in the data", () => {
  const worded = columnsOf(source, [{ name: "name", words: { "aten::mul": "multiply" } }]);
  it("are shown and found, and are not what is copied", () => {
    const [column] = worded;
    if (!column) throw new Error("no column");
    expect(tsv([column], [0, 1])).toContain("aten::mul");
    expect(all.filter(rowTest(worded, "multiply"))).toEqual([0]);
    expect(all.filter(rowTest(worded, "aten::mul"))).toEqual([0]);
  });
});

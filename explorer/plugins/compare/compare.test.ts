// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { fakeTable } from "@/engine/fake_table";
import { cell } from "@/engine/frame";
import { shortNames } from "@/plugins/compare";
import { signed } from "@/plugins/compare/explain";
import { rowsOfSide } from "@/plugins/compare/operators";

describe("compare", () => {
  it("takes the rows of one side with texts, numbers and nulls as they were", () => {
    const table = fakeTable("rows", [
      { side: "B", status: "replaced", a_ops: "aten::mul, aten::mean", delta_ns: -10, a_event: 5 },
      { side: "C", status: "same", a_ops: null, delta_ns: 3, a_event: null },
      { side: "B", status: "only_a", a_ops: "aten::add", delta_ns: null, a_event: 7 },
    ]);
    const some = rowsOfSide(table, "B");
    expect(some.rows).toBe(2);
    const values = (name: string) => [0, 1].map((row) => cell(some.column(name), row));
    expect(values("status")).toEqual(["replaced", "only_a"]);
    expect(values("a_ops")).toEqual(["aten::mul, aten::mean", "aten::add"]);
    expect(values("delta_ns")).toEqual([-10, null]);
    expect(cell(rowsOfSide(table, "C").column("a_ops"), 0)).toBeNull();
  });
  it("names sides by the part of the path in which all differ", () => {
    const paths = ["/o/rmsnorm/eager/i-1/a", "/o/rmsnorm/fused/i-1/b", "/o/rmsnorm/compiled/i-1/c"];
    expect(shortNames(["x", "y", "z"], paths)).toEqual(["eager", "fused", "compiled"]);
    const runs = ["/o/i-0a_pid_1/20261130_1", "/o/i-0a_pid_2/20261130_2"];
    expect(shortNames(["x", "y"], runs)).toEqual(["20261130_1", "20261130_2"]);
    expect(shortNames(["t.json", "t.json"], ["/a/t.json", "/a/t.json"])).toEqual(["t.json", "t.json (2)"]);
  });
  it("signs differences", () => {
    expect([signed(1500), signed(-1500), signed(0)]).toEqual(["+1.50 µs", "−1.50 µs", "0 ns"]);
  });
});

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { fakeTable } from "@/engine/fake_table";
import { rowsOf } from "@/engine/rows";
import { idleCores, partsOf } from "@/plugins/device_summary/engines";
import { sumOfParts } from "@/widgets/stacked_bar";

it("the parts of an engine's bar are the whole, to the picosecond", () => {
  const reasons = { data: 11, dma: 13, queue: 17, buffer_free: 19, order: 23, pipeline: 29, other: 31 };
  const stall = Object.values(reasons).reduce((a, b) => a + b, 0);
  const row = {
    engine: "vector",
    busy_ps: 1000,
    idle_ps: 500,
    stall_ps: stall,
    whole_ps: 1500 + stall,
    ...Object.fromEntries(Object.entries(reasons).map(([name, value]) => [`reasons.${name}_ps`, value])),
  };
  const [only] = rowsOf(fakeTable("engines", [row]));
  if (!only) throw new Error("one row");
  expect(sumOfParts(partsOf(only))).toBe(row.whole_ps);
});

it("a core that did nothing is told in words, unless no core did anything", () => {
  const rows = (busy: number[]) =>
    rowsOf(
      fakeTable(
        "engines",
        busy.map((busy_ps, i) => ({ core: i >> 1, busy_ps })),
      ),
    );
  expect(idleCores(rows([5, 0, 0, 0]))).toEqual([1]);
  expect(idleCores(rows([0, 0, 0, 0]))).toEqual([]);
});

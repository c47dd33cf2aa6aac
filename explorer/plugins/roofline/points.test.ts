// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { fakeTable } from "@/engine/fake_table";
import type { FrameTable } from "@/engine/frame";
import {
  along,
  axesOf,
  baselines,
  ceilingsOf,
  drawable,
  pointOfRun,
  pointsOf,
  radiusOf,
} from "@/plugins/roofline/points";

const point = (name: string, flop_per_byte: number, gflop_per_s: number, time_ps: number) => ({
  level: "opcode",
  name,
  flop_per_byte,
  gflop_per_s,
  time_ps,
  bound: "memory",
  headroom: 2,
  sentence: "memory bound",
});
const ceiling = (name: string, kind: string, value: number) => ({ name, kind, value, unit: "x", source: "machine" });
const points = pointsOf(
  fakeTable("points", [point("mul", 0.25, 40, 4e6), point("copy", Number.NaN, 0, 1e6)]) as FrameTable,
);
const ceilings = ceilingsOf(
  fakeTable("ceilings", [
    ceiling("tensor bfloat16", "compute", 9e13),
    ceiling("tensor float16", "compute", 9e13),
    ceiling("hbm", "memory", 4e11),
    ceiling("launch overhead", "overhead", 1e-5),
  ]) as FrameTable,
);

describe("roofline", () => {
  it("draws what has an intensity and a rate, and lists the rest", () => {
    expect(points.map(drawable)).toEqual([true, false]);
    expect(points[1]?.time).toBe(1e6);
  });
  it("makes one line of equal ceilings and none of the overhead", () => {
    expect(ceilings.map((c) => [c.name, c.value, c.strong])).toEqual([
      ["tensor bfloat16, tensor float16", 90000, true],
      ["hbm", 400, true],
    ]);
  });
  it("shows every point and the corner of the roof", () => {
    const { x, y } = axesOf(points, ceilings);
    for (const [axis, value] of [
      [x, 0.25],
      [x, 90000 / 400],
      [y, 40],
      [y, 90000],
    ] as const) {
      expect(along(axis, value)).toBeGreaterThan(0);
      expect(along(axis, value)).toBeLessThan(1);
    }
    expect(along(x, 10 ** x.low)).toBe(0);
    expect(along(x, 10 ** x.high)).toBe(1);
  });
  it("knows the point of a run, and of a DMA that an instruction ordered", () => {
    const two = pointsOf(fakeTable("points", [point("vector mul", 1, 1, 1), point("sync dma_copy", 1, 1, 1)]));
    expect(pointOfRun(two, { engine: "vector", opcode: "mul" })?.row).toBe(0);
    expect(pointOfRun(two, { queue: "q", ordered_by: { engine: "sync", opcode: "dma_copy" } })?.row).toBe(1);
    expect(pointOfRun(two, { engine: "scalar", opcode: "mul" })).toBeNull();
  });
  it("writes no name upon another", () => {
    expect(baselines([100, 101, 102, 200])).toEqual([96, 113, null, 196]);
  });
  it("gives a point an area by its time", () => {
    const [first, second] = points;
    if (!first || !second) throw new Error("two points");
    expect(radiusOf(first, 4e6)).toBe(18);
    expect(radiusOf(second, 4e6)).toBe(11.5);
  });
});

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { Arrow } from "@/engine/api";
import { frameBytes } from "@/engine/fake_frame";
import { readFrame } from "@/engine/frame";
import { arrowAt, arrowsOf, cull } from "./arrows";

function arrow(from: number, to: number, fromLane = 0, toLane = 1): Arrow {
  return {
    kind: "launch",
    from: { lane: fromLane, row: 0, at: from, event: "1" },
    to: { lane: toLane, row: 0, at: to, event: "2" },
    method: "correlation",
    confidence: 1,
  };
}

const screen = { width: 1000, height: 500 };
const x = (ns: number) => ns;
const place = (end: { lane: number }) => (end.lane === 9 ? null : { top: 100 + end.lane * 100, size: 0 });

describe("culling", () => {
  test("at most so many, taken from the whole span", () => {
    const many = Array.from({ length: 5000 }, (_, i) => arrow(i / 5, i / 5 + 3, 0, 1 + (i % 3)));
    const kept = cull(many, screen, x, place, 400);
    expect(kept).toHaveLength(400);
    expect(Math.min(...kept.map((a) => a.x0))).toBeLessThan(50);
    expect(Math.max(...kept.map((a) => a.x0))).toBeGreaterThan(950);
  });

  test("arrows on the same pixels are one", () => {
    expect(cull([arrow(10, 20), arrow(10.2, 20.1), arrow(50, 60)], screen, x, place, 400)).toHaveLength(2);
  });

  test("arrows beside the screen and of hidden lanes are not drawn; one that crosses the screen is", () => {
    const beside = [arrow(-50, -10), arrow(1100, 1200), arrow(10, 20, 9, 1)];
    expect(cull(beside, screen, x, place, 400)).toHaveLength(0);
    expect(cull([arrow(-500, 1500)], screen, x, place, 400)).toHaveLength(1);
  });
});

test("the arrow under the pointer is found on its curve, not beside it", () => {
  const [drawn] = cull([arrow(100, 600)], screen, x, place, 10);
  if (!drawn) throw new Error("not drawn");
  expect(arrowAt([drawn], 350, 150, 5, 1)).toBe(drawn);
  expect(arrowAt([drawn], 350, 190, 5, 1)).toBeNull();
});

test("a frame of arrows is read with its ends", () => {
  const bytes = frameBytes([
    {
      name: "arrows",
      columns: [
        { name: "from_lane", storage: "u32", values: [3] },
        { name: "from_row", storage: "u16", values: [1] },
        { name: "from_ns", values: [100] },
        { name: "to_lane", storage: "u32", values: [4] },
        { name: "to_row", storage: "u16", values: [0] },
        { name: "to_ns", values: [250] },
        { name: "kind", storage: "u32", values: [0] },
        { name: "method", storage: "u32", values: [0] },
        { name: "confidence", values: [0.5] },
      ],
    },
  ]);
  const frame = readFrame(bytes);
  for (const name of ["kind", "method"]) {
    const column = frame.table("arrows").column(name);
    column.storage = "dict";
    column.dictionary = [name === "kind" ? "autograd" : "sequence"];
  }
  expect(arrowsOf(frame)).toEqual([
    {
      kind: "autograd",
      from: { lane: 3, row: 1, at: 100, event: "" },
      to: { lane: 4, row: 0, at: 250, event: "" },
      method: "sequence",
      confidence: 0.5,
    },
  ]);
});

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { fakeTable } from "@/engine/fake_table";
import { boxesOf, callTree, pathTo, wholeOf } from "@/plugins/flame/call_tree";
import { step } from "@/plugins/flame/flame";
import { openAlong, rowsOf } from "@/plugins/flame/tree_table";

//  thread 100: forward 80 (mul 50, add 20), backward 20
const tree = callTree(
  fakeTable(
    "nodes",
    [
      { name: "thread", depth: 0, parent: null, start_ns: 0, total_ns: 100, self_ns: 0, calls: 1, event: null },
      { name: "forward", depth: 1, parent: 0, start_ns: 0, total_ns: 80, self_ns: 10, calls: 2, event: 7 },
      { name: "add", depth: 2, parent: 1, start_ns: 0, total_ns: 20, self_ns: 20, calls: 4, event: 8 },
      { name: "mul", depth: 2, parent: 1, start_ns: 20, total_ns: 50, self_ns: 50, calls: 9, event: 9 },
      { name: "backward", depth: 1, parent: 0, start_ns: 80, total_ns: 20, self_ns: 20, calls: 2, event: 10 },
    ],
    { event: "event" },
  ),
  [],
);

describe("call tree", () => {
  it("knows callers and callees, the costliest first", () => {
    expect([...tree.children(-1)]).toEqual([0]);
    expect([...tree.children(1)]).toEqual([3, 2]);
    expect(pathTo(tree, 2)).toEqual([0, 1, 2]);
    expect(wholeOf(tree)).toBe(100);
  });
  it("lays children inside their parent, side by side, and leaves out what cannot be seen", () => {
    const boxes = boxesOf(tree, -1, 0);
    for (const box of boxes) {
      const parent = boxes.find((b) => b.node === tree.parent[box.node]);
      if (!parent) continue;
      expect(box.from).toBeGreaterThanOrEqual(parent.from - 1e-12);
      expect(box.to).toBeLessThanOrEqual(parent.to + 1e-12);
    }
    expect(boxes.find((box) => box.node === 3)).toMatchObject({ depth: 2, from: 0, to: 0.5 });
    expect(boxesOf(tree, -1, 0.3).map((box) => box.node)).toEqual([0, 1, 3]);
  });
  it("gives the zoomed node the whole width", () => {
    const [first, second] = boxesOf(tree, 1, 0);
    expect(first).toMatchObject({ node: 1, depth: 0, from: 0, to: 1 });
    expect(second).toMatchObject({ node: 3, to: 50 / 80 });
  });
  it("walks by arrows", () => {
    const boxes = boxesOf(tree, -1, 0);
    expect(step(boxes, tree, 0, "ArrowDown")).toBe(1);
    expect(step(boxes, tree, 1, "ArrowRight")).toBe(4);
    expect(step(boxes, tree, 3, "ArrowUp")).toBe(1);
    expect(step(boxes, tree, 0, "ArrowUp")).toBe(0);
    expect(step(boxes, tree, 0, "x")).toBeNull();
  });
  it("opens the way of most time, and finds names with all their callers", () => {
    expect([...openAlong(tree)]).toEqual([0, 1, 3]);
    expect(rowsOf(tree, new Set([0]), "")).toEqual([0, 1, 4]);
    expect(rowsOf(tree, new Set(), "add")).toEqual([0, 1, 2]);
  });
});

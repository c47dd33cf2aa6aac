// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tree of calls as numbers: typed columns, children lists, and which box lies where.
import type { FrameTable } from "@/engine/frame";

export interface CallTree {
  count: number;
  name(node: number): string;
  depth: ArrayLike<number>;
  // -1 at the top.
  parent: Int32Array;
  start: ArrayLike<number>;
  total: ArrayLike<number>;
  self: ArrayLike<number>;
  calls: ArrayLike<number>;
  // NaN when the node stands for several.
  event: ArrayLike<number>;
  // Children of a node, the costliest first; `children(-1)` are the roots.
  children(node: number): readonly number[];
  deepest: number;
}

export function callTree(table: FrameTable, names: readonly string[]): CallTree {
  const count = table.rows;
  const column = (name: string) => table.column(name).values;
  const nameColumn = table.column("name");
  const given = column("parent");
  const total = column("total_ns");
  const depth = column("depth");
  const parent = new Int32Array(count);
  const lists = new Map<number, number[]>();
  let deepest = 0;
  for (let node = 0; node < count; node++) {
    const up = given[node];
    // No parent comes as null in whichever form the storage has.
    const above = up === undefined || Number.isNaN(up) || up < 0 || up >= count || up === node ? -1 : up;
    parent[node] = above;
    const list = lists.get(above);
    if (list) list.push(node);
    else lists.set(above, [node]);
    deepest = Math.max(deepest, depth[node] ?? 0);
  }
  for (const list of lists.values()) list.sort((a, b) => (total[b] ?? 0) - (total[a] ?? 0) || a - b);
  const none: readonly number[] = [];
  return {
    count,
    name: (node) => {
      const code = nameColumn.values[node] ?? -1;
      return (nameColumn.dictionary ? nameColumn.dictionary[code] : names[code]) ?? "?";
    },
    depth,
    parent,
    start: column("start_ns"),
    total,
    self: column("self_ns"),
    calls: column("calls"),
    event: column("event"),
    children: (node) => lists.get(node) ?? none,
    deepest,
  };
}

// From the root down to `node`.
export function pathTo(tree: CallTree, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = tree.parent[at] ?? -1) path.unshift(at);
  return path;
}

// The sum of the roots: what the whole width stands for.
export function wholeOf(tree: CallTree): number {
  return tree.children(-1).reduce((sum, node) => sum + (tree.total[node] ?? 0), 0);
}

export interface Box {
  node: number;
  depth: number;
  // Shares of the width.
  from: number;
  to: number;
}

// Boxes of `zoomed` and all below it that are at least `least` of the width wide, laid out side by side from the left: a child
// inside its parent, the costliest first.
export function boxesOf(tree: CallTree, zoomed: number, least: number): Box[] {
  const boxes: Box[] = [];
  const roots = zoomed < 0 ? tree.children(-1) : [zoomed];
  const whole = zoomed < 0 ? wholeOf(tree) : (tree.total[zoomed] ?? 0);
  if (!(whole > 0)) return boxes;
  const place = (nodes: readonly number[], from: number, depth: number) => {
    let at = from;
    for (const node of nodes) {
      const width = (tree.total[node] ?? 0) / whole;
      if (width >= least) {
        boxes.push({ node, depth, from: at, to: at + width });
        place(tree.children(node), at, depth + 1);
      }
      at += width;
    }
  };
  place(roots, 0, 0);
  return boxes;
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The call tree as an indented table: arrows walk it, right opens a node and left closes it.
import { useMemo, useRef, useState } from "preact/hooks";
import { count, inUnit, percent, unitOf } from "@/base/units";
import { type CallTree, pathTo, wholeOf } from "@/plugins/flame/call_tree";
import { useRowWindow } from "@/widgets/row_window";

const ROW = 26;

interface TreeProps {
  tree: CallTree;
  label: string;
  search: string;
  onShow(node: number): void;
}

export function TreeTable({ tree, label, search, onShow }: TreeProps) {
  const first = useMemo(() => openAlong(tree), [tree]);
  const [change, setChange] = useState<{ tree: CallTree; open: ReadonlySet<number> } | null>(null);
  const opened = change?.tree === tree ? change.open : first;
  const [at, setAt] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const needle = search.trim().toLowerCase();
  const rows = useMemo(() => rowsOf(tree, opened, needle), [tree, opened, needle]);
  const whole = wholeOf(tree);
  const unit = unitOf("ns", whole);
  const now = Math.min(at, rows.length - 1);
  const inView = useRowWindow(scroller, rows.length, ROW, ROW);

  const toggle = (node: number, open?: boolean) => {
    const next = new Set(opened);
    const want = open ?? !next.has(node);
    if (want) next.add(node);
    else next.delete(node);
    setChange({ tree, open: next });
  };
  const go = (to: number) => {
    const row = Math.max(0, Math.min(rows.length - 1, to));
    setAt(row);
    if (row >= 0) inView.show(row);
  };
  const key = (event: KeyboardEvent) => {
    const node = rows[now];
    if (node === undefined) return;
    const parent = tree.parent[node] ?? -1;
    if (event.key === "ArrowDown") go(now + 1);
    else if (event.key === "ArrowUp") go(now - 1);
    else if (event.key === "PageDown") go(now + 15);
    else if (event.key === "PageUp") go(now - 15);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(rows.length - 1);
    else if (event.key === "ArrowRight") {
      if (opened.has(node)) go(now + 1);
      else toggle(node, true);
    } else if (event.key === "ArrowLeft") {
      if (opened.has(node) && tree.children(node).length > 0) toggle(node, false);
      else if (parent >= 0) go(rows.indexOf(parent));
    } else if (event.key === "Enter") onShow(node);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="tree"
      ref={scroller}
      role="treegrid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={now >= 0 ? `tree-${rows[now]}` : undefined}
      tabIndex={0}
      onKeyDown={key}
    >
      <div class="tree-head" role="row">
        <div role="columnheader">name</div>
        <div role="columnheader" class="number">
          total · {unit.label}
        </div>
        <div role="columnheader" class="number">
          share
        </div>
        <div role="columnheader" class="number">
          self · {unit.label}
        </div>
        <div role="columnheader" class="number">
          calls
        </div>
      </div>
      <div class="tree-rows" role="rowgroup" style={{ height: `${inView.height}px` }}>
        {inView.items.map(({ index: row, start }) => {
          const node = rows[row] ?? 0;
          const inside = tree.children(node).length > 0;
          const depth = tree.depth[node] ?? 0;
          const total = tree.total[node] ?? 0;
          const hit = needle !== "" && tree.name(node).toLowerCase().includes(needle);
          return (
            <div
              key={node}
              id={`tree-${node}`}
              role="row"
              tabIndex={-1}
              class={`tree-row${row === now ? " active" : ""}${hit ? " hit" : ""}`}
              aria-level={depth + 1}
              aria-expanded={inside ? opened.has(node) : undefined}
              aria-selected={row === now}
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => {
                setAt(row);
                if (inside) toggle(node);
              }}
              onDblClick={() => onShow(node)}
              onKeyDown={() => undefined}
            >
              <div role="gridcell" class="clip" title={tree.name(node)} style={{ paddingLeft: `${12 + depth * 14}px` }}>
                <span class="tree-sign">{inside ? (opened.has(node) ? "▾" : "▸") : ""}</span>
                {tree.name(node)}
              </div>
              <div role="gridcell" class="number">
                {inUnit(total, unit)}
              </div>
              <div role="gridcell" class="number cell bar" style={{ "--share": `${(total / whole) * 100}%` }}>
                {percent(total / whole)}
              </div>
              <div role="gridcell" class="number">
                {inUnit(tree.self[node] ?? 0, unit)}
              </div>
              <div role="gridcell" class="number">
                {count(tree.calls[node] ?? 0)}
              </div>
            </div>
          );
        })}
      </div>
    </div>
  );
}

// The way of most time is open at first: down while one child holds more than half of its parent.
export function openAlong(tree: CallTree): ReadonlySet<number> {
  const open = new Set<number>();
  let nodes = tree.children(-1);
  if (nodes.length > 1) return open;
  for (let deep = 0; deep < 40; deep++) {
    const heavy = nodes[0];
    if (heavy === undefined) return open;
    open.add(heavy);
    nodes = tree.children(heavy);
    const next = nodes[0];
    if (next === undefined || (tree.total[next] ?? 0) * 2 < (tree.total[heavy] ?? 0)) return open;
  }
  return open;
}

// Nodes whose callers are all open; with a search, what holds the text and all above it.
export function rowsOf(tree: CallTree, opened: ReadonlySet<number>, needle: string): number[] {
  let wanted: Set<number> | null = null;
  if (needle !== "") {
    wanted = new Set();
    for (let node = 0; node < tree.count; node++) {
      if (tree.name(node).toLowerCase().includes(needle)) for (const up of pathTo(tree, node)) wanted.add(up);
    }
  }
  const rows: number[] = [];
  const stack = [...tree.children(-1)].reverse();
  while (stack.length > 0) {
    const node = stack.pop() ?? 0;
    if (wanted && !wanted.has(node)) continue;
    rows.push(node);
    if (!wanted && !opened.has(node)) continue;
    const inside = tree.children(node);
    for (let i = inside.length - 1; i >= 0; i--) stack.push(inside[i] ?? 0);
  }
  return rows;
}

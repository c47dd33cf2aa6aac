// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The flame graph on a canvas. Pointer: hover tells, click zooms. Keys: arrows go from box to box, Enter zooms, Escape zooms
// out; what the keyboard stands on is said in words below.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { dark } from "@/base/theme";
import { count, percent, time } from "@/base/units";
import { type Box, boxesOf, type CallTree, pathTo, wholeOf } from "@/plugins/flame/call_tree";

const ROW = 20;

interface FlameProps {
  tree: CallTree;
  zoomed: number;
  search: string;
  onZoom(node: number): void;
  onShow(node: number): void;
}

export function Flame({ tree, zoomed, search, onZoom, onShow }: FlameProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  const [at, setAt] = useState(-1);
  const [hover, setHover] = useState(-1);
  const boxes = useMemo(() => boxesOf(tree, zoomed, 0.7 / width), [tree, zoomed, width]);
  const height = Math.max(ROW, (boxes.reduce((deep, box) => Math.max(deep, box.depth), 0) + 1) * ROW);
  const isDark = dark.value;

  useEffect(() => {
    const box = holder.current;
    if (!box) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(100, box.clientWidth)));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  // A tree of another question has other nodes.
  useEffect(() => {
    setAt(-1);
    setHover(-1);
  }, [tree]);
  useEffect(() => {
    if (canvas.current) paint(canvas.current, tree, boxes, width, height, { at, hover, search, isDark });
  }, [tree, boxes, width, height, at, hover, search, isDark]);

  const boxAt = (event: MouseEvent): number => {
    const area = canvas.current?.getBoundingClientRect();
    if (!area) return -1;
    const depth = Math.floor((event.clientY - area.top) / ROW);
    const x = (event.clientX - area.left) / width;
    return boxes.find((box) => box.depth === depth && box.from <= x && x < box.to)?.node ?? -1;
  };
  const key = (event: KeyboardEvent) => {
    const next = step(boxes, tree, at < 0 ? (boxes[0]?.node ?? -1) : at, event.key);
    if (event.key === "Escape" && zoomed >= 0) onZoom(tree.parent[zoomed] ?? -1);
    else if (event.key === "Enter" && at >= 0) onZoom(at);
    else if (event.key === " " && at >= 0) onShow(at);
    else if (next !== null) setAt(next);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const told = hover >= 0 ? hover : at;
  return (
    <div class="flame">
      <div class="flame-scroll" ref={holder}>
        <canvas
          ref={canvas}
          class="flame-canvas"
          tabIndex={0}
          role="img"
          aria-label="Flame graph. Arrow keys go from box to box, Enter zooms, Escape zooms out. The call tree shows the same as a table."
          style={{ height: `${height}px` }}
          onPointerMove={(event) => setHover(boxAt(event))}
          onPointerLeave={() => setHover(-1)}
          onClick={(event) => {
            const node = boxAt(event);
            if (node < 0) return;
            setAt(node);
            onZoom(node === zoomed ? (tree.parent[node] ?? -1) : node);
          }}
          onKeyDown={key}
        />
      </div>
      <p class="flame-told" role="status">
        {told >= 0 ? (
          <Told tree={tree} node={told} />
        ) : (
          <span class="muted">{boxes.length} boxes. Click one to zoom in.</span>
        )}
      </p>
    </div>
  );
}

function Told({ tree, node }: { tree: CallTree; node: number }) {
  const total = tree.total[node] ?? 0;
  return (
    <>
      <strong class="clip">{tree.name(node)}</strong>
      <span>{time(total)}</span>
      <span class="muted">
        {percent(total / wholeOf(tree))} · self {time(tree.self[node] ?? 0)} · {count(tree.calls[node] ?? 0)} calls
      </span>
    </>
  );
}

// Where an arrow leads: up to the caller, down to the costliest callee that is drawn, beside it.
export function step(boxes: readonly Box[], tree: CallTree, at: number, key: string): number | null {
  const here = boxes.find((box) => box.node === at);
  if (!here) return boxes[0]?.node ?? null;
  const drawn = new Set(boxes.map((box) => box.node));
  if (key === "ArrowDown") return tree.children(at).find((child) => drawn.has(child)) ?? at;
  if (key === "ArrowUp") {
    const up = tree.parent[at] ?? -1;
    return drawn.has(up) ? up : at;
  }
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const row = boxes.filter((box) => box.depth === here.depth).sort((a, b) => a.from - b.from);
    const i = row.indexOf(here) + (key === "ArrowRight" ? 1 : -1);
    return row[i]?.node ?? at;
  }
  if (key === "Home") return pathTo(tree, at)[0] ?? at;
  return null;
}

interface Paint {
  at: number;
  hover: number;
  search: string;
  isDark: boolean;
}

function paint(
  canvas: HTMLCanvasElement,
  tree: CallTree,
  boxes: readonly Box[],
  width: number,
  height: number,
  on: Paint,
) {
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const draw = canvas.getContext("2d");
  if (!draw) return;
  draw.scale(scale, scale);
  draw.clearRect(0, 0, width, height);
  draw.font = "12px Inter, 'Segoe UI', system-ui, sans-serif";
  draw.textBaseline = "middle";
  const needle = on.search.trim().toLowerCase();
  for (const box of boxes) {
    const x = Math.round(box.from * width);
    const w = Math.max(1, Math.round(box.to * width) - x - 1);
    const y = box.depth * ROW;
    const name = tree.name(box.node);
    const dim = needle !== "" && !name.toLowerCase().includes(needle);
    draw.fillStyle = colorOf(name, on.isDark, dim);
    draw.fillRect(x, y, w, ROW - 1);
    if (box.node === on.at || box.node === on.hover) {
      draw.strokeStyle = on.isDark ? "#ffffff" : "#16191d";
      draw.lineWidth = 1.5;
      draw.strokeRect(x + 0.75, y + 0.75, Math.max(1, w - 1.5), ROW - 2.5);
    }
    if (w < 26) continue;
    draw.fillStyle = on.isDark ? (dim ? "#8b919b" : "#eef0f3") : dim ? "#70757d" : "#16191d";
    const text = cutText(draw, name, w - 10);
    if (text !== "") draw.fillText(text, x + 5, y + ROW / 2);
  }
}

// Names are cut at their end; those of kernels begin with what tells them apart.
function cutText(draw: CanvasRenderingContext2D, text: string, room: number): string {
  if (draw.measureText(text).width <= room) return text;
  let cut = Math.floor((room / draw.measureText(text).width) * text.length);
  while (cut > 1 && draw.measureText(`${text.slice(0, cut)}…`).width > room) cut--;
  return cut > 1 ? `${text.slice(0, cut)}…` : "";
}

// Hue by what a name is (module, operator, Python, other), lightness by a stable hash, so that neighbours differ.
export function colorOf(name: string, isDark: boolean, dim: boolean): string {
  if (dim) return isDark ? "#25292f" : "#e9e9e6";
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  const shade = ((hash >>> 0) % 7) - 3;
  const [hue, color] = name.startsWith("nn.Module")
    ? [222, 46]
    : /^[a-z_0-9]+::/i.test(name)
      ? [166, 36]
      : /\.py\(|^<|built-in/.test(name)
        ? [42, 40]
        : [210, 12];
  return isDark ? `hsl(${hue} ${color * 0.6}% ${31 + shade * 1.6}%)` : `hsl(${hue} ${color}% ${84 + shade * 1.5}%)`;
}

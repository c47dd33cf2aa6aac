// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Dependency arrows: those of the chain in front, and on demand all that touch the visible span. More than can be read are
// culled, and the number is told.
import { type Arrow, type ArrowEnd, TILE_COLUMNS, type Trace } from "@/engine/api";
import { cell, eventIdText, type Frame } from "@/engine/frame";
import type { Theme } from "./palette";

export type Kind = Arrow["kind"];

export interface DrawnArrow {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  arrow: Arrow;
}

// What a screen of arrows can hold and an eye can tell apart.
export const MOST_ARROWS = 400;
// Asked from the server: some of them fall on the same pixels.
export const ASKED_ARROWS = 4 * TILE_COLUMNS;

export const KIND_TEXT: Record<Kind, string> = {
  launch: "launch",
  runtime: "framework call",
  autograd: "forward → backward",
  graph: "graph launch → replay",
  semaphore: "set a semaphore → waited for it",
  trigger: "instruction → the DMA that it ordered",
  queue: "DMA → the next one of its queue",
  engine: "result in the engine's own pipeline",
};

// Those that such a trace can have.
export function kindsOf(trace: Trace["kind"]): Kind[] {
  const ofDevice: Kind[] = ["semaphore", "trigger", "queue", "engine"];
  return (Object.keys(KIND_TEXT) as Kind[]).filter((kind) => ofDevice.includes(kind) === (trace === "device"));
}

export function arrowsOf(frame: Frame): Arrow[] {
  const table = frame.table("arrows");
  const of = (name: string) => table.column(name);
  const text = (name: string, row: number) => String(cell(of(name), row) ?? "");
  const ends = { from: end("from"), to: end("to") };
  function end(side: "from" | "to"): (row: number) => ArrowEnd {
    const [lane, row, at] = [of(`${side}_lane`).values, of(`${side}_row`).values, of(`${side}_ns`).values];
    const event = table.columns.find((c) => c.name === `${side}_event`)?.values;
    return (i) => ({
      lane: lane[i] as number,
      row: row[i] as number,
      at: at[i] as number,
      event: event ? eventIdText(event[i] as number) : "",
    });
  }
  const arrows: Arrow[] = [];
  for (let i = 0; i < table.rows; i++) {
    const confidence = cell(of("confidence"), i);
    arrows.push({
      kind: text("kind", i) as Kind,
      from: ends.from(i),
      to: ends.to(i),
      method: text("method", i),
      confidence: typeof confidence === "number" ? confidence : String(confidence ?? ""),
    });
  }
  return arrows;
}

// The arrows to draw: those that cross the screen, one of each bundle that lies on the same pixels, at most `most`, taken
// evenly. `place` gives a row in pixels, null when its lane is not shown. An arrow goes from edge to edge, beside the names.
export function cull(
  arrows: Arrow[],
  screen: { width: number; height: number },
  x: (ns: number) => number,
  place: (end: ArrowEnd) => { top: number; size: number } | null,
  most: number,
): DrawnArrow[] {
  const seen = new Set<number>();
  // Four numbers of 13 bits in one; what is further off the screen lies at its edge.
  const bits = (value: number) => Math.min(8191, Math.max(0, Math.round(value) + 2048));
  const kept: DrawnArrow[] = [];
  for (const arrow of arrows) {
    const from = place(arrow.from);
    const to = place(arrow.to);
    if (!from || !to) continue;
    const down = to.top >= from.top;
    const y0 = down ? from.top + from.size - 1 : from.top;
    const y1 = down ? to.top : to.top + to.size - 1;
    const x0 = x(arrow.from.at);
    const x1 = x(arrow.to.at);
    if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > screen.width) continue;
    if (Math.max(y0, y1) < 0 || Math.min(y0, y1) > screen.height) continue;
    const bundle = ((bits(x0 / 3) * 8192 + bits(x1 / 3)) * 8192 + bits(y0)) * 8192 + bits(y1);
    if (seen.has(bundle)) continue;
    seen.add(bundle);
    kept.push({ x0, y0, x1, y1, arrow });
  }
  if (kept.length <= most) return kept;
  return Array.from({ length: most }, (_, i) => kept[Math.floor((i * kept.length) / most)] as DrawnArrow);
}

const DEVICE_LIGHT = { semaphore: "#c02a58", trigger: "#0b62d6", queue: "#6b6f76", engine: "#8a3fc0" };
const DEVICE_DARK = { semaphore: "#ff8fb0", trigger: "#7cb4ff", queue: "#a3a8b0", engine: "#d09bff" };

export function kindColor(kind: Kind, theme: Theme): string {
  const light = { launch: "#0b62d6", runtime: "#0f7f78", autograd: "#8a3fc0", graph: "#b4570c", ...DEVICE_LIGHT };
  const dark = { launch: "#7cb4ff", runtime: "#5fd4c8", autograd: "#d09bff", graph: "#ffb36b", ...DEVICE_DARK };
  return (theme.dark ? dark : light)[kind] ?? theme.text;
}

function bend(a: DrawnArrow, ratio: number): number {
  return Math.min(Math.max(Math.abs(a.x1 - a.x0) * 0.45, 14 * ratio), 140 * ratio);
}

// More of them than this are drawn thin: a thick curve costs a hundred times as much as a hairline.
const MOST_STRONG = 16;
const MOST_HEADS = 150;

// Hairlines, all of a kind in one path. (A path of hundreds of thicker curves takes a tenth of a second without a GPU; where a
// pixel of the page is several of the screen, a thin line is that many hairlines beside each other.)
export function drawArrows(
  context: CanvasRenderingContext2D,
  arrows: DrawnArrow[],
  theme: Theme,
  ratio: number,
  strong: boolean,
): void {
  if (strong && arrows.length <= MOST_STRONG) {
    for (const arrow of arrows) drawStrong(context, arrow, theme, ratio);
    return;
  }
  for (const kind of Object.keys(KIND_TEXT) as Kind[]) {
    const ofKind = arrows.filter((a) => a.arrow.kind === kind);
    if (ofKind.length === 0) continue;
    context.strokeStyle = kindColor(kind, theme);
    context.lineWidth = 1;
    context.globalAlpha = strong ? 1 : 0.55;
    const lines = Math.max(1, Math.round(ratio)) + (strong ? 1 : 0);
    for (let shift = 0; shift < lines; shift++) {
      context.beginPath();
      for (const a of ofKind) curve(context, a, ratio, shift);
      context.stroke();
    }
    context.globalAlpha = 1;
    if (ofKind.length > MOST_HEADS) continue;
    context.fillStyle = kindColor(kind, theme);
    context.beginPath();
    for (const a of ofKind) head(context, a, 5 * ratio);
    context.fill();
  }
}

function drawStrong(context: CanvasRenderingContext2D, arrow: DrawnArrow, theme: Theme, ratio: number): void {
  const color = kindColor(arrow.arrow.kind, theme);
  context.beginPath();
  curve(context, arrow, ratio, 0);
  context.strokeStyle = theme.background;
  context.lineWidth = 5 * ratio;
  context.globalAlpha = 0.8;
  context.stroke();
  context.strokeStyle = color;
  context.lineWidth = 2 * ratio;
  context.globalAlpha = 1;
  context.stroke();
  context.fillStyle = color;
  context.beginPath();
  head(context, arrow, 7 * ratio);
  context.fill();
}

function curve(context: CanvasRenderingContext2D, a: DrawnArrow, ratio: number, shift: number): void {
  const b = bend(a, ratio);
  context.moveTo(a.x0 + shift, a.y0);
  context.bezierCurveTo(a.x0 + b + shift, a.y0, a.x1 - b + shift, a.y1, a.x1 + shift, a.y1);
}

function head(context: CanvasRenderingContext2D, a: DrawnArrow, size: number): void {
  context.moveTo(a.x1, a.y1);
  context.lineTo(a.x1 - size, a.y1 - size / 2);
  context.lineTo(a.x1 - size, a.y1 + size / 2);
}

// The arrow whose curve passes nearest to a point, within `reach` pixels.
export function arrowAt(arrows: DrawnArrow[], x: number, y: number, reach: number, ratio: number): DrawnArrow | null {
  let best: DrawnArrow | null = null;
  let bestDistance = reach * reach;
  for (const a of arrows) {
    if (x < Math.min(a.x0, a.x1) - 150 * ratio || x > Math.max(a.x0, a.x1) + 150 * ratio) continue;
    if (y < Math.min(a.y0, a.y1) - reach || y > Math.max(a.y0, a.y1) + reach) continue;
    const b = bend(a, ratio);
    const steps = 32;
    let px = a.x0;
    let py = a.y0;
    for (let i = 1; i <= steps; i++) {
      const t = i / steps;
      const u = 1 - t;
      const qx = u * u * u * a.x0 + 3 * u * u * t * (a.x0 + b) + 3 * u * t * t * (a.x1 - b) + t * t * t * a.x1;
      const qy = u * u * u * a.y0 + 3 * u * u * t * a.y0 + 3 * u * t * t * a.y1 + t * t * t * a.y1;
      const distance = toSegment(x, y, px, py, qx, qy);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = a;
      }
      px = qx;
      py = qy;
    }
  }
  return best;
}

function toSegment(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  const length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
  return (ax + t * dx - x) ** 2 + (ay + t * dy - y) ** 2;
}

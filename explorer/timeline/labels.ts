// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Text on slices, and hatching of the overhead inside device executions. Only slices that are wide enough have either. Text lies
// on whole pixels: half ones cost several times as much to draw.
import { causeOf } from "@/base/causes";
import { Channel, type Lane } from "@/engine/api";
import type { Segment, Slices } from "@/engine/tiles";
import type { Scene } from "./lanes_canvas";
import type { Place } from "./layout";
import { type CounterScale, variantOf } from "./painter";
import { Variant } from "./palette";

export interface Row {
  place: Place;
  lane: Lane;
  // Row of the lane; -1: all of them in one.
  row: number;
  // Device pixels.
  top: number;
  size: number;
  lines: number;
  segments: Segment[];
  range?: CounterScale;
  // The density of all lanes of a closed group, in its title.
  closed?: true;
}

const LEAST_LABEL = 26;
const LEAST_HATCH = 3;
const PADDING = 4;
// Text beyond this many labels is noise, and time.
const MOST_LABELS = 900;

// Width of whole names, by font.
const widths = new Map<string, Map<string, number>>();

export function fontOf(ratio: number, size = 11): string {
  return `${Math.round(size * ratio)}px system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif`;
}

export function paintLabels(context: CanvasRenderingContext2D, scene: Scene, rows: Row[]): void {
  const { view, ratio, info, table, faded } = scene;
  let font = "";
  let known = new Map<string, number>();
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.fillStyle = table.theme.sliceText;
  const perNs = view.width / view.span;
  const least = LEAST_LABEL * ratio;
  const padding = PADDING * ratio;
  let left = MOST_LABELS;
  let dim = false;
  for (const row of rows) {
    if (row.lane.kind === "counter") {
      counterLabel(context, scene, row);
      context.fillStyle = table.theme.sliceText;
      dim = false;
      font = "";
      continue;
    }
    const middle = Math.round(row.top + row.size / 2);
    const text = row.row >= 0 && row.size >= 10 * ratio;
    const wanted = fontOf(ratio, row.size < 13 * ratio ? 9 : 11);
    if (wanted !== font) {
      font = wanted;
      context.font = font;
      known = widthsOf(font);
    }
    eachWide(row, view, LEAST_HATCH / perNs, (slices, i, start) => {
      const end = start + (slices.durNs[i] as number);
      const x0 = Math.max(0, Math.round((start - view.from) * perNs));
      const x1 = Math.min(view.width, Math.round((end - view.from) * perNs));
      const before = slices.before[i] as number;
      const after = slices.after[i] as number;
      if (faded && (slices.channels[i] as number) & Channel.hit) {
        context.fillStyle = table.theme.accent;
        const hair = Math.max(1, Math.round(ratio));
        context.fillRect(x0, row.top + row.size - 3 * hair, Math.max(hair, x1 - x0), 2 * hair);
        context.fillStyle = table.theme.sliceText;
        dim = false;
      }
      if (before > 0) hatch(context, scene, row, start, start + before);
      if (after > 0) hatch(context, scene, row, end - after, end);
      if (before > 0 || after > 0) {
        context.fillStyle = table.theme.sliceText;
        dim = false;
      }
      if (!text || x1 - x0 < least || left === 0) return;
      left--;
      const plain = info.names[slices.name[i] as number] ?? "";
      const name = row.lane.kind === "gaps" ? causeOf(plain).title : plain;
      const cut = fitText(context, known, name, x1 - x0 - 2 * padding);
      if (cut === "") return;
      const faint = variantOf(slices.channels[i] as number, faded) === Variant.dim;
      if (faint !== dim) {
        context.fillStyle = faint ? table.theme.muted : table.theme.sliceText;
        dim = faint;
      }
      context.fillText(cut, Math.round(x0 + padding), middle);
    });
  }
}

function widthsOf(font: string): Map<string, number> {
  let known = widths.get(font);
  if (!known || known.size > 20000) {
    known = new Map();
    widths.set(font, known);
  }
  return known;
}

// Each wide slice of a row once: one that reaches over several segments belongs to the one where its visible part begins.
export function eachWide(
  row: Row,
  view: { from: number; to: number },
  leastNs: number,
  visit: (slices: Slices, index: number, start: number) => void,
): void {
  for (const segment of row.segments) {
    const slices = segment.tiles.slices;
    if (!slices) continue;
    const all = row.row < 0;
    if (row.row >= slices.rowStart.length - 1) continue;
    const begin = all ? 0 : (slices.rowStart[row.row] as number);
    const end = all ? slices.startNs.length : (slices.rowStart[row.row + 1] as number);
    for (let i = begin; i < end; i++) {
      const start = slices.startNs[i] as number;
      const dur = slices.durNs[i] as number;
      if (dur < leastNs || start + dur <= view.from || start >= view.to) continue;
      const visibleStart = Math.max(start, view.from);
      if (visibleStart < segment.from || visibleStart >= segment.to) continue;
      visit(slices, i, start);
    }
  }
}

function fitText(context: CanvasRenderingContext2D, known: Map<string, number>, name: string, room: number): string {
  const widthOf = (text: string) => {
    let width = known.get(text);
    if (width === undefined) {
      width = context.measureText(text).width;
      known.set(text, width);
    }
    return width;
  };
  const width = widthOf(name);
  if (width <= room) return name;
  // A guess by the mean letter, then as many fewer as it takes.
  for (let letters = Math.floor((name.length * room) / width) - 1; letters >= 2; letters--) {
    const cut = `${name.slice(0, letters)}…`;
    if (widthOf(cut) <= room) return cut;
  }
  return "";
}

let pattern: { canvas: HTMLCanvasElement; key: string } | null = null;

function hatch(context: CanvasRenderingContext2D, scene: Scene, row: Row, from: number, to: number): void {
  const { view, ratio, table } = scene;
  const x0 = Math.max(0, Math.round(view.x(from)));
  const x1 = Math.min(view.width, Math.round(view.x(to)));
  if (x1 - x0 < 2) return;
  const key = `${ratio} ${table.theme.background}`;
  if (pattern?.key !== key) {
    const size = Math.round(6 * ratio);
    const canvas = document.createElement("canvas");
    canvas.width = size;
    canvas.height = size;
    const ink = canvas.getContext("2d") as CanvasRenderingContext2D;
    ink.strokeStyle = table.theme.background;
    ink.globalAlpha = 0.75;
    ink.lineWidth = 2 * ratio;
    ink.beginPath();
    for (const shift of [-size, 0, size]) {
      ink.moveTo(shift - 1, size + 1);
      ink.lineTo(shift + size + 1, -1);
    }
    ink.stroke();
    pattern = { canvas, key };
  }
  const fill = context.createPattern(pattern.canvas, "repeat");
  if (!fill) return;
  const hair = Math.max(1, Math.round(ratio));
  // It moves with its slice.
  const shift = Math.round(view.x(from)) % pattern.canvas.width;
  fill.setTransform(new DOMMatrix().translate(shift, row.top));
  context.fillStyle = fill;
  context.fillRect(x0, row.top, x1 - x0, row.size - hair);
}

function counterLabel(context: CanvasRenderingContext2D, scene: Scene, row: Row): void {
  if (!row.range || row.size < 20 * scene.ratio) return;
  context.fillStyle = scene.table.theme.muted;
  context.font = fontOf(scene.ratio);
  const text = compact(row.range.high);
  context.fillText(text, Math.round(6 * scene.ratio), Math.round(row.top + 8 * scene.ratio));
}

const NUMBER = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 2 });

export function compact(value: number): string {
  return NUMBER.format(value);
}

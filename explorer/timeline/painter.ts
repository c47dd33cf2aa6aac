// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Pixels of one row of a lane from its tiles. A row is one line of pixels (drawn stretched to its height later): for each pixel
// the ns that slices fill (density), the longest slice (colour) and the channels. Two steps, so that a test can look between:
// `add` accumulates, `compose` turns the sums into colours.
//
//   tiles:  |--a 3--|-b 1-|.....|--c 12 columns--------|      sparse, sorted by (row, column)
//   pixels: |a a a b|.....|c c c c c c c c|                   busy sums are split where a column crosses pixels
import { Channel } from "@/engine/api";
import type { CounterColumns, Segment } from "@/engine/tiles";
import { COLORS, LEAST_SHADE, SHADES, type ShadeTable, Variant } from "./palette";
import type { View } from "./view";

const EMPTY = -1;

export class RowPainter {
  width = 0;
  // ns of slices in each pixel.
  busy = new Float32Array(0);
  // Name of the longest slice in each pixel, EMPTY without one.
  name = new Int32Array(0);
  channels = new Uint8Array(0);
  private weight = new Float32Array(0);

  begin(width: number): void {
    if (width !== this.width) {
      this.width = width;
      this.busy = new Float32Array(width);
      this.weight = new Float32Array(width);
      this.name = new Int32Array(width);
      this.channels = new Uint8Array(width);
    }
    this.busy.fill(0);
    this.weight.fill(0);
    this.name.fill(EMPTY);
    this.channels.fill(0);
  }

  // Adds one row of a segment (`row` < 0: all of its rows, for a collapsed lane).
  add(segment: Segment, row: number, view: View): void {
    const columns = segment.tiles.columns;
    if (!columns) return;
    const { rowStart, column, span, busy, name, channels } = columns;
    const rows = rowStart.length - 1;
    if (row >= rows) return;
    const begin = row < 0 ? 0 : (rowStart[row] as number);
    const end = row < 0 ? column.length : (rowStart[row + 1] as number);
    if (begin >= end) return;

    const { width, weight } = this;
    const perNs = width / view.span;
    const step = 2 ** segment.block.level;
    const columnPixels = step * perNs;
    const origin = (segment.block.from - view.from) * perNs;
    const low = Math.max(0, (segment.from - view.from) * perNs);
    const high = Math.min(width, (segment.to - view.from) * perNs);
    const nsPerPixel = 1 / perNs;
    // Whole columns lie on one side of a segment's edge, so a search by column finds the first one; a run that began before is
    // found by going one entry back.
    const firstColumn = (low - origin) / columnPixels;
    let i = row < 0 ? begin : lowerBound(column, firstColumn, begin, end);
    if (i > begin) i--;

    for (; i < end; i++) {
      const x0 = origin + (column[i] as number) * columnPixels;
      if (x0 >= high) {
        if (row < 0) continue;
        break;
      }
      const run = span[i] as number;
      const x1 = x0 + run * columnPixels;
      if (x1 <= low) continue;
      const a = Math.max(x0, low);
      const b = Math.min(x1, high);
      // A run is one slice from end to end; a single column holds what its busy sum says.
      const ns = run > 1 ? nsPerPixel : (busy[i] as number) / columnPixels;
      const p0 = a | 0;
      const p1 = b | 0;
      const n = name[i] as number;
      const c = channels[i] as number;
      if (p0 === p1 || b - p0 <= 1) {
        this.put(p0, ns * (b - a), n, c);
        continue;
      }
      this.put(p0, ns * (p0 + 1 - a), n, c);
      for (let p = p0 + 1; p < p1; p++) {
        this.busy[p] = (this.busy[p] as number) + ns;
        this.channels[p] = (this.channels[p] as number) | c;
        if (ns > (weight[p] as number) || this.name[p] === EMPTY) {
          weight[p] = ns;
          this.name[p] = n;
        }
      }
      if (b > p1) this.put(p1, ns * (b - p1), n, c);
    }
  }

  private put(p: number, ns: number, name: number, channels: number): void {
    if (p >= this.width) return;
    this.busy[p] = (this.busy[p] as number) + ns;
    this.channels[p] = (this.channels[p] as number) | channels;
    // A slice of 0 ns counts too: it is there.
    if (ns > (this.weight[p] as number) || this.name[p] === EMPTY) {
      this.weight[p] = ns;
      this.name[p] = name;
    }
  }

  // Writes the line of pixels at `at` of `out`. `bands` says for each pixel which of the two grounds it has; `colors` maps name
  // to colour; `faded`: a search or a selection is on, so what is neither hit nor selected steps back.
  compose(
    out: Uint32Array,
    at: number,
    table: ShadeTable,
    nsPerPixel: number,
    bands: Uint8Array,
    colors: Uint8Array,
    faded: boolean,
  ): void {
    const { width, busy, name, channels } = this;
    const { pixels, empty } = table;
    const scale = (SHADES - 1 - LEAST_SHADE) / nsPerPixel;
    for (let p = 0; p < width; p++) {
      const n = name[p] as number;
      const band = bands[p] as number;
      if (n === EMPTY) {
        out[at + p] = empty[band] as number;
        continue;
      }
      const color = n < colors.length ? (colors[n] as number) : 0;
      const level = (LEAST_SHADE + (busy[p] as number) * scale) | 0;
      const shade = Math.min(level, SHADES - 1);
      const variant = variantOf(channels[p] as number, faded);
      out[at + p] = pixels[((variant * 2 + band) * COLORS + color) * SHADES + shade] as number;
    }
  }

  // A darker pixel at the left edge of every slice that is wide enough to have one.
  edges(
    segment: Segment,
    row: number,
    view: View,
    out: Uint32Array,
    at: number,
    table: ShadeTable,
    colors: Uint8Array,
    faded: boolean,
    least: number,
  ): void {
    const slices = segment.tiles.slices;
    if (!slices || row >= slices.rowStart.length - 1) return;
    const perNs = this.width / view.span;
    const end = slices.rowStart[row + 1] as number;
    for (let i = slices.rowStart[row] as number; i < end; i++) {
      const start = slices.startNs[i] as number;
      if (start < segment.from || start < view.from) continue;
      if (start >= segment.to) break;
      if ((slices.durNs[i] as number) * perNs < least) continue;
      const p = ((start - view.from) * perNs) | 0;
      if (p >= this.width) break;
      const color = colors[slices.name[i] as number] ?? 0;
      out[at + p] = table.edges[variantOf(slices.channels[i] as number, faded) * COLORS + color] as number;
    }
  }
}

export function variantOf(channels: number, faded: boolean): number {
  if (channels & Channel.selected) return Variant.selected;
  if (channels & Channel.hit) return Variant.hit;
  if (!(channels & Channel.passes) || faded) return Variant.dim;
  return Variant.normal;
}

export function lowerBound(values: ArrayLike<number>, wanted: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface CounterScale {
  low: number;
  high: number;
}

// Smallest and largest value in the span.
export function counterRange(segments: Segment[]): CounterScale | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { tiles } of segments) {
    if (!tiles.counter) continue;
    for (const value of tiles.counter.low) low = Math.min(low, value);
    for (const value of tiles.counter.high) high = Math.max(high, value);
  }
  return low <= high ? { low, high } : null;
}

// A step curve with its range filled: `height` lines of pixels from `at` on. Values hold until the next column that has one.
export function paintCounter(
  segments: Segment[],
  view: View,
  scale: CounterScale,
  out: Uint32Array,
  at: number,
  width: number,
  height: number,
  table: ShadeTable,
  bands: Uint8Array,
): void {
  for (let y = 0; y < height; y++) {
    for (let p = 0; p < width; p++) out[at + y * width + p] = table.empty[bands[p] as 0 | 1];
  }
  const floor = Math.min(0, scale.low);
  const size = Math.max(scale.high - floor, 1e-12);
  const line = (value: number) => Math.round(((value - floor) / size) * (height - 2));
  const perNs = width / view.span;
  const color = 2;
  const edge = table.edges[Variant.normal * COLORS + color] as number;
  const ordered = [...segments].sort((a, b) => a.from - b.from);
  let value = Number.NaN;
  let x = 0;
  const hold = (until: number) => {
    for (; x < Math.min(until, width); x++) column(x, value, value);
  };
  const column = (p: number, low: number, high: number) => {
    if (Number.isNaN(low)) return;
    const bottom = line(low);
    const top = line(high);
    const band = bands[p] as number;
    const fill = table.pixels[(band * COLORS + color) * SHADES + 14] as number;
    for (let y = 0; y <= top; y++) {
      out[at + (height - 1 - y) * width + p] = y >= bottom ? edge : fill;
    }
  };
  for (const segment of ordered) {
    const counter = segment.tiles.counter as CounterColumns | null;
    if (!counter) continue;
    const step = 2 ** segment.block.level;
    for (let i = 0; i < counter.column.length; i++) {
      const ns = segment.block.from + (counter.column[i] as number) * step;
      const p = Math.floor((ns - view.from) * perNs);
      if (ns >= segment.to || p >= width) break;
      if (p < 0) {
        value = counter.last[i] as number;
        continue;
      }
      hold(p);
      // Several columns in one pixel: the range of all of them.
      const previous = Number.isNaN(value) ? (counter.low[i] as number) : value;
      column(p, Math.min(previous, counter.low[i] as number), Math.max(previous, counter.high[i] as number));
      value = counter.last[i] as number;
      x = Math.max(x, p + 1);
    }
  }
  hold(width);
}

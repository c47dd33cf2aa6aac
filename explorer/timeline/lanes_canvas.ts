// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The picture of the lanes. Rows are painted as lines of pixels into one small strip, and the strip is stretched onto the
// canvas, so that a frame uploads 0.4 MB and not 8 (a CPU painter: without a GPU nothing else holds 60 Hz with 100,000
// slices). Labels, hatching and lines come on top. All sizes here are device pixels.
import type { TraceInfo } from "@/engine/api";
import type { Segment, TileCache } from "@/engine/tiles";
import { paintLabels, type Row } from "./labels";
import type { Place } from "./layout";
import { counterRange, paintCounter, RowPainter } from "./painter";
import { colorOfCause, colorOfName, type ShadeTable } from "./palette";
import { bandSteps } from "./steps";
import type { View } from "./view";

export interface Scene {
  view: View;
  places: Place[];
  pinnedHeight: number;
  cache: TileCache;
  key: string;
  // A search or a set of events is shown: everything else steps back.
  faded: boolean;
  info: TraceInfo;
  table: ShadeTable;
  // CSS pixels.
  width: number;
  height: number;
  ratio: number;
}

export class LanesCanvas {
  readonly context: CanvasRenderingContext2D;
  private readonly strip = document.createElement("canvas");
  private readonly stripContext: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private readonly painter = new RowPainter();
  private bands = new Uint8Array(0);
  private colors = new Uint8Array(0);
  private causes = new Uint8Array(0);
  private named: string[] | null = null;
  // The rows of the last frame, for hit tests.
  rows: Row[] = [];

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    this.stripContext = this.strip.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  }

  paint(scene: Scene): void {
    const { ratio, view, table } = scene;
    const width = Math.max(1, Math.round(scene.width * ratio));
    const height = Math.max(1, Math.round(scene.height * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    view.width = width;
    this.nameColors(scene.info.names);
    this.paintBands(scene, width);

    const rows = this.collect(scene);
    this.rows = rows;
    // Line 0 of the strip is the empty ground, for what lies between rows.
    let lines = 1;
    for (const row of rows) lines += row.lines;
    this.reserve(width, lines);
    this.paintStrip(scene, rows, width);
    if (this.image) this.stripContext.putImageData(this.image, 0, 0, 0, 0, width, lines);

    const context = this.context;
    context.imageSmoothingEnabled = false;
    context.fillStyle = table.theme.background;
    context.fillRect(0, 0, width, height);
    this.ground(scene, width, height);
    const pinned = Math.round(scene.pinnedHeight * ratio);
    const free = rows.filter((row) => !row.place.strip.pinned);
    this.stretch(scene, free, width);
    if (pinned > 0) {
      context.save();
      context.fillStyle = table.theme.background;
      context.fillRect(0, 0, width, pinned);
      context.beginPath();
      context.rect(0, 0, width, pinned);
      context.clip();
      this.stretch(
        scene,
        rows.filter((row) => row.place.strip.pinned),
        width,
      );
      context.restore();
      context.fillStyle = table.theme.muted;
      context.fillRect(0, pinned - Math.ceil(ratio), width, Math.ceil(ratio));
    }
  }

  // Rows on the screen with the tiles that paint them.
  private collect(scene: Scene): Row[] {
    const { view, ratio } = scene;
    const rows: Row[] = [];
    for (const place of scene.places) {
      const { strip } = place;
      const [first] = strip.inside;
      if (first) {
        const segments = strip.inside.flatMap((lane) =>
          scene.cache.cover(lane.id, scene.key, view.level, view.from, view.to),
        );
        const top = Math.round((place.y + strip.inset) * ratio);
        const size = Math.round(strip.rowHeight * ratio);
        if (top + size > place.clip * ratio) {
          rows.push({ place, lane: first, row: -1, top, size, lines: 1, segments, closed: true });
        }
      }
      if (!strip.lane) continue;
      const segments = scene.cache.cover(strip.lane.id, scene.key, view.level, view.from, view.to);
      for (let r = 0; r < strip.rows; r++) {
        const top = Math.round((place.y + strip.inset + r * strip.rowHeight) * ratio);
        const bottom = Math.round((place.y + strip.inset + (r + 1) * strip.rowHeight) * ratio);
        if (bottom <= place.clip * ratio || top >= scene.height * ratio) continue;
        const counter = strip.lane.kind === "counter";
        const size = bottom - top;
        rows.push({
          place,
          lane: strip.lane,
          row: strip.collapsed ? -1 : r,
          top,
          size,
          lines: counter ? size : 1,
          segments,
        });
      }
    }
    return rows;
  }

  private reserve(width: number, lines: number): void {
    if (this.strip.width === width && this.strip.height >= lines && this.image) return;
    const height = Math.max(64, Math.ceil(lines * 1.25));
    this.strip.width = width;
    this.strip.height = height;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  private paintStrip(scene: Scene, rows: Row[], width: number): void {
    const { view, table, faded } = scene;
    const { painter, pixels, bands } = this;
    for (let p = 0; p < width; p++) pixels[p] = table.empty[bands[p] as 0 | 1];
    let line = 1;
    for (const row of rows) {
      const at = line * width;
      line += row.lines;
      if (row.lane.kind === "counter") {
        const range = counterRange(row.segments) ?? { low: 0, high: 1 };
        row.range = range;
        paintCounter(row.segments, view, range, pixels, at, width, row.lines, table, bands);
        continue;
      }
      const colors = row.lane.kind === "gaps" ? this.causes : this.colors;
      painter.begin(width);
      for (const segment of row.segments) painter.add(segment, row.row, view);
      painter.compose(pixels, at, table, view.nsPerPixel, bands, colors, faded);
      if (row.row < 0 || row.lane.kind === "gaps") continue;
      const least = 4 * scene.ratio;
      for (const segment of row.segments) {
        painter.edges(segment, row.row, view, pixels, at, table, colors, faded, least);
      }
    }
  }

  // Steps: every other one on a second ground, over all lanes.
  private paintBands(scene: Scene, width: number): void {
    if (this.bands.length !== width) this.bands = new Uint8Array(width);
    this.bands.fill(0);
    for (const step of bandSteps(scene.info)) {
      if (step.number % 2 === 0) continue;
      const from = Math.max(0, Math.floor(scene.view.x(step.from)));
      const to = Math.min(width, Math.ceil(scene.view.x(step.to)));
      if (from < to) this.bands.fill(1, from, to);
    }
  }

  private ground(scene: Scene, width: number, height: number): void {
    const { context } = this;
    const { theme } = scene.table;
    context.fillStyle = theme.band;
    for (let p = 0; p < width; p++) {
      if (!this.bands[p]) continue;
      let end = p;
      while (end < width && this.bands[end]) end++;
      context.fillRect(p, 0, end - p, height);
      p = end;
    }
    const hair = Math.max(1, Math.round(scene.ratio));
    context.fillStyle = theme.line;
    for (const { strip, y, clip } of scene.places) {
      const top = Math.round(y * scene.ratio);
      if (strip.kind !== "lane") {
        if (y + strip.height <= clip) continue;
        context.fillRect(0, top, width, Math.round(strip.height * scene.ratio));
      } else if (y >= clip) {
        context.fillRect(0, top, width, hair);
      }
    }
    // Where steps begin.
    for (const step of bandSteps(scene.info)) {
      const x = Math.round(scene.view.x(step.from));
      if (x >= 0 && x < width) context.fillRect(x, 0, hair, height);
    }
  }

  // Strip to screen: neighbours of equal height in one go, then lines between rows, hatching and labels.
  private stretch(scene: Scene, rows: Row[], width: number): void {
    const { context } = this;
    const first = new Map<Row, number>();
    let line = 1;
    for (const row of this.rows) {
      first.set(row, line);
      line += row.lines;
    }
    for (let i = 0; i < rows.length; ) {
      const row = rows[i] as Row;
      let end = i + 1;
      while (end < rows.length && row.lines === 1) {
        const next = rows[end] as Row;
        const before = rows[end - 1] as Row;
        if (next.lines !== 1 || next.size !== row.size || next.top !== before.top + before.size) break;
        end++;
      }
      const count = row.lines === 1 ? end - i : row.lines;
      const size = row.lines === 1 ? (end - i) * row.size : row.size;
      context.drawImage(this.strip, 0, first.get(row) as number, width, count, 0, row.top, width, size);
      i = end;
    }
    const hair = Math.max(1, Math.round(scene.ratio));
    for (const row of rows) {
      if (row.size < 8 * scene.ratio || row.lines !== 1) continue;
      context.drawImage(this.strip, 0, 0, width, 1, 0, row.top + row.size - hair, width, hair);
    }
    paintLabels(context, scene, rows);
  }

  private nameColors(names: string[]): void {
    if (this.named === names) return;
    this.named = names;
    this.colors = Uint8Array.from(names, colorOfName);
    this.causes = Uint8Array.from(names, colorOfCause);
  }
}

export type { Row, Segment };

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The overview: the density of the whole trace, one band for each group of lanes, with the visible span as a window. Its
// picture is made once from one coarse tile of each lane; a frame only moves the window.
import type { Span } from "@/base/view";
import { type Lane, type LaneGroup, TILE_COLUMNS, type TraceId } from "@/engine/api";
import type { Client } from "@/engine/client";
import { blockOf } from "@/engine/tiles";
import { hex, type Theme } from "./palette";

export const MINIMAP_HEIGHT = 40;
const GROUPS: LaneGroup[] = ["framework", "runtime", "hardware", "engines", "dma"];
// The busiest lanes of a group say what there is to say; hundreds of lanes would cost megabytes.
const MOST_LANES = 48;

export interface Density {
  from: number;
  to: number;
  // For each group that has lanes: busy share of each column, 0 to 1; negative: nothing there.
  groups: { group: LaneGroup; share: Float32Array }[];
}

export async function loadDensity(
  client: Client,
  trace: TraceId,
  lanes: Lane[],
  begin: number,
  end: number,
  signal: AbortSignal,
): Promise<Density> {
  const level = Math.max(0, Math.ceil(Math.log2(Math.max(1, end - begin) / (TILE_COLUMNS - 1))));
  const size = TILE_COLUMNS * 2 ** level;
  const first = Math.floor(begin / size);
  const count = Math.max(1, Math.ceil(end / size) - first);
  const groups: Density["groups"] = [];
  for (const group of GROUPS) {
    const chosen = lanes
      .filter((lane) => lane.group === group && lane.kind === "slices")
      .sort((a, b) => b.sum_ns - a.sum_ns)
      .slice(0, MOST_LANES);
    if (chosen.length === 0) continue;
    const request = { level, first, count, lanes: chosen.map((lane) => lane.id) };
    const block = blockOf(await client.tiles(trace, request, signal), request, "", 0);
    const share = new Float32Array(count * TILE_COLUMNS).fill(-1);
    for (const { columns } of block.lanes.values()) {
      if (!columns) continue;
      // Row 0 holds what encloses the others; deeper rows would count the same time again.
      const last = columns.rowStart[1] ?? 0;
      for (let i = 0; i < last; i++) {
        const run = columns.span[i] as number;
        const part = run > 1 ? 1 : Math.min(1, (columns.busy[i] as number) / 2 ** level);
        for (let c = columns.column[i] as number, to = c + run; c < to; c++) {
          share[c] = Math.max(share[c] as number, 0) + part;
        }
      }
    }
    for (let c = 0; c < share.length; c++) share[c] = Math.min(1, share[c] as number);
    groups.push({ group, share });
  }
  return { from: first * size, to: (first + count) * size, groups };
}

export interface MinimapScene {
  theme: Theme;
  density: Density | null;
  begin: number;
  end: number;
  visible: Span;
  range: Span | null;
  width: number;
  ratio: number;
}

const TONES: Record<string, [string, string]> = {
  framework: ["#3d7bd9", "#6ca6f5"],
  runtime: ["#1d8f86", "#54c7bb"],
  hardware: ["#c26a1b", "#f0a45c"],
  engines: ["#c26a1b", "#f0a45c"],
  dma: ["#3d7bd9", "#6ca6f5"],
};

export class MinimapCanvas {
  private readonly context: CanvasRenderingContext2D;
  private picture: HTMLCanvasElement | null = null;
  private pictureKey: unknown[] = [];

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  }

  // The time under a place, and back; the whole trace lies between the edges.
  static ns(scene: { begin: number; end: number; width: number }, x: number): number {
    return scene.begin + (x / scene.width) * (scene.end - scene.begin);
  }

  paint(scene: MinimapScene): void {
    const { context } = this;
    const width = Math.max(1, Math.round(scene.width * scene.ratio));
    const height = Math.round(MINIMAP_HEIGHT * scene.ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    const key = [scene.density, scene.theme, width, height, scene.begin, scene.end];
    if (!this.picture || key.some((value, i) => value !== this.pictureKey[i])) {
      this.picture = this.draw(scene, width, height);
      this.pictureKey = key;
    }
    context.drawImage(this.picture, 0, 0);
    const hair = Math.max(1, Math.round(scene.ratio));
    const x = (ns: number) => ((ns - scene.begin) / (scene.end - scene.begin)) * width;
    if (scene.range) {
      context.fillStyle = scene.theme.accent;
      context.globalAlpha = 0.25;
      context.fillRect(x(scene.range.from), 0, Math.max(hair, x(scene.range.to) - x(scene.range.from)), height);
      context.globalAlpha = 1;
    }
    let x0 = Math.round(Math.max(0, x(scene.visible.from)));
    let x1 = Math.round(Math.min(width, x(scene.visible.to)));
    // However small, it can be seen and grasped.
    const least = 4 * hair;
    if (x1 - x0 < least) {
      const middle = (x0 + x1) / 2;
      x0 = Math.round(middle - least / 2);
      x1 = x0 + least;
    }
    context.fillStyle = scene.theme.background;
    context.globalAlpha = scene.theme.dark ? 0.6 : 0.55;
    context.fillRect(0, 0, x0, height);
    context.fillRect(x1, 0, width - x1, height);
    context.globalAlpha = 1;
    context.strokeStyle = scene.theme.accent;
    context.lineWidth = hair * 1.5;
    context.strokeRect(x0 + hair / 2, hair / 2, x1 - x0 - hair, height - 2 * hair);
    context.fillStyle = scene.theme.line;
    context.fillRect(0, height - hair, width, hair);
  }

  private draw(scene: MinimapScene, width: number, height: number): HTMLCanvasElement {
    const picture = document.createElement("canvas");
    picture.width = width;
    picture.height = height;
    const context = picture.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    context.fillStyle = scene.theme.background;
    context.fillRect(0, 0, width, height);
    const { density } = scene;
    if (!density) return picture;
    const pad = Math.round(3 * scene.ratio);
    const band = (height - pad * (density.groups.length + 1)) / Math.max(1, density.groups.length);
    const perNs = width / (scene.end - scene.begin);
    density.groups.forEach(({ group, share }, index) => {
      const tone = (TONES[group] ?? ["#888888", "#aaaaaa"])[scene.theme.dark ? 1 : 0] as string;
      const [r, g, b] = hex(tone);
      const bottom = Math.round(pad + index * (band + pad) + band);
      const columnNs = (density.to - density.from) / share.length;
      for (let p = 0; p < width; p++) {
        const from = Math.floor((scene.begin + p / perNs - density.from) / columnNs);
        const to = Math.max(from + 1, Math.floor((scene.begin + (p + 1) / perNs - density.from) / columnNs));
        let most = -1;
        for (let c = Math.max(0, from); c < Math.min(to, share.length); c++) most = Math.max(most, share[c] as number);
        if (most < 0) continue;
        const size = Math.max(2 * scene.ratio, Math.round(band * most));
        context.fillStyle = `rgb(${r} ${g} ${b} / ${55 + Math.round(45 * most)}%)`;
        context.fillRect(p, bottom - size, 1, size);
      }
    });
    return picture;
  }
}

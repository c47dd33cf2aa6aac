// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The axis above the lanes: ticks, steps, markers' flags, the measured range. One small canvas.
import { formatDuration, formatOffset, roundStep } from "@/base/time";
import type { Span } from "@/base/view";
import type { TraceInfo } from "@/engine/api";
import { fontOf } from "./labels";
import type { Marker } from "./markers";
import { MARKER_COLOR } from "./overlay";
import type { Theme } from "./palette";
import { bandSteps } from "./steps";
import type { View } from "./view";

export const RULER_HEIGHT = 38;
const STEP_ROW = 16;

export interface RulerScene {
  view: View;
  theme: Theme;
  info: TraceInfo;
  width: number;
  ratio: number;
  range: Span | null;
  markers: Marker[];
  pointer: number | null;
}

export class RulerCanvas {
  private readonly context: CanvasRenderingContext2D;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  }

  paint(scene: RulerScene): void {
    const { context } = this;
    const { ratio, theme, view } = scene;
    const width = Math.max(1, Math.round(scene.width * ratio));
    const height = Math.round(RULER_HEIGHT * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    const hair = Math.max(1, Math.round(ratio));
    context.fillStyle = theme.background;
    context.fillRect(0, 0, width, height);
    context.font = fontOf(ratio);
    context.textBaseline = "middle";
    context.textAlign = "left";

    if (scene.range) {
      const x0 = Math.round(view.x(scene.range.from));
      const x1 = Math.round(view.x(scene.range.to));
      context.fillStyle = theme.accent;
      context.globalAlpha = 0.18;
      context.fillRect(x0, 0, x1 - x0, height);
      context.globalAlpha = 1;
      context.fillRect(x0, height - 2 * hair, x1 - x0, 2 * hair);
    }
    this.steps(scene, width, hair);
    this.ticks(scene, width, height, hair);
    for (const marker of scene.markers) this.flag(marker, scene, height);
    if (scene.range) this.rangeText(scene.range, scene, height);
    if (scene.pointer !== null) this.pointerText(scene, height);
    context.fillStyle = theme.line;
    context.fillRect(0, height - hair, width, hair);
  }

  private ticks(scene: RulerScene, width: number, height: number, hair: number): void {
    const { context } = this;
    const { ratio, view, theme } = scene;
    const step = roundStep(view.nsPerPixel * 130 * ratio);
    const middle = Math.round((STEP_ROW + (RULER_HEIGHT - STEP_ROW) / 2) * ratio);
    const first = Math.ceil(view.from / step) * step;
    for (let i = 0; i < 200; i++) {
      const ns = first + i * step;
      const x = Math.round(view.x(ns));
      if (x > width) break;
      context.fillStyle = theme.line;
      context.fillRect(x, Math.round(STEP_ROW * ratio), hair, height);
      context.fillStyle = theme.muted;
      context.fillText(formatOffset(Math.round(ns / step) * step, step), x + Math.round(5 * ratio), middle);
    }
  }

  private steps(scene: RulerScene, width: number, hair: number): void {
    const { context } = this;
    const { ratio, view, theme } = scene;
    const height = Math.round(STEP_ROW * ratio);
    for (const step of bandSteps(scene.info)) {
      if (step.to < view.from) continue;
      if (step.from > view.to) break;
      const x0 = Math.max(0, Math.round(view.x(step.from)));
      const x1 = Math.min(width, Math.round(view.x(step.to)));
      context.fillStyle = step.number % 2 ? theme.line : theme.band;
      context.fillRect(x0, 0, Math.max(hair, x1 - x0 - hair), height - hair);
      const room = x1 - x0 - 10 * ratio;
      if (room < 8 * ratio) continue;
      const text = room > 60 * ratio ? `step ${step.number} · ${formatDuration(step.to - step.from)}` : "";
      const short = `${step.number}`;
      const fits = (shown: string) => shown !== "" && context.measureText(shown).width <= room;
      const shown = fits(text) ? text : fits(short) ? short : "";
      if (!shown) continue;
      context.fillStyle = theme.text;
      context.fillText(shown, Math.round(x0 + 5 * ratio), Math.round(height / 2));
    }
  }

  private flag(marker: Marker, scene: RulerScene, height: number): void {
    const { context } = this;
    const { ratio, view, theme } = scene;
    const x = Math.round(view.x(marker.at));
    if (x < -200 * ratio || x > view.width) return;
    context.fillStyle = MARKER_COLOR(theme);
    const size = 7 * ratio;
    context.beginPath();
    context.moveTo(x - size / 2, height - size * 1.6);
    context.lineTo(x + size / 2, height - size * 1.6);
    context.lineTo(x + size / 2, height - size * 0.6);
    context.lineTo(x, height);
    context.lineTo(x - size / 2, height - size * 0.6);
    context.fill();
    if (!marker.note) return;
    const text = marker.note.length > 30 ? `${marker.note.slice(0, 29)}…` : marker.note;
    const room = context.measureText(text).width + 8 * ratio;
    context.fillRect(x, height - 15 * ratio, room + 4 * ratio, 13 * ratio);
    context.fillStyle = theme.background;
    context.fillText(text, Math.round(x + 6 * ratio), Math.round(height - 8 * ratio));
  }

  private rangeText(range: Span, scene: RulerScene, height: number): void {
    const { context } = this;
    const { ratio, view, theme } = scene;
    const text = formatDuration(range.to - range.from, 5);
    const room = context.measureText(text).width + 12 * ratio;
    const middle = (Math.max(0, view.x(range.from)) + Math.min(view.width, view.x(range.to))) / 2;
    const x = Math.round(Math.min(Math.max(middle - room / 2, 0), view.width - room));
    context.fillStyle = theme.accent;
    context.fillRect(x, height - 18 * ratio, room, 16 * ratio);
    context.fillStyle = theme.background;
    context.fillText(text, Math.round(x + 6 * ratio), Math.round(height - 10 * ratio));
  }

  private pointerText(scene: RulerScene, height: number): void {
    const { context } = this;
    const { ratio, view, theme } = scene;
    const at = (scene.pointer as number) * ratio;
    const text = formatOffset(view.ns(at), view.nsPerPixel * ratio);
    const room = context.measureText(text).width + 10 * ratio;
    const x = Math.round(Math.min(Math.max(at - room / 2, 0), view.width - room));
    context.fillStyle = theme.text;
    context.fillRect(x, height - 18 * ratio, room, 16 * ratio);
    context.fillStyle = theme.background;
    context.fillText(text, Math.round(x + 5 * ratio), Math.round(height - 10 * ratio));
  }
}

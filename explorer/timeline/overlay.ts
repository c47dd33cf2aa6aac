// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What lies over the lanes and changes without them: outlines, range, box, markers, arrows. Its own canvas, so that
// moving the pointer repaints no lane.
import type { Span } from "@/base/view";
import type { DrawnArrow } from "./arrows";
import { drawArrows } from "./arrows";
import type { Marker } from "./markers";
import type { Theme } from "./palette";
import type { View } from "./view";

export interface Outline {
  from: number;
  to: number;
  // Device pixels.
  top: number;
  size: number;
}

export interface OverlayScene {
  view: View;
  theme: Theme;
  width: number;
  height: number;
  ratio: number;
  range: Span | null;
  // CSS pixels, while it is dragged.
  box: { x0: number; y0: number; x1: number; y1: number } | null;
  markers: Marker[];
  hover: Outline | null;
  focus: Outline | null;
  arrows: DrawnArrow[];
  chain: DrawnArrow[];
}

export class OverlayCanvas {
  private readonly context: CanvasRenderingContext2D;
  private clean = true;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d") as CanvasRenderingContext2D;
  }

  paint(scene: OverlayScene): void {
    const { context } = this;
    const { ratio, theme, view } = scene;
    const width = Math.max(1, Math.round(scene.width * ratio));
    const height = Math.max(1, Math.round(scene.height * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.clean = true;
    }
    if (!this.clean) context.clearRect(0, 0, width, height);
    this.clean = isEmpty(scene);
    if (this.clean) return;

    const hair = Math.max(1, Math.round(ratio));
    if (scene.range) {
      const x0 = Math.round(view.x(scene.range.from));
      const x1 = Math.round(view.x(scene.range.to));
      context.fillStyle = theme.dark ? "rgb(0 0 0 / 38%)" : "rgb(60 70 85 / 18%)";
      context.fillRect(0, 0, Math.max(0, x0), height);
      context.fillRect(Math.min(width, x1), 0, width, height);
      context.fillStyle = theme.accent;
      for (const x of [x0, x1]) context.fillRect(x, 0, hair, height);
    }
    for (const marker of scene.markers) {
      const x = Math.round(view.x(marker.at));
      if (x < 0 || x > width) continue;
      context.fillStyle = MARKER_COLOR(theme);
      context.fillRect(x, 0, hair, height);
    }
    drawArrows(context, scene.arrows, theme, ratio, false);
    drawArrows(context, scene.chain, theme, ratio, true);
    if (scene.hover) this.outline(scene.hover, scene, theme.muted, hair);
    if (scene.focus) {
      this.outline(scene.focus, scene, theme.background, 4 * hair);
      this.outline(scene.focus, scene, theme.dark ? "#ffffff" : "#101418", 2 * hair);
    }
    if (scene.box) {
      const { x0, y0, x1, y1 } = scene.box;
      context.fillStyle = theme.accent;
      context.globalAlpha = 0.15;
      context.fillRect(x0 * ratio, y0 * ratio, (x1 - x0) * ratio, (y1 - y0) * ratio);
      context.globalAlpha = 1;
      context.strokeStyle = theme.accent;
      context.lineWidth = hair;
      context.strokeRect(x0 * ratio, y0 * ratio, (x1 - x0) * ratio, (y1 - y0) * ratio);
    }
  }

  private outline(o: Outline, scene: OverlayScene, color: string, thick: number): void {
    const x0 = Math.max(-thick, Math.round(scene.view.x(o.from)));
    const x1 = Math.min(scene.width * scene.ratio + thick, Math.max(x0 + 2, Math.round(scene.view.x(o.to))));
    this.context.strokeStyle = color;
    this.context.lineWidth = thick;
    this.context.strokeRect(x0 + 0.5, o.top + 0.5, x1 - x0 - 1, o.size - 2);
  }
}

export const MARKER_COLOR = (theme: Theme) => (theme.dark ? "#ffd166" : "#a35a00");

function isEmpty(scene: OverlayScene): boolean {
  return (
    !scene.range &&
    !scene.box &&
    scene.markers.length === 0 &&
    !scene.hover &&
    !scene.focus &&
    scene.arrows.length === 0 &&
    scene.chain.length === 0
  );
}

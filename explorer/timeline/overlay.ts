// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What lies over the lanes: bands, range, markers, arrows, the outline of the event in front. Drawn onto the lanes' own canvas, since
// a second one as large costs more to copy and to blend than the lanes cost to paint; what follows the pointer is elements.
import type { Span } from "@/base/view";
import type { DrawnArrow } from "./arrows";
import { drawArrows } from "./arrows";
import { type DrawnBand, drawBands } from "./bands";
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
  // Device pixels.
  width: number;
  height: number;
  ratio: number;
  range: Span | null;
  markers: Marker[];
  focus: Outline | null;
  bands: DrawnBand[];
  arrows: DrawnArrow[];
  chain: DrawnArrow[];
}

export function paintOverlay(context: CanvasRenderingContext2D, scene: OverlayScene): void {
  const { ratio, theme, view, width, height } = scene;
  const hair = Math.max(1, Math.round(ratio));
  drawBands(context, scene.bands, theme, ratio);
  if (scene.range) {
    const x0 = Math.round(view.x(scene.range.from));
    const x1 = Math.round(view.x(scene.range.to));
    context.fillStyle = theme.dark ? "rgb(0 0 0 / 38%)" : "rgb(60 70 85 / 13%)";
    context.fillRect(0, 0, Math.max(0, x0), height);
    context.fillRect(Math.min(width, x1), 0, width, height);
    context.fillStyle = theme.accent;
    for (const x of [x0, x1]) context.fillRect(x, 0, hair, height);
  }
  context.fillStyle = MARKER_COLOR(theme);
  for (const marker of scene.markers) {
    const x = Math.round(view.x(marker.at));
    if (x >= 0 && x <= width) context.fillRect(x, 0, hair, height);
  }
  drawArrows(context, scene.arrows, theme, ratio, false);
  drawArrows(context, scene.chain, theme, ratio, true);
  if (scene.focus) {
    outline(context, scene, scene.focus, theme.background, 4 * hair);
    outline(context, scene, scene.focus, theme.dark ? "#ffffff" : "#101418", 2 * hair);
  }
}

function outline(
  context: CanvasRenderingContext2D,
  scene: OverlayScene,
  o: Outline,
  color: string,
  thick: number,
): void {
  const x0 = Math.max(-thick, Math.round(scene.view.x(o.from)));
  const x1 = Math.min(scene.width + thick, Math.max(x0 + 2, Math.round(scene.view.x(o.to))));
  context.strokeStyle = color;
  context.lineWidth = thick;
  context.strokeRect(x0 + 0.5, o.top + 0.5, x1 - x0 - 1, o.size - 2);
}

export const MARKER_COLOR = (theme: Theme) => (theme.dark ? "#ffd166" : "#a35a00");

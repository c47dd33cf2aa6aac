// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Stretches of lanes under a veil of colour with an edge below.
import type { Theme } from "./palette";

// Device pixels.
export interface DrawnBand {
  x0: number;
  x1: number;
  top: number;
  size: number;
}

export const BAND_COLOR = (theme: Theme) => (theme.dark ? "#ffbf3f" : "#d98a00");

export function drawBands(context: CanvasRenderingContext2D, bands: DrawnBand[], theme: Theme, ratio: number): void {
  const edge = Math.max(2, Math.round(2 * ratio));
  context.fillStyle = BAND_COLOR(theme);
  for (const { x0, x1, top, size } of bands) {
    context.globalAlpha = theme.dark ? 0.2 : 0.22;
    context.fillRect(x0, top, x1 - x0, size);
    context.globalAlpha = 1;
    context.fillRect(x0, top + size - edge, x1 - x0, edge);
  }
}

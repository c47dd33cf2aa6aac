// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Light or dark: whatever ground the page gives the timeline decides, so the page's switch needs no second one here.
import { DARK, LIGHT, type Theme } from "./palette";

export function themeOf(element: HTMLElement): Theme {
  const match = /(\d+)[, ]+(\d+)[, ]+(\d+)/.exec(getComputedStyle(element).backgroundColor);
  if (!match) return LIGHT;
  const [r, g, b] = match.slice(1).map(Number) as [number, number, number];
  return 0.3 * r + 0.59 * g + 0.11 * b < 128 ? DARK : LIGHT;
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The page's colours as the canvases need them. The style sheet's variables decide, so the page's switch is the only one.
import { causes } from "@/base/causes";
import { DARK, hex, LIGHT, mix, type Theme } from "./palette";

export function themeOf(element: HTMLElement): Theme {
  const style = getComputedStyle(element);
  const read = (name: string, otherwise: string) => {
    const value = style.getPropertyValue(name).trim();
    return /^#[0-9a-f]{6}$/i.test(value) ? value : otherwise;
  };
  const background = read("--surface", LIGHT.background);
  const [r, g, b] = hex(background);
  const plain = 0.3 * r + 0.59 * g + 0.11 * b < 128 ? DARK : LIGHT;
  return {
    dark: plain.dark,
    background,
    band: `#${mix(hex(background), hex(read("--line", plain.line)), 0.3)
      .map((v) => v.toString(16).padStart(2, "0"))
      .join("")}`,
    text: read("--text", plain.text),
    muted: read("--muted", plain.muted),
    line: read("--line", plain.line),
    accent: read("--accent", plain.accent),
    sliceText: plain.sliceText,
    causes: causes.map((cause, i) => read(cause.color.replace(/^var\((.*)\)$/, "$1"), plain.causes[i] as string)),
  };
}

export function sameTheme(a: Theme, b: Theme): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

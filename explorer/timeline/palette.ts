// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Name → colour, and the table from (variant, band, colour, density) to a pixel. Colours are made in OKLCH with one lightness,
// so that no name shouts and dark text is readable on all of them, on a light page and on a dark one.

import { causes } from "@/base/causes";

// Shades of density between "something is here" and "busy all the time".
export const SHADES = 32;
// The density of the least event: a column with anything in it is never darker than this.
export const LEAST_SHADE = 11;
export const HASH_COLORS = 24;

export const Variant = { normal: 0, dim: 1, hit: 2, selected: 3 } as const;
const VARIANTS = 4;

export const COLORS = HASH_COLORS + causes.length;

// What the picture takes from the page's style sheet (app/style/tokens.css), so that canvas and page are of one piece.
export interface Theme {
  dark: boolean;
  background: string;
  // Every other step is drawn on this.
  band: string;
  text: string;
  muted: string;
  line: string;
  accent: string;
  sliceText: string;
  // In the order of `causes`.
  causes: string[];
}

export const LIGHT: Theme = {
  dark: false,
  background: "#ffffff",
  band: "#f0f0ed",
  text: "#1c1e21",
  muted: "#5d626a",
  line: "#e3e2de",
  accent: "#2a5bd0",
  sliceText: "#14181d",
  causes: causes.map(() => "#a6a6a0"),
};
export const DARK: Theme = {
  dark: true,
  background: "#1a1d21",
  band: "#22262c",
  text: "#e4e6ea",
  muted: "#9ba2ad",
  line: "#2b2f36",
  accent: "#7ea6ff",
  sliceText: "#0d1014",
  causes: causes.map(() => "#6d7077"),
};

// The same name has the same colour in every trace and session. Numbers do not count: layer.3 and layer.4 are alike.
export function colorOfName(name: string): number {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code >= 48 && code <= 57) continue;
    hash = Math.imul(hash ^ code, 16777619);
  }
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  hash ^= hash >>> 12;
  return (hash >>> 0) % HASH_COLORS;
}

export function colorOfCause(name: string): number {
  const index = causes.findIndex((cause) => cause.id === name);
  return HASH_COLORS + (index < 0 ? causes.length - 1 : index);
}

export type Rgb = [number, number, number];

export function colorRgb(color: number, theme: Theme): Rgb {
  const cause = theme.causes[color - HASH_COLORS];
  if (cause) return hex(cause);
  const { dark } = theme;
  // Two rings of hues: twelve clear ones, twelve quieter and a little darker.
  const ring = color % 2;
  const hue = 20 + ((color >> 1) * 360) / (HASH_COLORS / 2) + ring * 15;
  return ring === 0 ? oklch(dark ? 0.73 : 0.81, 0.088, hue) : oklch(dark ? 0.67 : 0.76, 0.062, hue);
}

export function cssOf(rgb: Rgb): string {
  return `rgb(${rgb[0]} ${rgb[1]} ${rgb[2]})`;
}

// pixel = table[shadeIndex(...)]; ABGR, as ImageData wants it on a little-endian machine.
export class ShadeTable {
  readonly pixels = new Uint32Array(VARIANTS * 2 * COLORS * SHADES);
  // The empty pixel of both bands.
  readonly empty: [number, number];
  // Left edge of a slice, by colour and variant: a darker tone.
  readonly edges = new Uint32Array(VARIANTS * COLORS);

  constructor(readonly theme: Theme) {
    const grounds = [hex(theme.background), hex(theme.band)] as const;
    this.empty = [pack(grounds[0]), pack(grounds[1])];
    const ink: Rgb = theme.dark ? [255, 255, 255] : [0, 0, 0];
    for (let variant = 0; variant < VARIANTS; variant++) {
      for (let color = 0; color < COLORS; color++) {
        let tone = colorRgb(color, theme);
        if (variant === Variant.dim) tone = mix(gray(tone), grounds[0], theme.dark ? 0.72 : 0.7);
        if (variant === Variant.selected) tone = mix(tone, ink, theme.dark ? 0.25 : 0.12);
        this.edges[variant * COLORS + color] = pack(mix(tone, theme.dark ? grounds[0] : ink, theme.dark ? 0.6 : 0.28));
        for (let band = 0; band < 2; band++) {
          for (let shade = 0; shade < SHADES; shade++) {
            // Hits and selected ones are seen however small they are.
            const least = variant >= Variant.hit ? SHADES * 0.75 : 0;
            const share = Math.max(shade, least) / (SHADES - 1);
            const index = ((variant * 2 + band) * COLORS + color) * SHADES + shade;
            this.pixels[index] = pack(mix(grounds[band] as Rgb, tone, Math.min(1, share)));
          }
        }
      }
    }
  }
}

export function pack([r, g, b]: Rgb): number {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

export function hex(text: string): Rgb {
  const value = Number.parseInt(text.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  return [0, 1, 2].map((i) => Math.round((a[i] as number) * (1 - share) + (b[i] as number) * share)) as Rgb;
}

function gray([r, g, b]: Rgb): Rgb {
  const light = Math.round(0.3 * r + 0.59 * g + 0.11 * b);
  return [light, light, light];
}

// OKLCH to sRGB, clipped (Björn Ottosson's matrices).
function oklch(light: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((v) => {
    const clipped = Math.min(1, Math.max(0, v));
    const coded = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
    return Math.round(coded * 255);
  }) as Rgb;
}

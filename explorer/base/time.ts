// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Times as text. All times are ns.

const UNITS: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

// "1.234 ms": the unit that keeps the number below 1,000, `digits` significant ones.
export function formatDuration(ns: number, digits = 4): string {
  if (!Number.isFinite(ns)) return "–";
  if (ns === 0) return "0 ns";
  const size = Math.abs(ns);
  for (const [scale, unit] of UNITS) {
    if (size < scale && unit !== "ns") continue;
    const value = ns / scale;
    const whole = Math.max(1, Math.floor(Math.log10(Math.abs(value))) + 1);
    const places = Math.max(0, Math.min(digits - whole, unit === "ns" && Number.isInteger(ns) ? 0 : digits));
    return `${grouped(value, places)} ${unit}`;
  }
  return `${grouped(ns, digits)} ns`;
}

// A place on the axis with as many digits as a step of `resolution` ns needs: "1.204 350 s".
export function formatOffset(ns: number, resolution: number): string {
  const size = Math.abs(ns);
  const [scale, unit] = UNITS.find(([s]) => size >= s && resolution >= s / 1e6) ??
    UNITS.find(([s]) => size >= s) ?? [1, "ns"];
  const places = Math.max(0, Math.min(9, Math.ceil(Math.log10(scale / Math.max(resolution, 1e-3)))));
  return `${grouped(ns / scale, scale === 1 ? 0 : places)} ${unit}`;
}

// Every digit: "12,345,678 ns".
export function formatExact(ns: number): string {
  return `${grouped(ns, Number.isInteger(ns) ? 0 : 3)} ns`;
}

// One for each number of places: making one costs a hundred times as much as using it, and the ruler writes many a frame.
const formats: Intl.NumberFormat[] = [];

export function grouped(value: number, places = 0): string {
  let format = formats[places];
  if (!format) {
    format = new Intl.NumberFormat("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
    formats[places] = format;
  }
  return format.format(value);
}

// 1, 2 or 5 × 10^n, the smallest that is not below `least`.
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const share = least / power;
  // A hair of tolerance: 10^n is not exact for negative n.
  const step = share <= 1.000001 ? 1 : share <= 2.000001 ? 2 : share <= 5.000001 ? 5 : 10;
  return step * power;
}

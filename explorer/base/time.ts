// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Times as text. A time is a whole number of ticks of the trace in front: 1 ns of a session, 1 ps of a device profile.
import { computed, signal } from "@preact/signals";

export const SESSION_TICK = 1000;
// ps of a tick; the app keeps it at that of the trace in front.
export const tickPs = signal(SESSION_TICK);

// ps of a unit and its name.
const UNITS: [number, string][] = [
  [1e12, "s"],
  [1e9, "ms"],
  [1e6, "µs"],
  [1e3, "ns"],
  [1, "ps"],
];

// Those that a whole tick can be told in, the largest first: ticks of a unit and its name.
const units = computed(() =>
  UNITS.filter(([scale]) => scale >= tickPs.value).map(([scale, unit]): [number, string] => [
    scale / tickPs.value,
    unit,
  ]),
);
export function timeUnits(): readonly [number, string][] {
  return units.value;
}

// "1.234 ms": the unit that keeps the number below 1,000, `digits` significant ones.
export function formatDuration(ticks: number, digits = 4): string {
  if (!Number.isFinite(ticks)) return "–";
  const known = timeUnits();
  const size = Math.abs(ticks);
  const [scale, unit] = known.find(([s]) => size >= s) ?? known.at(-1) ?? [1, "ns"];
  const value = ticks / scale;
  if (value === 0) return `0 ${unit}`;
  const whole = Math.max(1, Math.floor(Math.log10(Math.abs(value))) + 1);
  const places = Math.max(0, Math.min(digits - whole, scale === 1 && Number.isInteger(ticks) ? 0 : digits));
  return `${grouped(value, places)} ${unit}`;
}

// A place on the axis with as many digits as a step of `resolution` ticks needs: "1.204 350 s".
export function formatOffset(ticks: number, resolution: number): string {
  const known = timeUnits();
  const size = Math.abs(ticks);
  const [scale, unit] = known.find(([s]) => size >= s && resolution >= s / 1e6) ??
    known.find(([s]) => size >= s) ??
    known.at(-1) ?? [1, "ns"];
  const places = Math.max(0, Math.min(9, Math.ceil(Math.log10(scale / Math.max(resolution, 1e-3)))));
  return `${grouped(ticks / scale, scale === 1 ? 0 : places)} ${unit}`;
}

// Every digit: "12,345,678 ns".
export function formatExact(ticks: number): string {
  return `${grouped(ticks, Number.isInteger(ticks) ? 0 : 3)} ${timeUnits().at(-1)?.[1] ?? "ns"}`;
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

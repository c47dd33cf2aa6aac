// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers for people. A column has one unit, chosen from its largest value, so that digits line up and can be compared; a
// number that stands alone chooses its own.

import { timeUnits } from "@/base/time";

export interface Unit {
  // What stands in the column's header; empty when the number needs none.
  label: string;
  divide: number;
  decimals: number;
}

const NS: Unit = { label: "ns", divide: 1, decimals: 0 };
const TIME: Unit[] = [
  { label: "s", divide: 1e9, decimals: 3 },
  { label: "ms", divide: 1e6, decimals: 3 },
  { label: "µs", divide: 1e3, decimals: 3 },
  NS,
];
const PS: Unit = { label: "ps", divide: 1, decimals: 0 };
const DEVICE_TIME: Unit[] = [
  { label: "ms", divide: 1e9, decimals: 3 },
  { label: "µs", divide: 1e6, decimals: 3 },
  { label: "ns", divide: 1e3, decimals: 3 },
  PS,
];
const BYTE: Unit = { label: "B", divide: 1, decimals: 0 };
const SIZE: Unit[] = [
  { label: "GiB", divide: 2 ** 30, decimals: 2 },
  { label: "MiB", divide: 2 ** 20, decimals: 2 },
  { label: "KiB", divide: 2 ** 10, decimals: 1 },
  BYTE,
];
const PLAIN: Unit = { label: "", divide: 1, decimals: 0 };

// The unit of a column: three digits before the point more than a lone number would get, since its small values matter too.
export function unitOf(type: string, largest: number): Unit {
  if (type === "ns") return TIME.find((unit) => largest >= unit.divide * 100) ?? NS;
  if (type === "ps") return DEVICE_TIME.find((unit) => largest >= unit.divide) ?? PS;
  if (type === "bytes") return SIZE.find((unit) => largest >= unit.divide * 10) ?? BYTE;
  if (type === "real") return { ...PLAIN, decimals: largest >= 1000 ? 1 : 3 };
  return PLAIN;
}

const formats = new Map<number, Intl.NumberFormat>();

export function decimal(value: number, decimals = 0): string {
  let format = formats.get(decimals);
  if (!format) {
    format = new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    formats.set(decimals, format);
  }
  return format.format(value);
}

export function inUnit(value: number, unit: Unit): string {
  return decimal(value / unit.divide, unit.decimals);
}

// "1.23 ms", "412 ns": three digits and a unit, for a time in ticks that stands alone.
export function time(ticks: number): string {
  if (!Number.isFinite(ticks)) return "–";
  return lone(ticks, timeUnits());
}

// Of a time in ps, whatever trace is in front.
export function timeOfPs(ps: number): string {
  return Number.isFinite(ps)
    ? lone(ps, [[1e12, "s"], ...DEVICE_TIME.map((u): [number, string] => [u.divide, u.label])])
    : "–";
}

function lone(value: number, units: readonly [number, string][]): string {
  const size = Math.abs(value);
  const [scale, unit] = units.find(([s]) => size >= s) ?? units.at(-1) ?? [1, "ns"];
  return `${threeDigits(value / scale, scale === 1)} ${unit}`;
}

// Four digits, wherever the point is: "0.0001234", "4.203", "78,643,200,000,000".
export function significant(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const places = 3 - Math.floor(Math.log10(Math.abs(value)));
  return decimal(value, Number.isInteger(value) ? 0 : Math.max(0, Math.min(9, places)));
}

export function bytes(count: number): string {
  if (!Number.isFinite(count)) return "–";
  const size = Math.abs(count);
  const unit = SIZE.find((u) => size >= u.divide) ?? BYTE;
  return `${threeDigits(count / unit.divide, unit.divide === 1)} ${unit.label}`;
}

export function count(value: number): string {
  return Number.isFinite(value) ? decimal(value) : "–";
}

// A share as "12.3 %"; what is there and rounds to nothing is "<0.1 %".
export function percent(share: number): string {
  if (!Number.isFinite(share)) return "–";
  const value = share * 100;
  if (value > 0 && value < 0.05) return "<0.1 %";
  return `${decimal(value, 1)} %`;
}

// Shares of one whole, rounded so that what is read adds up to 100.0 %: the largest remainders are rounded up.
export function shares(values: readonly number[]): string[] {
  const whole = values.reduce((sum, value) => sum + value, 0);
  if (!(whole > 0)) return values.map(() => percent(0));
  const exact = values.map((value) => (value / whole) * 1000);
  const tenths = exact.map(Math.floor);
  const missing = 1000 - tenths.reduce((sum, value) => sum + value, 0);
  const order = exact
    .map((value, i) => ({ i, rest: value - Math.floor(value) }))
    .sort((a, b) => b.rest - a.rest || a.i - b.i);
  for (const { i } of order.slice(0, missing)) tenths[i] = (tenths[i] ?? 0) + 1;
  return tenths.map((value, i) => (value === 0 && (values[i] ?? 0) > 0 ? "<0.1 %" : `${decimal(value / 10, 1)} %`));
}

function threeDigits(value: number, whole: boolean): string {
  if (whole) return decimal(value);
  const size = Math.abs(value);
  return decimal(value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

// "12.5ms", "3 µs", "400" (of `unit`) as a number of `unit`; null when it is no time.
export function readTime(text: string, unit: "ns" | "ps" = "ns"): number | null {
  const match = /^([0-9]*\.?[0-9]+)\s*(ps|ns|us|µs|ms|s)?$/.exec(text.trim());
  if (!match?.[1]) return null;
  const ns: Record<string, number> = { ps: 1e-3, ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };
  const scale = (ns[match[2] ?? unit] ?? 1) * (unit === "ps" ? 1e3 : 1);
  return Number(match[1]) * scale;
}

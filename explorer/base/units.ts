// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers for people. A column has one unit, chosen from its largest value, so that digits line up and can be compared; a
// number that stands alone chooses its own.

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

// "1.23 ms", "412 ns": three digits and a unit, for a number that stands alone.
export function time(ns: number): string {
  if (!Number.isFinite(ns)) return "–";
  const size = Math.abs(ns);
  const unit = TIME.find((u) => size >= u.divide) ?? NS;
  return `${threeDigits(ns / unit.divide, unit.divide === 1)} ${unit.label}`;
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

// "12.5ms", "3 µs", "400" (ns) as ns; null when it is no time.
export function readTime(text: string): number | null {
  const match = /^([0-9]*\.?[0-9]+)\s*(ns|us|µs|ms|s)?$/.exec(text.trim());
  if (!match?.[1]) return null;
  const scale = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 }[match[2] ?? "ns"];
  return scale === undefined ? null : Number(match[1]) * scale;
}

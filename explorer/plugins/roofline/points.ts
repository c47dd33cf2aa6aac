// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the roofline's tables say, as things to draw: points by intensity and rate, ceilings as lines. Pure.
import type { FrameTable } from "@/engine/frame";
import { rowsOf } from "@/engine/rows";

export interface Point {
  // Row of the table `points`.
  row: number;
  level: string;
  name: string;
  time: number;
  // FLOP per byte of HBM and GFLOP/s; not finite where a point has none and cannot be drawn.
  intensity: number;
  rate: number;
  bound: string;
  headroom: number;
  sentence: string;
}

export interface Ceiling {
  name: string;
  kind: "compute" | "memory";
  // GFLOP/s (or G elements/s) of a compute ceiling, GB/s of a memory ceiling.
  value: number;
  unit: string;
  source: string;
  // The one that counts for most programs: the others are drawn thin.
  strong: boolean;
}

export function pointsOf(table: FrameTable): Point[] {
  return rowsOf(table).map((row) => ({
    row: row.index,
    level: row.text("level") ?? "",
    name: row.text("name") ?? "",
    time: row.amount("time_ps"),
    intensity: row.number("flop_per_byte"),
    rate: row.number("gflop_per_s"),
    bound: row.text("bound") ?? "",
    headroom: row.number("headroom"),
    sentence: row.text("sentence") ?? "",
  }));
}

export function drawable(point: Point): boolean {
  return point.intensity > 0 && Number.isFinite(point.intensity) && point.rate > 0 && Number.isFinite(point.rate);
}

// The point of the opcode that a run is of; of a DMA, of the instruction that ordered it. `args`: of its details.
export function pointOfRun(points: readonly Point[], args: Record<string, unknown>): Point | null {
  const of = (args.ordered_by ?? args) as Record<string, unknown>;
  return points.find((p) => p.level === "opcode" && p.name === `${of.engine} ${of.opcode}`) ?? null;
}

const STRONG = new Set(["tensor bfloat16", "hbm"]);

// Ceilings of one kind and value are one line with all their names; the launch overhead is no line of its own: it lowers one point.
export function ceilingsOf(table: FrameTable): Ceiling[] {
  const lines = new Map<string, Ceiling>();
  for (const row of rowsOf(table)) {
    const kind = row.text("kind");
    const value = row.amount("value") * 1e-9;
    if ((kind !== "compute" && kind !== "memory") || value <= 0) continue;
    const name = row.text("name") ?? "";
    const key = `${kind} ${value}`;
    const known = lines.get(key);
    if (known) {
      known.name += `, ${name}`;
      known.strong ||= STRONG.has(name);
    } else {
      const unit = row.text("unit") ?? "";
      lines.set(key, { name, kind, value, unit, source: row.text("source") ?? "", strong: STRONG.has(name) });
    }
  }
  return [...lines.values()];
}

export interface Axis {
  // Powers of ten.
  low: number;
  high: number;
}

// The decades that hold all points and the corner where the strong ceilings meet, with a little air.
export function axesOf(points: readonly Point[], ceilings: readonly Ceiling[]): { x: Axis; y: Axis } {
  const drawn = points.filter(drawable);
  const compute = ceilings.filter((c) => c.kind === "compute").map((c) => c.value);
  const memory = ceilings.filter((c) => c.kind === "memory").map((c) => c.value);
  const top = Math.max(1, ...compute);
  const corner = memory.length > 0 ? top / Math.min(...memory) : 1;
  const xs = [...drawn.map((p) => p.intensity), corner];
  const ys = [...drawn.map((p) => p.rate), top, ...(memory.length > 0 ? [Math.max(...memory) * Math.min(...xs)] : [])];
  const axis = (values: number[]): Axis => ({
    low: Math.floor(Math.log10(Math.min(...values)) - 0.2),
    high: Math.ceil(Math.log10(Math.max(...values)) + 0.2),
  });
  return { x: axis(xs), y: axis(ys) };
}

// From a value to 0..1 along an axis.
export function along(axis: Axis, value: number): number {
  return (Math.log10(value) - axis.low) / (axis.high - axis.low);
}

// Radius by time: the area goes with it, and the smallest can still be hit.
export function radiusOf(point: Point, longest: number): number {
  return 5 + 13 * Math.sqrt(longest > 0 ? point.time / longest : 0);
}

// Where the names of lines stand, so that none lies on another: for heights in pixels the baselines, or null where there is no room.
// A name stands above its line, or else below it.
export function baselines(lines: readonly number[], least = 13): (number | null)[] {
  const taken: number[] = [];
  const order = lines.map((_, i) => i).sort((a, b) => (lines[a] ?? 0) - (lines[b] ?? 0));
  const out: (number | null)[] = lines.map(() => null);
  for (const i of order) {
    const line = lines[i] ?? 0;
    const place = [line - 4, line + 12].find((at) => taken.every((other) => Math.abs(other - at) >= least));
    if (place === undefined) continue;
    taken.push(place);
    out[i] = place;
  }
  return out;
}

export const LEVELS: Record<string, string> = {
  program: "Program",
  "program with overhead": "Program with the launch's overhead",
  aten_node: "ATen nodes",
  module: "Modules",
  opcode: "Opcodes",
};

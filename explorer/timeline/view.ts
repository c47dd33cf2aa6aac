// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What part of the axis is on the screen, and the arithmetic between ns and pixels. Pixels are device pixels from the left edge
// of the lanes. Pure; the controller owns one.
import type { Span } from "@/base/view";

// Below this nothing is told apart any more: times are whole ns.
export const LEAST_SPAN_NS = 20;
// So much of the screen may be empty beyond the ends of the trace.
const MARGIN = 0.5;

export class View {
  from = 0;
  to = 1;
  width = 1;
  begin = 0;
  end = 1;

  get span(): number {
    return this.to - this.from;
  }
  get nsPerPixel(): number {
    return this.span / this.width;
  }

  x(ns: number): number {
    return ((ns - this.from) / this.span) * this.width;
  }
  ns(x: number): number {
    return this.from + (x / this.width) * this.span;
  }

  // The level of tiles whose columns are at most one pixel wide.
  get level(): number {
    return Math.max(0, Math.floor(Math.log2(this.nsPerPixel)));
  }

  bounds(begin: number, end: number): void {
    this.begin = begin;
    this.end = Math.max(end, begin + LEAST_SPAN_NS);
  }

  // The whole trace with a little air on both sides.
  get whole(): Span {
    const air = (this.end - this.begin) * 0.01;
    return { from: this.begin - air, to: this.end + air };
  }

  set(span: Span): void {
    const longest = (this.end - this.begin) * (1 + MARGIN);
    const length = Math.min(Math.max(span.to - span.from, LEAST_SPAN_NS), Math.max(longest, LEAST_SPAN_NS));
    const middle = (span.from + span.to) / 2;
    const slack = length * MARGIN;
    const lowest = this.begin - slack;
    const highest = this.end + slack - length;
    this.from = Math.min(Math.max(middle - length / 2, lowest), Math.max(highest, lowest));
    this.to = this.from + length;
  }

  // Zooms such that the time at pixel x stays where it is; factor < 1 zooms in.
  zoom(x: number, factor: number): void {
    const at = this.ns(x);
    const length = Math.max(this.span * factor, LEAST_SPAN_NS);
    const from = at - (x / this.width) * length;
    this.set({ from, to: from + length });
  }

  pan(pixels: number): void {
    const shift = pixels * this.nsPerPixel;
    this.set({ from: this.from + shift, to: this.to + shift });
  }

  // A span with air around it, as `reveal` and "zoom to selection" show it.
  static around(span: Span, share = 0.2): Span {
    const air = Math.max((span.to - span.from) * share, LEAST_SPAN_NS / 4);
    return { from: span.from - air, to: span.to + air };
  }
}

// Undo and redo of zooms. A view counts once it has rested; small steps of one movement are one entry.
export class ViewHistory {
  private past: Span[] = [];
  private future: Span[] = [];
  private now: Span | null = null;

  constructor(private readonly limit = 100) {}

  rest(span: Span): void {
    if (this.now && close(this.now, span)) return;
    if (this.now) this.past.push(this.now);
    if (this.past.length > this.limit) this.past.shift();
    this.now = { ...span };
    this.future = [];
  }

  undo(): Span | null {
    return this.move(this.past, this.future);
  }
  redo(): Span | null {
    return this.move(this.future, this.past);
  }

  private move(source: Span[], target: Span[]): Span | null {
    const next = source.pop();
    if (!next) return null;
    if (this.now) target.push(this.now);
    this.now = next;
    return { ...next };
  }
}

function close(a: Span, b: Span): boolean {
  const tolerance = (a.to - a.from) * 1e-3;
  return Math.abs(a.from - b.from) <= tolerance && Math.abs(a.to - b.to) <= tolerance;
}

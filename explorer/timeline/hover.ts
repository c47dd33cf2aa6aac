// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The card at the pointer: what is there, at once where the tiles know it, else after a short question to the server.
import { signal } from "@preact/signals";
import { causeOf } from "@/base/causes";
import { formatDuration, formatExact, formatOffset, grouped } from "@/base/time";
import { bytes, significant } from "@/base/units";
import type { Gap, SmallRegion, TraceEvent } from "@/engine/api";
import { isAbort } from "@/engine/transport";
import { arrowAt, KIND_TEXT, kindColor } from "./arrows";
import { BAND_COLOR } from "./bands";
import { Paint, type TimelineCore } from "./core";
import type { Events } from "./events";
import type { Row } from "./labels";
import { compact } from "./labels";
import { type Found, sliceAt } from "./locate";
import { colorOfCause, colorOfName, colorRgb, cssOf } from "./palette";
import type { SmallDmaBands } from "./small_dmas";

export interface Card {
  x: number;
  y: number;
  title: string;
  color: string;
  lines: [label: string, value: string][];
}

const DELAY_MS = 70;
// How far from a slice a pointer still means it, CSS pixels.
export const REACH = 3;

export class Hover {
  readonly card = signal<Card | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private question: AbortController | null = null;
  // Over which the pointer stands.
  private band: SmallRegion | null = null;

  constructor(
    readonly core: TimelineCore,
    readonly events: Events,
    readonly smallDmas: SmallDmaBands,
  ) {}

  stop(): void {
    this.leave();
  }

  leave(): void {
    clearTimeout(this.timer);
    this.question?.abort();
    if (this.card.peek()) this.card.value = null;
    if (this.core.hover) {
      this.core.hover = null;
      this.core.invalidate(Paint.pointer);
    }
  }

  at(x: number, y: number): void {
    const { core } = this;
    clearTimeout(this.timer);
    this.question?.abort();
    this.band = null;
    const arrow = arrowAt(this.events.drawnArrows, x * core.ratio, y * core.ratio, 4 * core.ratio, core.ratio);
    if (arrow) {
      const { kind, method, confidence, from, to } = arrow.arrow;
      this.show(x, y, null, {
        title: KIND_TEXT[kind] ?? kind,
        color: kindColor(kind, core.theme.peek()),
        lines: [
          ["time between", formatDuration(to.at - from.at)],
          ["method", method || "–"],
          ["confidence", String(confidence || "–")],
        ],
      });
      return;
    }
    const row = core.rowAt(y);
    if (!row) {
      this.leave();
      return;
    }
    const ns = core.ns(x);
    this.band = this.smallDmas.at(row.lane, ns, core.ratio * core.view.nsPerPixel);
    if (row.lane.kind === "counter") {
      this.counter(x, y, row, ns);
      return;
    }
    const reach = REACH * core.ratio * core.view.nsPerPixel;
    const found = sliceAt(row, ns, reach);
    if (!found) {
      if (this.band) this.show(x, y, null, { title: "Small DMAs", color: BAND_COLOR(core.theme.peek()), lines: [] });
      else this.leave();
      return;
    }
    this.found(x, y, row, found);
    if (!found.exact) {
      this.timer = setTimeout(() => void this.ask(x, y, row, found, ns, reach), DELAY_MS);
    }
  }

  private found(x: number, y: number, row: Row, found: Found): void {
    const { core } = this;
    const name = core.session.name(found.name);
    const gap = row.lane.kind === "gaps";
    const color = cssOf(colorRgb(gap ? colorOfCause(name) : colorOfName(name), core.theme.peek()));
    const lines: Card["lines"] = [];
    if (found.exact) {
      this.times(lines, found.from, found.to - found.from);
      if (found.before > 0) lines.push(["overhead before", formatDuration(found.before)]);
      if (found.after > 0) lines.push(["overhead after", formatDuration(found.after)]);
    } else if (found.count > 1) {
      lines.push(["here", `${grouped(found.count)} events; the longest is shown`]);
    }
    if (gap) lines.push(["cause", causeOf(name).about || name]);
    lines.push(["lane", laneText(row)]);
    this.show(x, y, found.exact ? { lane: row.lane.id, row: found.row, from: found.from, to: found.to } : null, {
      title: gap ? `Gap: ${causeOf(name).title}` : name,
      color,
      lines,
    });
  }

  private async ask(x: number, y: number, row: Row, found: Found, ns: number, reach: number): Promise<void> {
    const { core } = this;
    const mine = new AbortController();
    this.question = mine;
    const at = { lane: row.lane.id, row: found.row, from: Math.floor(ns - reach), to: Math.ceil(ns + reach) };
    let event: TraceEvent | null;
    let gap: Gap | null;
    try {
      ({ event, gap } = await core.session.client.hit(core.session.id, at, mine.signal));
    } catch (failure) {
      if (!isAbort(failure)) core.failure.value = failure instanceof Error ? failure.message : String(failure);
      return;
    }
    if (mine.signal.aborted) return;
    if (gap) {
      this.found(x, y, row, { ...found, from: gap.from, to: gap.to, exact: true });
      return;
    }
    if (!event) return;
    const lines: Card["lines"] = [];
    this.times(lines, event.start_ns, event.dur_ns);
    if (found.count > 1) lines.push(["here", `${grouped(found.count)} events; the longest is shown`]);
    if (event.category) lines.push(["category", event.category]);
    lines.push(["lane", laneText(row)]);
    const color = cssOf(colorRgb(colorOfName(event.name), core.theme.peek()));
    const outline = { lane: row.lane.id, row: event.row, from: event.start_ns, to: event.start_ns + event.dur_ns };
    this.show(x, y, outline, { title: event.name, color, lines });
  }

  private times(lines: Card["lines"], from: number, dur: number): void {
    const { core } = this;
    const exact = dur >= 1000 ? ` (${formatExact(dur)})` : "";
    lines.push(["duration", `${formatDuration(dur)}${exact}`]);
    lines.push(["start", formatOffset(from, Math.min(core.view.nsPerPixel, 1000))]);
  }

  private counter(x: number, y: number, row: Row, ns: number): void {
    let value = Number.NaN;
    for (const segment of [...row.segments].sort((a, b) => a.from - b.from)) {
      const counter = segment.tiles.counter;
      if (!counter || segment.from > ns) continue;
      for (let i = 0; i < counter.column.length; i++) {
        const at = segment.block.from + (counter.column[i] as number) * 2 ** segment.block.level;
        if (at > ns || at >= segment.to) break;
        value = counter.last[i] as number;
      }
    }
    if (Number.isNaN(value)) {
      this.leave();
      return;
    }
    this.show(x, y, null, {
      title: row.lane.title,
      color: cssOf(colorRgb(2, this.core.theme.peek())),
      lines: [
        ["value", `${significant(value)}${value >= 1e5 ? ` (${compact(value)})` : ""}`],
        ["at", formatOffset(ns, this.core.view.nsPerPixel)],
      ],
    });
  }

  private show(x: number, y: number, outline: TimelineCore["hover"], card: Omit<Card, "x" | "y">): void {
    const lines = this.band ? [...card.lines, ...bandLines(this.band)] : card.lines;
    this.card.value = { x, y, ...card, lines };
    this.core.hover = outline;
    this.core.invalidate(Paint.pointer);
  }
}

function bandLines(band: SmallRegion): Card["lines"] {
  return [
    ["small DMAs", `${grouped(band.transfers)} in ${formatDuration(band.to - band.from)}, ${bytes(band.bytes)}`],
    ["what to do", band.text],
  ];
}

function laneText(row: Row): string {
  const { title, subtitle } = row.lane;
  return subtitle ? `${title} · ${subtitle}` : title;
}

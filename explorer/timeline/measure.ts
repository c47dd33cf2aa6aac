// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Measuring: a range of the axis, or a box of lanes and time. The statistics follow the range or box; a box also becomes the
// selection of the page. Numbers come from the server, which counts exactly.
import { effect, signal } from "@preact/signals";
import type { Span } from "@/base/view";
import type { LaneGroup, SelectionMembers, SelectRequest } from "@/engine/api";
import { eventIdText } from "@/engine/frame";
import { isAbort } from "@/engine/transport";
import { Paint, type TimelineCore } from "./core";

export interface Statistics {
  span: Span;
  lanes: number;
  // null while the server counts.
  numbers: SelectionMembers | null;
  byName: { name: string; count: number; sum_ns: number }[];
}

const DELAY_MS = 120;
// What a page can hold of a selection; the server's number stands for the rest.
const MOST_EVENTS = 2000;

export class Measure {
  readonly statistics = signal<Statistics | null>(null);
  // Which lanes a range is counted over.
  readonly scope = signal<LaneGroup | "all">("all");
  private timer: ReturnType<typeof setTimeout> | undefined;
  private question: AbortController | null = null;
  private boxed = false;
  private readonly stops: (() => void)[];

  constructor(readonly core: TimelineCore) {
    this.stops = [
      effect(() => {
        const range = core.signals.range.value;
        void [core.layout.value, this.scope.value];
        if (range) this.follow(range);
        else if (!this.boxed) this.forget();
      }),
    ];
  }

  stop(): void {
    for (const stop of this.stops) stop();
    this.forget();
  }

  // The range between two times, in either order; null clears it.
  setRange(a: number, b: number): void {
    const from = Math.round(Math.min(a, b));
    const to = Math.round(Math.max(a, b));
    this.core.signals.range.value = to > from ? { from, to } : null;
  }

  clear(): void {
    this.boxed = false;
    this.core.signals.range.value = null;
    this.forget();
  }

  // Selects what touches a box on the screen (CSS pixels).
  async selectBox(box: { x0: number; y0: number; x1: number; y1: number }): Promise<void> {
    const { core } = this;
    const lanes = new Set<number>();
    for (const row of core.rows) {
      const top = row.top / core.ratio;
      const inside = !row.closed && top < box.y1 && top + row.size / core.ratio > box.y0;
      if (inside && row.lane.kind === "slices") lanes.add(row.lane.id);
    }
    const from = Math.round(core.ns(box.x0));
    const to = Math.round(core.ns(box.x1));
    if (lanes.size === 0 || from >= to) return;
    this.boxed = true;
    const numbers = await this.count({ box: { lanes: [...lanes], from, to } }, { from, to }, lanes.size);
    if (!numbers) return;
    const { total } = numbers.members;
    core.signals.selection.value = {
      events: numbers.events,
      token: numbers.members.selection,
      text: `${total.toLocaleString("en-US")} ${total === 1 ? "event" : "events"}`,
    };
    core.invalidate(Paint.lanes);
  }

  private follow(range: Span): void {
    clearTimeout(this.timer);
    const old = this.statistics.peek();
    const scope = this.scope.peek();
    const lanes = this.core.layout
      .peek()
      .shown.flatMap(({ lane }) =>
        lane?.kind === "slices" && (scope === "all" || lane.group === scope) ? [lane.id] : [],
      );
    this.statistics.value = { span: range, lanes: lanes.length, numbers: null, byName: old?.byName ?? [] };
    this.timer = setTimeout(() => void this.count({ box: { lanes, ...range } }, range, lanes.length), DELAY_MS);
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.question?.abort();
    if (this.statistics.peek()) this.statistics.value = null;
  }

  private async count(
    request: SelectRequest,
    span: Span,
    lanes: number,
  ): Promise<{ members: SelectionMembers; events: string[] } | null> {
    this.question?.abort();
    const mine = new AbortController();
    this.question = mine;
    this.statistics.value = { span, lanes, numbers: null, byName: this.statistics.peek()?.byName ?? [] };
    try {
      const { client, id } = this.core.session;
      const frame = await client.select(id, request, mine.signal);
      const members = frame.members as unknown as SelectionMembers;
      this.statistics.value = { span, lanes, numbers: members, byName: byNameOf(frame.members.by_name) };
      const ids = frame.table("selection").column("event").values;
      const events = Array.from(ids.subarray(0, MOST_EVENTS), eventIdText);
      return { members, events };
    } catch (failure) {
      if (!isAbort(failure) && !mine.signal.aborted) {
        this.core.failure.value = failure instanceof Error ? failure.message : String(failure);
        this.statistics.value = null;
      }
      return null;
    }
  }
}

function byNameOf(value: unknown): Statistics["byName"] {
  if (!Array.isArray(value)) return [];
  return value.filter((row) => typeof row?.name === "string" && typeof row.sum_ns === "number");
}

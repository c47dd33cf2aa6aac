// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The event in front: chosen by click, key or another part of the page; its chain of arrows; steps to its neighbours, to gaps
// and to search hits. Newer questions overtake older ones.
import { effect, signal } from "@preact/signals";
import { causeOf } from "@/base/causes";
import { formatDuration, grouped } from "@/base/time";
import type { Arrow, ArrowEnd, Chain, Gap, StepRequest, TraceEvent } from "@/engine/api";
import { eventIdText } from "@/engine/frame";
import { isAbort } from "@/engine/transport";
import { ASKED_ARROWS, arrowsOf, cull, type DrawnArrow, MOST_ARROWS } from "./arrows";
import { Paint, type Strip, type TimelineCore } from "./core";
import { View } from "./view";

interface Hit {
  lane: number;
  row: number;
  from: number;
  to: number;
  id: string;
}

export class Events {
  readonly event = signal<TraceEvent | null>(null);
  readonly gap = signal<Gap | null>(null);
  readonly chain = signal<Chain | null>(null);
  readonly allArrows = signal(false);
  // "412 of 9,310 arrows"; empty while none are asked for.
  readonly arrowsText = signal("");
  // What a screen reader is told.
  readonly spoken = signal("");

  private arrows: Arrow[] = [];
  private arrowsTotal = 0;
  private hits: Hit[] | null = null;
  private hitsFor = "";
  private readonly questions = new Map<string, AbortController>();
  private readonly stops: (() => void)[] = [];
  private drawn: { all: DrawnArrow[]; chain: DrawnArrow[] } = { all: [], chain: [] };

  constructor(readonly core: TimelineCore) {
    core.drawArrows = () => this.place();
    const rested = () => this.askArrows();
    core.onRest.add(rested);
    this.stops.push(
      () => core.onRest.delete(rested),
      effect(() => {
        const id = core.signals.focus.value;
        if (id === (this.event.peek()?.id ?? null)) return;
        if (id === null) this.forget();
        else void this.fetchFront(id);
      }),
      effect(() => {
        void this.allArrows.value;
        this.askArrows();
      }),
    );
  }

  stop(): void {
    for (const stop of this.stops) stop();
    for (const question of this.questions.values()) question.abort();
  }

  // Puts an event in front and tells the page.
  choose(event: TraceEvent, how: { show: boolean; speak?: boolean }): void {
    const { core } = this;
    this.event.value = event;
    this.gap.value = null;
    core.front = {
      lane: event.lane,
      row: event.row,
      from: event.start_ns,
      to: event.start_ns + event.dur_ns,
    };
    core.signals.selection.value = { events: [event.id], token: 0, text: event.name };
    core.signals.focus.value = event.id;
    if (how.show) {
      core.showRow(event.lane, event.row);
      core.showSpan(event.start_ns, event.start_ns + event.dur_ns);
    }
    if (how.speak !== false) this.speak(event);
    core.invalidate(Paint.lanes);
    const chain = this.chain.peek();
    if (!chain?.steps.some((step) => step.event?.id === event.id)) void this.fetchChain(event.id);
  }

  clear(): void {
    const { signals } = this.core;
    signals.focus.value = null;
    signals.selection.value = { events: [], token: 0, text: "" };
    this.forget();
  }

  async chooseAt(at: { lane: number; row: number; from: number; to: number }): Promise<void> {
    const { client, id } = this.core.session;
    const found = await this.ask("choose", (signal) => client.hit(id, at, signal));
    if (found?.event) this.choose(found.event, { show: false });
    else if (found?.gap) this.showGap(at.lane, found.gap);
  }

  // --- steps

  async step(dir: StepRequest["dir"]): Promise<void> {
    const from = this.event.peek();
    const { client, id } = this.core.session;
    const where = from ? { event: from.id } : this.middle();
    if (!where) return;
    const answer = await this.ask("step", (signal) => client.step(id, { ...where, dir, what: "event" }, signal));
    if (answer?.event) this.choose(answer.event, { show: true });
    else if (answer) this.spoken.value = `No ${dir} event.`;
  }

  // From a place in a row; undefined when the question failed or was overtaken.
  async stepIn(
    at: { lane: number; row: number; at: number },
    dir: StepRequest["dir"],
  ): Promise<TraceEvent | null | undefined> {
    const { client, id } = this.core.session;
    const answer = await this.ask("step", (signal) => client.step(id, { ...whole(at), dir, what: "event" }, signal));
    return answer ? answer.event : undefined;
  }

  async stepGap(dir: "next" | "previous"): Promise<void> {
    const { core } = this;
    const { client, id } = core.session;
    const lane = this.gapLane();
    if (!lane?.lane) {
      this.spoken.value = "This trace has no lane of gaps.";
      return;
    }
    const laneId = lane.lane.id;
    const gap = this.gap.peek();
    const event = this.event.peek();
    const at = gap ? gap.from : event ? event.start_ns : (core.view.from + core.view.to) / 2;
    const answer = await this.ask("step", (signal) =>
      client.step(id, { ...whole({ lane: laneId, row: 0, at }), dir, what: "gap" }, signal),
    );
    if (!answer?.gap) {
      if (answer) this.spoken.value = `No ${dir} gap.`;
      return;
    }
    this.showGap(laneId, answer.gap);
  }

  private showGap(lane: number, gap: Gap): void {
    const { core } = this;
    this.event.value = null;
    this.chain.value = null;
    core.signals.focus.value = null;
    this.gap.value = gap;
    core.front = { lane, row: 0, from: gap.from, to: gap.to };
    core.showRow(lane, 0);
    core.showSpan(gap.from, gap.to);
    // With its start: two gaps of one length and cause must not sound like one.
    const at = formatDuration(gap.from, 6);
    const length = formatDuration(gap.to - gap.from);
    this.spoken.value = `Gap of ${length} on ${gap.device}, starts at ${at}: ${causeOf(gap.cause).title}`;
    core.invalidate(Paint.lanes);
  }

  // J and K: to the neighbour in the chain of the event in front.
  chainStep(by: 1 | -1): void {
    const chain = this.chain.peek();
    const event = this.event.peek();
    if (!chain || !event) return;
    const steps = chain.steps.filter((step) => step.event !== null);
    const at = steps.findIndex((step) => step.event?.id === event.id);
    const next = steps[at + by]?.event;
    if (next) this.choose(next, { show: true });
    else this.spoken.value = by > 0 ? "The chain ends here." : "The chain begins here.";
  }

  async stepHit(by: 1 | -1): Promise<void> {
    const { core } = this;
    const text = core.signals.search.peek();
    if (!text) return;
    if (this.hitsFor !== text || !this.hits) {
      const { client, id } = core.session;
      const frame = await this.ask("hits", (signal) => client.search(id, { text, limit: 5000 }, signal));
      if (!frame) return;
      const table = frame.table("matches");
      const of = (name: string) => table.column(name).values;
      const [event, lane, row, start, dur] = [of("event"), of("lane"), of("row"), of("start_ns"), of("dur_ns")];
      this.hits = Array.from({ length: table.rows }, (_, i) => ({
        id: eventIdText(event[i] as number),
        lane: lane[i] as number,
        row: row[i] as number,
        from: start[i] as number,
        to: (start[i] as number) + (dur[i] as number),
      })).sort((a, b) => a.from - b.from);
      this.hitsFor = text;
    }
    const { hits } = this;
    if (hits.length === 0) {
      this.spoken.value = `Nothing is called ${text}.`;
      return;
    }
    const front = this.event.peek();
    const known = hits.findIndex((h) => h.id === front?.id);
    const after = hits.findIndex((h) => h.from > (front?.start_ns ?? core.view.from));
    const index = known >= 0 ? known + by : after < 0 ? (by > 0 ? 0 : hits.length - 1) : by > 0 ? after : after - 1;
    const hit = hits[(index + hits.length) % hits.length] as Hit;
    const { client, id } = core.session;
    const event = await this.ask("step", (signal) => client.event(id, hit.id, signal));
    if (event) this.choose(event, { show: true });
  }

  zoomTo(): void {
    const { core } = this;
    const span = core.signals.range.peek() ?? core.front;
    if (span) core.setView(View.around(span));
  }

  // --- arrows

  private place(): { all: DrawnArrow[]; chain: DrawnArrow[] } {
    const { core } = this;
    const screen = { width: core.width * core.ratio, height: core.height * core.ratio };
    const x = (ns: number) => core.view.x(ns);
    // Thousands of ends lie on a few rows.
    const known = new Map<number, ReturnType<TimelineCore["placeOf"]>>();
    const place = (end: ArrowEnd) => {
      const key = end.lane * 65536 + end.row;
      let found = known.get(key);
      if (found === undefined) {
        found = core.placeOf(end.lane, end.row);
        known.set(key, found);
      }
      return found;
    };
    const most = MOST_ARROWS;
    this.drawn = {
      all: this.allArrows.peek() ? cull(this.arrows, screen, x, place, most) : [],
      chain: cull(this.chain.peek()?.arrows ?? [], screen, x, place, most),
    };
    this.tellArrows();
    return this.drawn;
  }

  get drawnArrows(): DrawnArrow[] {
    return [...this.drawn.chain, ...this.drawn.all];
  }

  private tellArrows(): void {
    const shown = this.drawn.all.length;
    const total = Math.max(this.arrowsTotal, shown);
    const text = this.allArrows.peek()
      ? shown < total
        ? `${grouped(shown)} of ${grouped(total)} arrows`
        : `${grouped(total)} arrows`
      : "";
    // Not in the middle of a frame: it re-renders.
    if (text !== this.arrowsText.peek()) queueMicrotask(() => (this.arrowsText.value = text));
  }

  private async askArrows(): Promise<void> {
    const { core } = this;
    if (!this.allArrows.peek()) {
      this.arrows = [];
      this.arrowsTotal = 0;
      core.invalidate(Paint.lanes);
      return;
    }
    const { client, id } = core.session;
    const lanes = core.layout.peek().shown.flatMap((strip) => (strip.lane ? [strip.lane.id] : []));
    const [from, to] = [Math.floor(core.view.from), Math.ceil(core.view.to)];
    const frame = await this.ask("arrows", (signal) =>
      client.arrows(id, { from, to, lanes, limit: ASKED_ARROWS }, signal),
    );
    if (!frame || !this.allArrows.peek()) return;
    this.arrows = arrowsOf(frame);
    this.arrowsTotal = typeof frame.members.total === "number" ? frame.members.total : this.arrows.length;
    core.invalidate(Paint.lanes);
  }

  // --- inside

  private async fetchFront(event: string): Promise<void> {
    const { client, id } = this.core.session;
    const details = await this.ask("front", (signal) => client.event(id, event, signal));
    if (details && this.core.signals.focus.peek() === event) {
      const selection = this.core.signals.selection.peek();
      this.choose(details, { show: true });
      // Whoever focused it may have selected more than this one.
      if (selection.events.includes(event) || selection.token > 0) this.core.signals.selection.value = selection;
    }
  }

  private async fetchChain(event: string): Promise<void> {
    this.chain.value = null;
    const { client, id } = this.core.session;
    const chain = await this.ask("chain", (signal) => client.chain(id, event, signal));
    if (!chain || this.event.peek()?.id !== event) return;
    this.chain.value = chain;
    this.core.invalidate(Paint.lanes);
  }

  private forget(): void {
    this.event.value = null;
    this.gap.value = null;
    this.chain.value = null;
    this.core.front = null;
    this.core.invalidate(Paint.lanes);
  }

  private speak(event: TraceEvent): void {
    const lane = this.core.lane(event.lane);
    const start = formatDuration(event.start_ns, 6);
    this.spoken.value = `${event.name}, ${formatDuration(event.dur_ns)}, starts at ${start}${lane ? `, ${lane.title}` : ""}`;
  }

  // The place that stepping starts from when nothing is in front: the top row on the screen that has events.
  private middle(): { lane: number; row: number; at: number } | null {
    const row = this.core.rows.find((r) => !r.closed && r.lane.kind === "slices" && r.lane.events > 0);
    const { view } = this.core;
    return row ? whole({ lane: row.lane.id, row: Math.max(0, row.row), at: view.from }) : null;
  }

  // The gaps of the device in front, else the first gaps that are shown.
  private gapLane(): Strip | null {
    const strips = this.core.layout.peek().shown.filter((s) => s.lane?.kind === "gaps");
    const front = this.core.front ? this.core.lane(this.core.front.lane) : null;
    return strips.find((s) => front?.device && s.lane?.device === front.device) ?? strips[0] ?? null;
  }

  private async ask<T>(what: string, question: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    this.questions.get(what)?.abort();
    const mine = new AbortController();
    this.questions.set(what, mine);
    try {
      return await question(mine.signal);
    } catch (failure) {
      if (!isAbort(failure) && !mine.signal.aborted) {
        this.core.failure.value = failure instanceof Error ? failure.message : String(failure);
      }
      return null;
    }
  }
}

// Times on the wire are whole ns; a place on the screen is not.
function whole(place: { lane: number; row: number; at: number }) {
  return { ...place, at: Math.round(place.at) };
}

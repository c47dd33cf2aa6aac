// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Amber bands over the lanes of DMAs where small ones follow each other. Where that is, and what counts as small, the server says
// (the table small_regions); here they are only placed.
import { effect, signal } from "@preact/signals";
import type { Lane, SmallDmas, SmallRegion } from "@/engine/api";
import { isAbort } from "@/engine/transport";
import type { DrawnBand } from "./bands";
import { Paint, type TimelineCore } from "./core";
import type { View } from "./view";

export class SmallDmaBands {
  readonly shown = signal(true);
  // Null until the server has told, and for what is no device profile.
  readonly told = signal<SmallDmas | null>(null);
  private asked = false;
  private readonly abort = new AbortController();
  private readonly stops: (() => void)[] = [];

  constructor(readonly core: TimelineCore) {
    core.drawBands = () => this.place();
    this.stops.push(
      effect(() => {
        const trace = core.session.info.value?.trace;
        if (trace?.kind === "device" && trace.state === "ready" && !this.asked) void this.ask();
      }),
      effect(() => {
        void [this.shown.value, this.told.value];
        core.invalidate(Paint.lanes);
      }),
    );
  }

  stop(): void {
    this.abort.abort();
    for (const stop of this.stops) stop();
  }

  get any(): boolean {
    return (this.told.value?.regions.length ?? 0) > 0;
  }

  toggle(): void {
    this.shown.value = !this.shown.peek();
  }

  // The stretch that lies over a lane at a moment.
  at(lane: Lane, ns: number, reach = 0): SmallRegion | null {
    const regions = this.told.peek()?.regions;
    if (!regions || !this.shown.peek() || lane.group !== "dma") return null;
    const here = (r: SmallRegion) => r.device === lane.device && r.from - reach <= ns && ns <= r.to + reach;
    return regions.find((r) => here(r) && r.from <= ns && ns <= r.to) ?? regions.find(here) ?? null;
  }

  private async ask(): Promise<void> {
    this.asked = true;
    const { client, id } = this.core.session;
    try {
      this.told.value = await client.smallDmas(id, this.abort.signal);
    } catch (failure) {
      if (!isAbort(failure)) this.core.failure.value = failure instanceof Error ? failure.message : String(failure);
    }
  }

  private place(): DrawnBand[] {
    const regions = this.told.peek()?.regions;
    if (!regions || !this.shown.peek()) return [];
    const spans = new Map<string | null, { x0: number; x1: number }[]>();
    const bands: DrawnBand[] = [];
    for (const { lane, top, size, closed } of this.core.rows) {
      if (lane.group !== "dma" || closed) continue;
      let ofDevice = spans.get(lane.device);
      if (!ofDevice) {
        ofDevice = pixelSpans(
          regions.filter((r) => r.device === lane.device),
          this.core.view,
        );
        spans.set(lane.device, ofDevice);
      }
      for (const { x0, x1 } of ofDevice) bands.push({ x0, x1, top, size });
    }
    return bands;
  }
}

// Whole pixels, none of them twice, so that many bands are not darker than one.
export function pixelSpans(regions: SmallRegion[], view: View): { x0: number; x1: number }[] {
  const spans: { x0: number; x1: number }[] = [];
  for (const region of regions) {
    if (region.to < view.from) continue;
    if (region.from > view.to) break;
    const x0 = Math.max(0, Math.floor(view.x(region.from)));
    const x1 = Math.min(view.width, Math.max(x0 + 1, Math.ceil(view.x(region.to))));
    const last = spans[spans.length - 1];
    if (last && x0 <= last.x1) last.x1 = Math.max(last.x1, x1);
    else spans.push({ x0, x1 });
  }
  return spans;
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Brings the tiles that a view needs: one request for all visible lanes, one on the way at a time, the newest wish next. When
// nothing visible is missing, the neighbours are fetched: one screen to each side, then the level that a zoom out needs.
import type { TileRequest, TraceId } from "@/engine/api";
import type { Client } from "@/engine/client";
import { blockOf, type TileCache, tileNs } from "@/engine/tiles";
import { isAbort } from "@/engine/transport";

export interface Wish {
  lanes: number[];
  level: number;
  from: number;
  to: number;
  // Only what is inside the trace is worth asking for.
  begin: number;
  end: number;
  key: string;
  params: Pick<TileRequest, "filter" | "search" | "selection">;
}

// At most so many tiles a request: what a 4K screen shows, with its neighbours.
const MOST_TILES = 48;
const RETRY_MS = 2000;
// Neighbours are worth fetching once the view rests: while it moves they would be the wrong ones.
const REST_MS = 120;

export class TileLoader {
  private wish: Wish | null = null;
  private flight: AbortController | null = null;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private rest: ReturnType<typeof setTimeout> | undefined;
  private rested = false;
  private stopped = false;
  // What was asked for the present wish: a cache too small for wish and neighbours must not ask for ever.
  private asked = new Set<string>();
  private wishText = "";
  requests = 0;

  constructor(
    private readonly client: Client,
    private readonly trace: TraceId,
    private readonly cache: TileCache,
    private readonly arrived: () => void,
    private readonly failed: (failure: Error) => void,
  ) {}

  get busy(): boolean {
    return this.flight !== null;
  }

  want(wish: Wish): void {
    const size = tileNs(wish.level);
    const text = `${wish.key} ${wish.level} ${Math.floor(wish.from / size)} ${Math.ceil(wish.to / size)} ${wish.lanes}`;
    if (text !== this.wishText) this.asked.clear();
    this.wishText = text;
    if (this.wish?.from !== wish.from || this.wish.to !== wish.to) this.moved();
    this.wish = wish;
    if (!this.flight) this.next();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.retry);
    clearTimeout(this.rest);
    this.flight?.abort();
  }

  private moved(): void {
    this.rested = false;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.rested = true;
      if (!this.flight) this.next();
    }, REST_MS);
  }

  private next(): void {
    if (this.stopped || !this.wish) return;
    const request = visiblePart(this.wish, this.cache) ?? (this.rested ? nearPart(this.wish, this.cache) : null);
    if (!request) return;
    const text = `${request.level} ${request.first} ${request.count} ${request.lanes}`;
    if (this.asked.has(text)) return;
    this.asked.add(text);
    void this.send(request, this.wish.key, text);
  }

  private async send(request: TileRequest, key: string, text: string): Promise<void> {
    const flight = new AbortController();
    this.flight = flight;
    this.requests++;
    clearTimeout(this.retry);
    try {
      const frame = await this.client.tiles(this.trace, request, flight.signal);
      if (this.stopped) return;
      this.cache.add(blockOf(frame, request, key, bytesOf(frame)));
      this.flight = null;
      this.arrived();
      this.next();
    } catch (failure) {
      this.flight = null;
      if (this.stopped || isAbort(failure)) return;
      this.asked.delete(text);
      this.failed(failure instanceof Error ? failure : new Error(String(failure)));
      this.retry = setTimeout(() => this.next(), RETRY_MS);
    }
  }
}

function bytesOf(frame: Awaited<ReturnType<Client["tiles"]>>): number {
  // All columns of an answer share its bytes.
  const any = frame.tables.find((t) => t.columns.length > 0)?.columns[0]?.values;
  return (any?.buffer.byteLength ?? 0) + 4096;
}

// What is visible and not here; null when all of it is.
export function visiblePart(wish: Wish, cache: TileCache): TileRequest | null {
  return missingPart(wish, cache, wish.level, wish.from, wish.to);
}

// What the next movement needs.
export function nearPart(wish: Wish, cache: TileCache): TileRequest | null {
  const span = wish.to - wish.from;
  return (
    missingPart(wish, cache, wish.level, wish.from - span, wish.to + span) ??
    missingPart(wish, cache, wish.level + 2, wish.from - 2 * span, wish.to + 2 * span)
  );
}

function missingPart(wish: Wish, cache: TileCache, level: number, from: number, to: number): TileRequest | null {
  const size = tileNs(level);
  const first = Math.floor(Math.max(from, wish.begin) / size);
  const end = Math.ceil(Math.min(to, wish.end) / size);
  if (first >= end) return null;
  const lanes: number[] = [];
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const lane of wish.lanes) {
    const gap = cache.missing(lane, wish.key, level, first, end);
    if (!gap) continue;
    lanes.push(lane);
    low = Math.min(low, gap[0]);
    high = Math.max(high, gap[1]);
  }
  if (lanes.length === 0) return null;
  return { level, first: low, count: Math.min(high - low, MOST_TILES), lanes, ...wish.params };
}

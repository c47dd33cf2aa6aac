// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The imperative centre of a timeline: what is shown, when it is painted, which tiles are wanted. Parts (events, measuring,
// pointer, keys) change it through its methods; a frame is painted once for all changes since the last one. The framework
// only hears of things that change more slowly than frames (signals).
import { effect, type Signal, signal } from "@preact/signals";
import { formatDuration, tickPs } from "@/base/time";
import type { Selection, Span } from "@/base/view";
import * as shared from "@/base/view";
import type { Lane, TileFilter, TraceInfo } from "@/engine/api";
import type { Session } from "@/engine/session";
import { TileLoader } from "@/engine/tile_loader";
import { TileCache } from "@/engine/tiles";
import { type Arrangement, NOTHING_ARRANGED } from "./arrangement";
import type { DrawnArrow } from "./arrows";
import type { DrawnBand } from "./bands";
import type { Row } from "./labels";
import { LanesCanvas } from "./lanes_canvas";
import { type Layout, layout, pinnedOn, placesOn, type Strip } from "./layout";
import type { ViewLink } from "./link";
import type { Marker } from "./markers";
import { type Density, loadDensity, MinimapCanvas } from "./minimap";
import { type Outline, paintOverlay } from "./overlay";
import { LIGHT, ShadeTable, type Theme } from "./palette";
import { RulerCanvas } from "./ruler";
import { sameTheme, themeOf } from "./theme";
import { View, ViewHistory } from "./view";

// What the timeline shares with the rest of the page. A second timeline (compare) takes its own set.
export interface SharedSignals {
  visible: Signal<Span>;
  range: Signal<Span | null>;
  selection: Signal<Selection>;
  focus: Signal<string | null>;
  search: Signal<string>;
  reveal: Signal<{ span: Span; lane: number | null } | null>;
}

export function ownSignals(): SharedSignals {
  return {
    visible: signal({ from: 0, to: 1 }),
    range: signal<Span | null>(null),
    selection: signal<Selection>({ events: [], token: 0, text: "" }),
    focus: signal<string | null>(null),
    search: signal(""),
    reveal: signal<{ span: Span; lane: number | null } | null>(null),
  };
}

export interface Elements {
  root: HTMLElement;
  stage: HTMLElement;
  lanes: HTMLCanvasElement;
  ruler: HTMLCanvasElement;
  minimap: HTMLCanvasElement;
  side: HTMLElement;
  headers: HTMLElement;
  scrollbar: HTMLElement;
  // The line below the pointer: an element of its own, so that it dirties no canvas.
  line: HTMLElement;
  // Outlines the event under the pointer, and the box that is drawn.
  mark: HTMLElement;
  // Says how much is visible.
  span: HTMLElement;
}

// `pointer` moves elements only; all others paint.
export const Paint = { pointer: 1, ruler: 2, map: 4, lanes: 8, all: 15 } as const;

const CACHE_BYTES = 48 << 20;
const REST_MS = 150;
const TYPING_MS = 200;
// Lanes this far above and below the screen are fetched with it.
const LANE_MARGIN = 300;

export class TimelineCore {
  readonly view = new View();
  readonly history = new ViewHistory();
  readonly cache = new TileCache(CACHE_BYTES);
  readonly loader: TileLoader;

  readonly layout = signal<Layout>(layout([], NOTHING_ARRANGED));
  readonly arrangement = signal<Arrangement>(NOTHING_ARRANGED);
  readonly markers = signal<Marker[]>([]);
  readonly filter = signal<TileFilter>({});
  // The window of strips whose headers are in the DOM.
  readonly headerWindow = signal<Span>({ from: 0, to: 1 });
  readonly failure = signal<string | null>(null);
  readonly boxMode = signal(false);
  readonly size = signal({ width: 0, height: 0 });
  readonly theme = signal<Theme>(LIGHT);

  // Device pixels of a CSS pixel; asked once a frame, since asking costs.
  ratio = 1;
  scroll = 0;
  // CSS pixels of the overview; read when it changes, since reading it makes the browser lay out.
  mapWidth = 1;
  // Whoever changes pointer, box or hover calls invalidate(Paint.pointer); for what is in front, Paint.lanes.
  pointer: { x: number; y: number } | null = null;
  box: { x0: number; y0: number; x1: number; y1: number } | null = null;
  hover: { lane: number; row: number; from: number; to: number } | null = null;
  front: { lane: number; row: number; from: number; to: number } | null = null;
  drawArrows: () => { all: DrawnArrow[]; chain: DrawnArrow[] } = () => ({ all: [], chain: [] });
  drawBands: () => DrawnBand[] = () => [];
  // Called when the view has rested, with what is visible.
  readonly onRest = new Set<() => void>();
  // Called in each frame before painting with the ms since the last; true: go on next frame.
  readonly onFrame = new Set<(elapsed: number) => boolean>();

  private readonly lanesCanvas: LanesCanvas;
  private readonly rulerCanvas: RulerCanvas;
  private readonly mapCanvas: MinimapCanvas;
  private shades: ShadeTable;
  private density: Density | null = null;
  private dirty = 0;
  private frameAsked = 0;
  private lastFrame = 0;
  private restTimer: ReturnType<typeof setTimeout> | undefined;
  private typingTimer: ReturnType<typeof setTimeout> | undefined;
  private searched = "";
  private key = "";
  private placed = false;
  private origin: string | null = null;
  private published: Span | null = null;
  private readonly stops: (() => void)[] = [];
  private readonly abort = new AbortController();

  constructor(
    readonly session: Session,
    readonly elements: Elements,
    readonly signals: SharedSignals = shared,
    readonly link: ViewLink | null = null,
  ) {
    this.lanesCanvas = new LanesCanvas(elements.lanes);
    this.rulerCanvas = new RulerCanvas(elements.ruler);
    this.mapCanvas = new MinimapCanvas(elements.minimap);
    this.theme.value = themeOf(elements.root);
    this.shades = new ShadeTable(this.theme.value);
    this.loader = new TileLoader(
      session.client,
      session.id,
      this.cache,
      () => {
        this.failure.value = null;
        this.invalidate(Paint.lanes);
      },
      (failure) => {
        this.failure.value = failure.message;
      },
    );
    this.watch();
  }

  get info(): TraceInfo | null {
    return this.session.info.peek();
  }
  // CSS pixels of the lanes.
  get height(): number {
    return this.size.peek().height;
  }
  get width(): number {
    return this.size.peek().width;
  }

  // The headers are rendered with the core in hand, so they come later than the other elements.
  adopt(headers: HTMLElement): void {
    this.elements.headers = headers;
    this.placeHeaders();
  }

  stop(): void {
    this.abort.abort();
    this.loader.stop();
    cancelAnimationFrame(this.frameAsked);
    clearTimeout(this.restTimer);
    clearTimeout(this.typingTimer);
    for (const stop of this.stops) stop();
  }

  // --- what is visible

  setView(span: Span): void {
    this.view.set(span);
    this.moved();
  }
  // As another timeline has it (link.ts).
  follow(span: Span): void {
    this.view.from = span.from;
    this.view.to = span.to;
    this.rested();
    this.invalidate(Paint.all);
  }
  zoom(x: number, factor: number): void {
    this.view.zoom(x * this.ratio, factor);
    this.moved();
  }
  pan(pixels: number): void {
    this.view.pan(pixels * this.ratio);
    this.moved();
  }
  fit(): void {
    this.setView(this.view.whole);
  }
  scrollTo(top: number): void {
    const most = Math.max(0, this.layout.peek().height - (this.height - this.pinnedHeight));
    const next = Math.min(Math.max(0, top), most);
    if (next === this.scroll) return;
    this.scroll = next;
    if (this.elements.scrollbar.scrollTop !== Math.round(next)) this.elements.scrollbar.scrollTop = next;
    this.placeHeaders();
    this.rested();
    this.invalidate(Paint.lanes);
  }
  scrollBy(pixels: number): void {
    this.scrollTo(this.scroll + pixels);
  }

  get pinnedHeight(): number {
    return pinnedOn(this.layout.peek(), this.height);
  }

  // Brings a row into the screen; opens the groups that it is in.
  showRow(lane: number, row: number): void {
    let strip = this.layout.peek().where.get(lane);
    for (let i = 0; strip && strip.kind !== "lane" && i < 2; i++) {
      const key = strip.key;
      const arranged = this.arrangement.peek();
      this.arrangement.value = { ...arranged, collapsed: arranged.collapsed.filter((k) => k !== key) };
      strip = this.layout.peek().where.get(lane);
    }
    if (!strip || strip.pinned) return;
    const top = strip.top + strip.inset + (strip.collapsed ? 0 : row * strip.rowHeight);
    const room = this.height - this.pinnedHeight;
    if (top < this.scroll + 8) this.scrollTo(top - room * 0.25);
    else if (top + strip.rowHeight > this.scroll + room - 8) this.scrollTo(top - room * 0.6);
  }

  // Pans so that the span is on the screen; never zooms.
  showSpan(from: number, to: number): void {
    const { view } = this;
    const inside = from >= view.from && to <= view.to;
    const fills = from <= view.from && to >= view.to;
    if (inside || fills) return;
    const middle = to - from > view.span * 0.8 ? from + view.span * 0.4 : (from + to) / 2;
    this.setView({ from: middle - view.span / 2, to: middle + view.span / 2 });
  }

  // --- geometry: CSS pixels below the ruler

  ns(x: number): number {
    return this.view.ns(x * this.ratio);
  }

  rowAt(y: number): Row | null {
    const device = y * this.ratio;
    let found: Row | null = null;
    for (const row of this.lanesCanvas.rows) {
      if (row.closed || device < row.top || device >= row.top + row.size || y < row.place.clip) continue;
      found = row;
      if (row.place.strip.pinned) return row;
    }
    return found;
  }

  get rows(): Row[] {
    return this.lanesCanvas.rows;
  }

  // Top and size of a row in device pixels, on the screen or not; null when its lane is hidden.
  placeOf(lane: number, row: number): { top: number; size: number } | null {
    const made = this.layout.peek();
    const strip = made.where.get(lane);
    if (!strip) return null;
    const y = strip.pinned ? strip.top : strip.top - this.scroll + this.pinnedHeight;
    const inLane = strip.kind === "lane" && !strip.collapsed;
    const top = y + strip.inset + (inLane ? Math.min(row, strip.rows - 1) * strip.rowHeight : 0);
    const size = strip.rowHeight;
    return { top: Math.round(top * this.ratio), size: Math.round(size * this.ratio) };
  }

  outline(at: { lane: number; row: number; from: number; to: number } | null): Outline | null {
    const place = at && this.placeOf(at.lane, at.row);
    return at && place ? { from: at.from, to: at.to, top: place.top, size: place.size } : null;
  }

  lane(id: number): Lane | null {
    return this.session.lanes.peek().find((lane) => lane.id === id) ?? null;
  }

  // --- painting

  invalidate(what: number): void {
    this.dirty |= what;
    if (this.frameAsked === 0) {
      this.frameAsked = requestAnimationFrame((now) => this.frame(now));
    }
  }

  private frame(now: number): void {
    this.frameAsked = 0;
    const elapsed = Math.min(64, this.lastFrame === 0 ? 16 : now - this.lastFrame);
    this.lastFrame = now;
    this.ratio = window.devicePixelRatio || 1;
    let more = false;
    for (const step of this.onFrame) more = step(elapsed) || more;
    const what = this.dirty;
    this.dirty = 0;
    const { info, width, height } = this;
    if (info && width > 0 && height > 0) this.paint(what, info);
    if (more) this.invalidate(0);
    else if (this.frameAsked === 0) this.lastFrame = 0;
  }

  private paint(what: number, info: TraceInfo): void {
    const { view, width, height, ratio } = this;
    view.width = Math.max(1, Math.round(width * ratio));
    const made = this.layout.peek();
    const places = placesOn(made, this.scroll, height);
    const markers = this.markers.peek();
    const range = this.signals.range.peek();
    const pointer = this.pointer?.x ?? null;
    this.elements.line.style.transform = `translateX(${pointer ?? -9}px)`;
    const { theme } = this.shades;
    this.placeMark();
    if (what & Paint.lanes) {
      this.lanesCanvas.paint({
        view,
        places,
        pinnedHeight: this.pinnedHeight,
        cache: this.cache,
        key: this.key,
        faded: this.searched !== "" || this.signals.selection.peek().token > 0,
        info,
        table: this.shades,
        width,
        height,
        ratio,
      });
      const arrows = this.drawArrows();
      paintOverlay(this.lanesCanvas.context, {
        view,
        theme,
        width: view.width,
        height: Math.round(height * ratio),
        ratio,
        range,
        markers,
        focus: this.outline(this.front),
        bands: this.drawBands(),
        arrows: arrows.all,
        chain: arrows.chain,
      });
      this.wish(made, info);
    }
    if (what & Paint.ruler) {
      const text = formatDuration(view.span);
      if (this.elements.span.textContent !== text) this.elements.span.textContent = text;
      this.rulerCanvas.paint({ view, theme, info, width, ratio, range, markers, pointer });
    }
    if (what & Paint.map) {
      this.mapCanvas.paint({
        theme,
        density: this.density,
        begin: view.begin,
        end: view.end,
        visible: { from: view.from, to: view.to },
        range,
        width: this.mapWidth,
        ratio,
      });
    }
  }

  private placeMark(): void {
    const { style } = this.elements.mark;
    const { box, ratio } = this;
    const outline = box ? null : this.outline(this.hover);
    if (!box && !outline) {
      style.visibility = "hidden";
      return;
    }
    const x0 = box ? box.x0 : Math.max(-2, this.view.x(outline?.from ?? 0) / ratio);
    const x1 = box ? box.x1 : Math.min(this.width + 2, this.view.x(outline?.to ?? 0) / ratio);
    const y0 = box ? box.y0 : (outline?.top ?? 0) / ratio;
    const y1 = box ? box.y1 : y0 + (outline?.size ?? 0) / ratio - 1;
    style.visibility = "visible";
    style.transform = `translate(${Math.round(x0)}px, ${Math.round(y0)}px)`;
    style.width = `${Math.max(1, Math.round(x1 - x0))}px`;
    style.height = `${Math.max(1, Math.round(y1 - y0))}px`;
    this.elements.mark.classList.toggle("tl-box", box !== null);
  }

  private wish(made: Layout, info: TraceInfo): void {
    const { view } = this;
    const lanes = new Set<number>();
    const near = placesOn(made, Math.max(0, this.scroll - LANE_MARGIN), this.height + 2 * LANE_MARGIN);
    for (const { strip } of near) {
      if (strip.lane) lanes.add(strip.lane.id);
      for (const lane of strip.inside) lanes.add(lane.id);
    }
    if (lanes.size === 0) return;
    const filter = this.filter.peek();
    const token = this.signals.selection.peek().token;
    this.loader.want({
      lanes: [...lanes],
      level: view.level,
      from: view.from,
      to: view.to,
      begin: info.begin,
      end: info.end,
      key: this.key,
      params: {
        ...(filter.name || filter.min_ns ? { filter } : {}),
        ...(this.searched ? { search: this.searched } : {}),
        ...(token ? { selection: token } : {}),
      },
    });
  }

  // --- changes from outside

  private moved(): void {
    this.link?.moved(this, { from: this.view.from, to: this.view.to });
    this.rested();
    this.invalidate(Paint.all);
  }

  private rested(): void {
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => {
      const span = { from: this.view.from, to: this.view.to };
      this.history.rest(span);
      this.published = span;
      this.signals.visible.value = span;
      for (const tell of this.onRest) tell();
    }, REST_MS);
  }

  // The key of the tiles that are wanted now.
  private rekey(): void {
    const info = this.info;
    const growing = info?.trace.state === "importing" ? `${info.names_version} ${info.end}` : "";
    const key = JSON.stringify([this.filter.peek(), this.searched, this.signals.selection.peek().token, growing]);
    if (key === this.key) return;
    this.key = key;
    this.invalidate(Paint.lanes);
  }

  private watch(): void {
    const { signals, session, stops } = this;
    stops.push(
      effect(() => {
        this.layout.value = layout(session.lanes.value, this.arrangement.value, this.size.value.height);
        this.scrollTo(Math.min(this.scroll, this.layout.peek().height));
        this.placeHeaders();
        this.invalidate(Paint.all);
      }),
      effect(() => {
        const info = session.info.value;
        if (info) this.informed(info);
      }),
      effect(() => {
        const next = signals.visible.value;
        const known = next === this.published || (next.from === 0 && next.to === 1);
        if (!known && this.placed) this.setView(next);
      }),
      effect(() => {
        const wanted = signals.reveal.value;
        if (!wanted || !this.placed) return;
        this.setView(View.around(wanted.span));
        if (wanted.lane !== null) this.showRow(wanted.lane, 0);
      }),
      effect(() => {
        const text = signals.search.value;
        clearTimeout(this.typingTimer);
        this.typingTimer = setTimeout(() => {
          this.searched = text;
          this.rekey();
        }, TYPING_MS);
      }),
      effect(() => {
        void [this.filter.value, signals.selection.value];
        this.rekey();
        this.invalidate(Paint.lanes);
      }),
      effect(() => {
        void [this.markers.value, signals.range.value, tickPs.value];
        this.invalidate(Paint.all);
      }),
    );
    const resized = new ResizeObserver(() => this.resize());
    resized.observe(this.elements.stage);
    resized.observe(this.elements.minimap);
    const rethemed = () => {
      const theme = themeOf(this.elements.root);
      if (sameTheme(theme, this.shades.theme)) return;
      this.theme.value = theme;
      this.shades = new ShadeTable(theme);
      this.invalidate(Paint.all);
    };
    const attributes = new MutationObserver(rethemed);
    attributes.observe(document.documentElement, { attributes: true });
    const scrolled = () => {
      if (Math.abs(this.elements.scrollbar.scrollTop - this.scroll) > 1)
        this.scrollTo(this.elements.scrollbar.scrollTop);
    };
    this.elements.scrollbar.addEventListener("scroll", scrolled);
    if (this.link) stops.push(this.link.join(this));
    stops.push(
      () => resized.disconnect(),
      () => attributes.disconnect(),
      () => this.elements.scrollbar.removeEventListener("scroll", scrolled),
    );
    this.resize();
  }

  private informed(info: TraceInfo): void {
    this.rebase(info.origin);
    const grew = info.begin !== this.view.begin || info.end !== this.view.end;
    const wasWhole = this.placed && Math.abs(this.view.span / (this.view.whole.to - this.view.whole.from) - 1) < 1e-6;
    this.view.bounds(info.begin, info.end);
    if (!this.placed) {
      this.placed = true;
      const asked = this.signals.visible.peek();
      const reveal = this.signals.reveal.peek();
      const unset = asked.from === 0 && asked.to === 1;
      this.setView(reveal ? View.around(reveal.span) : unset ? this.first(info) : asked);
      // At once: who moves before it has rested can come back to it as well.
      this.history.rest({ from: this.view.from, to: this.view.to });
    } else if (grew && wasWhole) {
      this.fit();
    }
    this.rekey();
    if (grew || info.trace.state === "ready") void this.loadMap(info);
    this.invalidate(Paint.all);
  }

  // What is shown before anybody chose: everything; of a device profile what is between set-up and wind-down.
  private first(info: TraceInfo): Span {
    const { first_ps: from = 0, last_ps: to = 0 } = info.device ?? {};
    return to > from ? View.around({ from, to }, 0.05) : this.view.whole;
  }

  // The zero of an import is its first slice until all is read: then everything known moves.
  private rebase(origin: string): void {
    const old = this.origin;
    this.origin = origin;
    if (old === null || old === origin || !/^-?\d+$/.test(`${old}${origin}`.replace(/-/g, ""))) return;
    const shift = Number(BigInt(old) - BigInt(origin));
    this.cache.clear();
    this.density = null;
    this.view.from += shift;
    this.view.to += shift;
  }

  private async loadMap(info: TraceInfo): Promise<void> {
    try {
      const lanes = this.session.lanes.peek();
      const { client, id } = this.session;
      this.density = await loadDensity(client, id, lanes, info.begin, info.end, this.abort.signal);
      this.invalidate(Paint.map);
    } catch (failure) {
      if (this.abort.signal.aborted) return;
      this.failure.value = failure instanceof Error ? failure.message : String(failure);
    }
  }

  private resize(): void {
    this.ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.elements.stage;
    this.mapWidth = this.elements.minimap.clientWidth || width;
    const old = this.size.peek();
    if (old.width !== width || old.height !== height) this.size.value = { width, height };
    this.scrollTo(this.scroll);
    this.placeHeaders();
    this.invalidate(Paint.all);
  }

  // Headers move with their lanes in the same frame; only those near the screen are in the DOM.
  private placeHeaders(): void {
    this.elements.headers.style.transform = `translateY(${-Math.round(this.scroll)}px)`;
    const { from, to } = this.headerWindow.peek();
    const top = this.scroll;
    const bottom = this.scroll + this.height;
    if (top < from + 100 || bottom > to - 100) {
      this.headerWindow.value = { from: top - 800, to: bottom + 800 };
    }
  }
}

export type { Strip };

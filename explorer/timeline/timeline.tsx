// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The timeline as a component. It makes the elements and hands them to the core; from then on the picture is painted without
// the framework, and only panels and titles render.
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatDuration } from "@/base/time";
import * as shared from "@/base/view";
import type { TraceId } from "@/engine/api";
import type { Client } from "@/engine/client";
import { server } from "@/engine/server";
import { session } from "@/engine/session";
import { type SharedSignals, TimelineCore } from "./core";
import { Events } from "./events";
import { Hover } from "./hover";
import { keep } from "./kept";
import { Keyboard } from "./keyboard";
import { LaneGrid } from "./lane_grid";
import { HEIGHT } from "./layout";
import type { ViewLink } from "./link";
import { Measure } from "./measure";
import { MINIMAP_HEIGHT } from "./minimap";
import { HoverCard, LanesPanel, LegendPanel, MarkersPanel, StatisticsPanel } from "./panels";
import { listenPointer } from "./pointer";
import { RULER_HEIGHT } from "./ruler";
import { SmallDmaBands } from "./small_dmas";
import { Toolbar } from "./toolbar";
import "./timeline.css";

export interface TimelineProps {
  trace: TraceId;
  client?: Client;
  // A second timeline on the page has its own selection and view (ownSignals) …
  signals?: SharedSignals;
  // … and may move with others (AlignedViews).
  link?: ViewLink;
}

interface Made {
  core: TimelineCore;
  events: Events;
  measure: Measure;
  hover: Hover;
  smallDmas: SmallDmaBands;
  keyboard: Keyboard;
}

export function Timeline(props: TimelineProps) {
  // Another trace is another timeline.
  return <OneTimeline key={props.trace} {...props} />;
}

function OneTimeline({ trace, client = server, signals = shared, link }: TimelineProps) {
  const refs = {
    root: useRef<HTMLDivElement>(null),
    stage: useRef<HTMLDivElement>(null),
    lanes: useRef<HTMLCanvasElement>(null),
    ruler: useRef<HTMLCanvasElement>(null),
    minimap: useRef<HTMLCanvasElement>(null),
    side: useRef<HTMLDivElement>(null),
    headers: useRef<HTMLDivElement>(null),
    scrollbar: useRef<HTMLDivElement>(null),
    line: useRef<HTMLDivElement>(null),
    mark: useRef<HTMLDivElement>(null),
    span: useRef<HTMLElement>(null),
  };
  const [made, setMade] = useState<Made | null>(null);
  const open = { markers: useSignal(false), legend: useSignal(false), lanes: useSignal(false) };
  const editing = useSignal<number | null>(null);

  useLayoutEffect(() => {
    const elements = Object.fromEntries(Object.entries(refs).map(([name, ref]) => [name, ref.current]));
    // The headers' element comes with the grid, which needs the core: it is looked up when it is there.
    const held = session(trace, client);
    const headers = document.createElement("div");
    const core = new TimelineCore(
      held,
      { ...elements, headers } as unknown as TimelineCore["elements"],
      signals,
      link ?? null,
    );
    const events = new Events(core);
    const smallDmas = new SmallDmaBands(core);
    const parts = { core, events, smallDmas, measure: new Measure(core), hover: new Hover(core, events, smallDmas) };
    const keyboard = new Keyboard(parts, {
      markersOpen: open.markers,
      editMarker: (index) => {
        open.markers.value = true;
        editing.value = index;
      },
    });
    const stopPointer = listenPointer(parts);
    const stopKeeping = keep(core);
    setMade({ ...parts, keyboard });
    return () => {
      stopKeeping();
      stopPointer();
      keyboard.stop();
      parts.hover.stop();
      smallDmas.stop();
      parts.measure.stop();
      events.stop();
      core.stop();
      held.release();
    };
  }, []);

  useEffect(() => {
    if (made && refs.headers.current) made.core.adopt(refs.headers.current);
    // Keys work at once, unless the reader is somewhere else on the page.
    if (made && (document.activeElement === null || document.activeElement === document.body)) {
      refs.stage.current?.focus({ preventScroll: true });
    }
  }, [made]);

  return (
    <div
      ref={refs.root}
      class="tl"
      role="group"
      aria-label="Timeline"
      style={{ "--tl-map": `${MINIMAP_HEIGHT}px`, "--tl-ruler": `${RULER_HEIGHT}px`, "--tl-row": `${HEIGHT.row}px` }}
      onKeyDown={(event) => {
        if (made?.keyboard.down(event)) event.preventDefault();
      }}
      onKeyUp={(event) => made?.keyboard.up(event)}
      onFocusOut={() => made?.keyboard.release()}
    >
      {made ? <Toolbar {...made} open={open} /> : <div class="tl-toolbar" />}
      <div class="tl-corner tl-corner-map">{made && <Whole core={made.core} />}</div>
      <div class="tl-map" aria-hidden="true">
        <canvas ref={refs.minimap} />
      </div>
      <div class="tl-corner tl-corner-ruler">
        <b ref={refs.span} />
        <span>visible</span>
      </div>
      <div class="tl-ruler" aria-hidden="true">
        <canvas ref={refs.ruler} />
      </div>
      <div ref={refs.side} class="tl-side">
        {made && <LaneGrid core={made.core} events={made.events} scrolledRef={refs.headers} />}
      </div>
      <div
        ref={refs.stage}
        class={`tl-stage${made?.core.boxMode.value ? " tl-boxing" : ""}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the keys that move the view
        tabIndex={0}
        role="application"
        aria-label="Picture of the lanes. W, A, S, D and arrow keys move it; the grid before it holds the same events."
      >
        <div aria-hidden="true">
          <canvas ref={refs.lanes} class="tl-canvas" />
          <div ref={refs.line} class="tl-pointer" />
          <div ref={refs.mark} class="tl-mark" />
        </div>
        {made && <HoverCard hover={made.hover} core={made.core} />}
      </div>
      <Scrollbar element={refs.scrollbar} core={made?.core ?? null} />
      {made && (
        <div class="tl-panels">
          <div class="tl-stack">
            {open.markers.value && (
              <MarkersPanel core={made.core} editing={editing} onClose={() => (open.markers.value = false)} />
            )}
            {open.lanes.value && <LanesPanel core={made.core} onClose={() => (open.lanes.value = false)} />}
            {open.legend.value && (
              <LegendPanel core={made.core} smallDmas={made.smallDmas} onClose={() => (open.legend.value = false)} />
            )}
          </div>
          <StatisticsPanel core={made.core} measure={made.measure} zoom={() => made.events.zoomTo()} />
        </div>
      )}
      {made && <Failure core={made.core} />}
      <div class="tl-hidden" role="status" aria-live="polite">
        {made?.events.spoken.value}
      </div>
    </div>
  );
}

function Whole({ core }: { core: TimelineCore }) {
  const info = core.session.info.value;
  if (!info) return null;
  const lanes = core.session.lanes.value.length;
  return (
    <>
      <b>{formatDuration(info.end - info.begin)}</b>
      <span>
        {lanes} {lanes === 1 ? "lane" : "lanes"}
      </span>
    </>
  );
}

function Scrollbar({ element, core }: { element: { current: HTMLDivElement | null }; core: TimelineCore | null }) {
  // Read for its changes: pinned lanes take at most half of it.
  void core?.size.value;
  const height = core ? core.layout.value.height + core.pinnedHeight : 0;
  return (
    <div ref={element} class="tl-scrollbar" tabIndex={-1} aria-hidden="true">
      <div style={{ height: `${height}px` }} />
    </div>
  );
}

function Failure({ core }: { core: TimelineCore }) {
  const text = core.failure.value ?? core.session.failed.value;
  return text ? (
    <div class="tl-failure" role="alert">
      {text}
    </div>
  ) : null;
}

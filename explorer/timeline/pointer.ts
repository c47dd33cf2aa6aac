// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Mouse, touch and wheel on the lanes, the ruler and the overview. See GESTURES in keys.ts.
import { Paint, type TimelineCore } from "./core";
import type { Events } from "./events";
import { type Hover, REACH } from "./hover";
import { sliceAt } from "./locate";
import type { Measure } from "./measure";
import { MinimapCanvas } from "./minimap";
import type { SmallDmaBands } from "./small_dmas";
import { View } from "./view";

// A press that moves less is a click.
const CLICK_PX = 4;
const ZOOM_PER_PX = 0.0022;

export interface Parts {
  core: TimelineCore;
  events: Events;
  measure: Measure;
  hover: Hover;
  smallDmas: SmallDmaBands;
}

type Drag =
  | { kind: "press" | "pan"; x: number; y: number; lastX: number; lastY: number }
  | { kind: "measure"; from: number }
  | { kind: "box"; x: number; y: number }
  | { kind: "pinch"; distance: number; middle: number };

export function listenPointer(parts: Parts): () => void {
  const stops = [lanes(parts), ruler(parts), minimap(parts), headers(parts)];
  return () => {
    for (const stop of stops) stop();
  };
}

type Listeners = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

function on(element: HTMLElement, listeners: Listeners): () => void {
  const abort = new AbortController();
  for (const [name, listener] of Object.entries(listeners)) {
    element.addEventListener(name, listener as EventListener, { signal: abort.signal, passive: false });
  }
  return () => abort.abort();
}

function place(element: HTMLElement, event: MouseEvent): { x: number; y: number } {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

// Wheel deltas in pixels, whatever unit the browser counts in.
function pixels(event: WheelEvent): { dx: number; dy: number } {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : event.deltaMode === 2 ? 400 : 1;
  return { dx: event.deltaX * unit, dy: event.deltaY * unit };
}

function zoomFactor(dy: number): number {
  return Math.exp(Math.max(-240, Math.min(240, dy)) * ZOOM_PER_PX);
}

function lanes({ core, events, measure, hover }: Parts): () => void {
  const { stage } = core.elements;
  let drag: Drag | null = null;
  const touches = new Map<number, { x: number; y: number }>();

  const pinch = () => {
    const [a, b] = [...touches.values()];
    if (!a || !b) return null;
    return { distance: Math.max(10, Math.abs(a.x - b.x)), middle: (a.x + b.x) / 2 };
  };

  const click = (x: number, y: number) => {
    const row = core.rowAt(y);
    const reach = REACH * core.ratio * core.view.nsPerPixel;
    const ns = core.ns(x);
    const found = row && row.lane.kind !== "counter" ? sliceAt(row, ns, reach) : null;
    if (!row || !found) {
      events.clear();
      return;
    }
    void events.chooseAt({
      lane: row.lane.id,
      row: found.row,
      from: Math.floor(found.exact ? found.from : ns - reach),
      to: Math.ceil(found.exact ? found.to : ns + reach),
    });
  };

  return on(stage, {
    pointerdown(event) {
      if (event.button !== 0 && event.pointerType === "mouse") return;
      const { x, y } = place(stage, event);
      stage.setPointerCapture(event.pointerId);
      stage.focus({ preventScroll: true });
      hover.leave();
      if (event.pointerType === "touch") {
        touches.set(event.pointerId, { x, y });
        const two = pinch();
        if (two) {
          drag = { kind: "pinch", ...two };
          return;
        }
      }
      if (event.shiftKey) drag = { kind: "measure", from: core.ns(x) };
      else if (core.boxMode.peek()) drag = { kind: "box", x, y };
      else drag = { kind: "press", x, y, lastX: x, lastY: y };
      event.preventDefault();
    },
    pointermove(event) {
      const { x, y } = place(stage, event);
      core.pointer = { x, y };
      if (touches.has(event.pointerId)) touches.set(event.pointerId, { x, y });
      if (!drag) {
        hover.at(x, y);
        core.invalidate(Paint.pointer | Paint.ruler);
        return;
      }
      if (drag.kind === "pinch") {
        const two = pinch();
        if (!two) return;
        core.pan(drag.middle - two.middle);
        core.zoom(two.middle, drag.distance / two.distance);
        drag = { kind: "pinch", ...two };
      } else if (drag.kind === "measure") {
        measure.setRange(drag.from, core.ns(x));
      } else if (drag.kind === "box") {
        core.box = {
          x0: Math.min(drag.x, x),
          y0: Math.min(drag.y, y),
          x1: Math.max(drag.x, x),
          y1: Math.max(drag.y, y),
        };
      } else {
        if (drag.kind === "press" && Math.hypot(x - drag.x, y - drag.y) < CLICK_PX) return;
        drag.kind = "pan";
        stage.classList.add("tl-panning");
        core.pan(drag.lastX - x);
        core.scrollBy(drag.lastY - y);
        drag.lastX = x;
        drag.lastY = y;
      }
      core.invalidate(Paint.pointer | Paint.ruler);
    },
    pointerup(event) {
      const { x, y } = place(stage, event);
      touches.delete(event.pointerId);
      stage.classList.remove("tl-panning");
      const done = drag;
      drag = null;
      if (done?.kind === "press") click(x, y);
      if (done?.kind === "box" && core.box) void measure.selectBox(core.box);
      core.box = null;
      core.invalidate(Paint.pointer);
    },
    pointercancel(event) {
      touches.delete(event.pointerId);
      drag = null;
      core.box = null;
      stage.classList.remove("tl-panning");
      core.invalidate(Paint.pointer);
    },
    pointerleave() {
      core.pointer = null;
      hover.leave();
      core.invalidate(Paint.pointer | Paint.ruler);
    },
    dblclick(event) {
      const { x, y } = place(stage, event);
      const row = core.rowAt(y);
      const found = row && sliceAt(row, core.ns(x), REACH * core.ratio * core.view.nsPerPixel);
      if (found) core.setView(View.around(found));
    },
    wheel(event) {
      event.preventDefault();
      const { x } = place(stage, event);
      const { dx, dy } = pixels(event);
      hover.leave();
      // A pinch on a touch pad arrives as a wheel with Ctrl and small deltas.
      if (event.ctrlKey || event.metaKey) core.zoom(x, zoomFactor(Math.abs(dy) < 12 ? dy * 4 : dy));
      else if (event.shiftKey) core.pan(dy || dx);
      else {
        if (dy !== 0) core.scrollBy(dy);
        if (dx !== 0) core.pan(dx);
      }
    },
  });
}

function ruler({ core, measure }: Parts): () => void {
  const element = core.elements.ruler;
  let from: number | null = null;
  return on(element, {
    pointerdown(event) {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      from = core.ns(place(element, event).x);
      event.preventDefault();
    },
    pointermove(event) {
      const { x } = place(element, event);
      core.pointer = { x, y: -1 };
      if (from !== null) measure.setRange(from, core.ns(x));
      core.invalidate(Paint.pointer | Paint.ruler);
    },
    pointerup(event) {
      // A click without a drag clears the range.
      const { x } = place(element, event);
      if (from !== null && Math.abs(core.view.x(from) / core.ratio - x) < CLICK_PX) measure.clear();
      from = null;
    },
    pointercancel() {
      from = null;
    },
    pointerleave() {
      core.pointer = null;
      core.invalidate(Paint.pointer | Paint.ruler);
    },
    wheel(event) {
      event.preventDefault();
      const { dx, dy } = pixels(event);
      if (event.shiftKey) core.pan(dy || dx);
      else core.zoom(place(element, event).x, zoomFactor(dy));
    },
  });
}

function minimap({ core }: Parts): () => void {
  const element = core.elements.minimap;
  let drag: { x: number; edge: "from" | "to" | null } | null = null;
  const ns = (x: number) => MinimapCanvas.ns({ begin: core.view.begin, end: core.view.end, width: core.mapWidth }, x);
  const x = (at: number) => ((at - core.view.begin) / (core.view.end - core.view.begin)) * core.mapWidth;
  const center = (at: number) => {
    const half = core.view.span / 2;
    core.setView({ from: at - half, to: at + half });
  };
  return on(element, {
    pointerdown(event) {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      const at = place(element, event).x;
      const left = x(core.view.from);
      const right = x(core.view.to);
      const wide = right - left > 24;
      const edge = wide && Math.abs(at - left) < 6 ? "from" : wide && Math.abs(at - right) < 6 ? "to" : null;
      if (!edge && (at < left || at > right)) center(ns(at));
      drag = { x: at, edge };
      event.preventDefault();
    },
    pointermove(event) {
      const at = place(element, event).x;
      if (!drag) {
        const near = Math.min(Math.abs(at - x(core.view.from)), Math.abs(at - x(core.view.to))) < 6;
        element.style.cursor = near ? "ew-resize" : "grab";
        return;
      }
      const { from, to } = core.view;
      const shift = ns(at) - ns(drag.x);
      if (drag.edge === "from") core.setView({ from: Math.min(ns(at), to - 20), to });
      else if (drag.edge === "to") core.setView({ from, to: Math.max(ns(at), from + 20) });
      else core.setView({ from: from + shift, to: to + shift });
      drag.x = at;
    },
    pointerup() {
      drag = null;
    },
    pointercancel() {
      drag = null;
    },
    wheel(event) {
      event.preventDefault();
      const at = ns(place(element, event).x);
      const { dy } = pixels(event);
      const inside = at >= core.view.from && at <= core.view.to;
      core.zoom(inside ? core.view.x(at) / core.ratio : core.width / 2, zoomFactor(dy));
    },
  });
}

function headers({ core }: Parts): () => void {
  return on(core.elements.side, {
    wheel(event) {
      if (event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      core.scrollBy(pixels(event).dy);
    },
  });
}

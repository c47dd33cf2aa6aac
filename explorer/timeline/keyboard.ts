// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What keys do. Keys that are held down move the view a little each frame, at a speed in screens a second, so that a fast
// machine and a slow one cover the same way.
import { Paint } from "./core";
import { type Action, keyFor } from "./keys";
import { sorted } from "./markers";
import type { Parts } from "./pointer";

const PAN_PER_S = 1.1;
const ZOOM_PER_S = 4.5;
const SCROLL_PER_S = 900;
// The least that a tap moves, as if held for this long.
const TAP_MS = 70;

export interface Places {
  markersOpen: { value: boolean };
  editMarker(index: number): void;
}

export class Keyboard {
  private readonly held = new Map<Action, number>();
  private readonly step = (elapsed: number) => this.frame(elapsed);

  constructor(
    readonly parts: Parts,
    readonly places: Places,
  ) {
    parts.core.onFrame.add(this.step);
  }

  stop(): void {
    this.parts.core.onFrame.delete(this.step);
    this.held.clear();
  }

  // True when the key was one of the timeline's.
  down(event: KeyboardEvent): boolean {
    if (isTyping(event.target)) return false;
    const key = keyFor(event);
    if (!key) return false;
    if (key.held) {
      if (!event.repeat && !this.held.has(key.action)) {
        this.held.set(key.action, 0);
        this.parts.core.invalidate(0);
      }
    } else if (!event.repeat || key.group === "Events") {
      this.act(key.action);
    }
    return true;
  }

  up(event: KeyboardEvent): void {
    const key = keyFor({ ...pressed(event), shiftKey: false });
    if (!key?.held) return;
    const had = this.held.get(key.action);
    if (had === undefined) return;
    if (had < TAP_MS) this.move(key.action, TAP_MS - had);
    this.held.delete(key.action);
  }

  // Keys that went up elsewhere.
  release(): void {
    this.held.clear();
  }

  act(action: Action): void {
    const { core, events, measure, smallDmas } = this.parts;
    const page = core.height - core.pinnedHeight - 40;
    switch (action) {
      case "panLeft":
      case "panRight":
      case "zoomIn":
      case "zoomOut":
      case "scrollUp":
      case "scrollDown":
        this.move(action, 4 * TAP_MS);
        break;
      case "pageUp":
        core.scrollBy(-page);
        break;
      case "pageDown":
        core.scrollBy(page);
        break;
      case "fit":
        core.fit();
        break;
      case "zoomToSelection":
        events.zoomTo();
        break;
      case "undo":
      case "redo": {
        const span = action === "undo" ? core.history.undo() : core.history.redo();
        if (span) core.setView(span);
        break;
      }
      case "nextEvent":
        void events.step("next");
        break;
      case "previousEvent":
        void events.step("previous");
        break;
      case "parentEvent":
        void events.step("up");
        break;
      case "childEvent":
        void events.step("down");
        break;
      case "nextGap":
        void events.stepGap("next");
        break;
      case "previousGap":
        void events.stepGap("previous");
        break;
      case "nextHit":
        void events.stepHit(1);
        break;
      case "previousHit":
        void events.stepHit(-1);
        break;
      case "chainNext":
        events.chainStep(1);
        break;
      case "chainPrevious":
        events.chainStep(-1);
        break;
      case "arrows":
        events.allArrows.value = !events.allArrows.peek();
        break;
      case "smallDmas":
        smallDmas.toggle();
        break;
      case "boxSelect":
        core.boxMode.value = !core.boxMode.peek();
        break;
      case "marker":
        this.mark();
        break;
      case "markers":
        this.places.markersOpen.value = !this.places.markersOpen.value;
        break;
      case "clear":
        if (core.box) core.box = null;
        else if (core.boxMode.peek()) core.boxMode.value = false;
        else {
          measure.clear();
          events.clear();
        }
        core.invalidate(Paint.all);
        break;
    }
  }

  private mark(): void {
    const { core } = this.parts;
    const at = Math.round(
      core.pointer ? core.ns(core.pointer.x) : (core.front?.from ?? (core.view.from + core.view.to) / 2),
    );
    const marker = { at, note: "" };
    core.markers.value = sorted([...core.markers.peek(), marker]);
    this.places.editMarker(core.markers.peek().indexOf(marker));
  }

  private frame(elapsed: number): boolean {
    for (const [action, had] of this.held) {
      this.held.set(action, had + elapsed);
      this.move(action, elapsed);
    }
    return this.held.size > 0;
  }

  private move(action: Action, ms: number): void {
    const { core } = this.parts;
    const s = ms / 1000;
    const at = core.pointer && core.pointer.x >= 0 ? core.pointer.x : core.width / 2;
    if (action === "panLeft") core.pan(-PAN_PER_S * core.width * s);
    else if (action === "panRight") core.pan(PAN_PER_S * core.width * s);
    else if (action === "zoomIn") core.zoom(at, Math.exp(-ZOOM_PER_S * s));
    else if (action === "zoomOut") core.zoom(at, Math.exp(ZOOM_PER_S * s));
    else if (action === "scrollUp") core.scrollBy(-SCROLL_PER_S * s);
    else if (action === "scrollDown") core.scrollBy(SCROLL_PER_S * s);
  }
}

function pressed(event: KeyboardEvent) {
  return { key: event.key, shiftKey: event.shiftKey, ctrlKey: false, metaKey: false, altKey: false };
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

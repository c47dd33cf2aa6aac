// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every key of the timeline, once. The timeline acts by it; help page and command palette list it.
export type Action =
  | "panLeft"
  | "panRight"
  | "zoomIn"
  | "zoomOut"
  | "scrollUp"
  | "scrollDown"
  | "pageUp"
  | "pageDown"
  | "fit"
  | "zoomToSelection"
  | "undo"
  | "redo"
  | "nextEvent"
  | "previousEvent"
  | "parentEvent"
  | "childEvent"
  | "nextGap"
  | "previousGap"
  | "nextHit"
  | "previousHit"
  | "chainNext"
  | "chainPrevious"
  | "arrows"
  | "smallDmas"
  | "boxSelect"
  | "marker"
  | "markers"
  | "clear";

export interface Key {
  // As KeyboardEvent.key with modifiers in front: "Shift+Z", "Ctrl+=". Letters match in either case unless Shift is named.
  keys: string[];
  action: Action;
  group: "Move" | "Events" | "Measure and mark";
  text: string;
  // Held down it goes on, at the pace of frames.
  held?: true;
}

export const KEYS: Key[] = [
  { keys: ["A", "ArrowLeft"], action: "panLeft", group: "Move", text: "Pan left", held: true },
  { keys: ["D", "ArrowRight"], action: "panRight", group: "Move", text: "Pan right", held: true },
  { keys: ["W", "+", "="], action: "zoomIn", group: "Move", text: "Zoom in", held: true },
  { keys: ["S", "-"], action: "zoomOut", group: "Move", text: "Zoom out", held: true },
  { keys: ["ArrowUp"], action: "scrollUp", group: "Move", text: "Scroll lanes up", held: true },
  { keys: ["ArrowDown"], action: "scrollDown", group: "Move", text: "Scroll lanes down", held: true },
  { keys: ["PageUp"], action: "pageUp", group: "Move", text: "A screen of lanes up" },
  { keys: ["PageDown"], action: "pageDown", group: "Move", text: "A screen of lanes down" },
  { keys: ["0", "Home"], action: "fit", group: "Move", text: "Show the whole trace" },
  { keys: ["F"], action: "zoomToSelection", group: "Move", text: "Zoom to range or selection" },
  { keys: ["Z"], action: "undo", group: "Move", text: "Undo zoom" },
  { keys: ["Shift+Z"], action: "redo", group: "Move", text: "Redo zoom" },
  { keys: ["]"], action: "nextEvent", group: "Events", text: "Next event of the row" },
  { keys: ["["], action: "previousEvent", group: "Events", text: "Previous event of the row" },
  { keys: ["{"], action: "parentEvent", group: "Events", text: "Enclosing event" },
  { keys: ["}"], action: "childEvent", group: "Events", text: "First event inside" },
  { keys: ["."], action: "nextGap", group: "Events", text: "Next gap of the device" },
  { keys: [","], action: "previousGap", group: "Events", text: "Previous gap of the device" },
  { keys: ["N"], action: "nextHit", group: "Events", text: "Next search hit" },
  { keys: ["Shift+N"], action: "previousHit", group: "Events", text: "Previous search hit" },
  { keys: ["J"], action: "chainNext", group: "Events", text: "Along the chain: towards the hardware" },
  { keys: ["K"], action: "chainPrevious", group: "Events", text: "Along the chain: towards the framework" },
  { keys: ["L"], action: "arrows", group: "Events", text: "All arrows of the visible span, on or off" },
  { keys: ["Y"], action: "smallDmas", group: "Events", text: "Bands where small DMAs follow each other, on or off" },
  { keys: ["B"], action: "boxSelect", group: "Measure and mark", text: "Box select, on or off" },
  { keys: ["M"], action: "marker", group: "Measure and mark", text: "Set a marker at the pointer or the event" },
  { keys: ["Shift+M"], action: "markers", group: "Measure and mark", text: "List of markers, open or closed" },
  { keys: ["Escape"], action: "clear", group: "Measure and mark", text: "Clear range, box and selection" },
];

// What the mouse does, for the same help page.
export const GESTURES: { gesture: string; text: string }[] = [
  { gesture: "Wheel", text: "Scroll lanes" },
  { gesture: "Ctrl or ⌘ + wheel, pinch", text: "Zoom at the pointer" },
  { gesture: "Wheel on the ruler or the overview", text: "Zoom at the pointer" },
  { gesture: "Shift + wheel, sideways wheel", text: "Pan" },
  { gesture: "Drag", text: "Pan and scroll" },
  { gesture: "Shift + drag, drag on the ruler", text: "Measure a range" },
  { gesture: "Click", text: "Select an event; its chain is drawn" },
  { gesture: "Double click", text: "Zoom to the event" },
  { gesture: "Drag a lane's title", text: "Move the lane" },
];

// Keys in the column of lanes (lane_grid.tsx), where arrow keys walk from cell to cell.
export const LANE_KEYS: { keys: string[]; text: string }[] = [
  { keys: ["ArrowUp", "ArrowDown"], text: "Lane above, below" },
  { keys: ["ArrowRight", "ArrowLeft"], text: "Next, previous event of the lane" },
  { keys: ["Enter", "Space"], text: "Open or close the lane or group; on an event: zoom to it" },
  { keys: ["P"], text: "Pin the lane on top, or let it go" },
  { keys: ["H"], text: "Hide the lane" },
  { keys: ["T"], text: "Rows of a deep lane high enough for names" },
  { keys: ["Alt+ArrowUp", "Alt+ArrowDown"], text: "Move the lane" },
];

export interface Pressed {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

export function keyFor(pressed: Pressed): Key | null {
  // Ctrl, Meta and Alt belong to the browser and the page.
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return null;
  const letter = /^[a-z]$/i.test(pressed.key);
  const text = letter ? `${pressed.shiftKey ? "Shift+" : ""}${pressed.key.toUpperCase()}` : pressed.key;
  return KEYS.find((k) => k.keys.includes(text)) ?? null;
}

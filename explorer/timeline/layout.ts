// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where lanes lie, from top to bottom: pinned ones first (they do not scroll), then the groups of each rank. A pure function of
// the lanes, what the user arranged, and heights. All heights are CSS pixels.
import type { Lane, LaneGroup } from "@/engine/api";
import { type Arrangement, isHidden } from "./arrangement";

export interface Strip {
  kind: "rank" | "group" | "lane";
  // Stable between runs, unique in a layout; the key of what the user arranged.
  key: string;
  // Lanes with the same parent can change places.
  parent: string;
  title: string;
  subtitle: string;
  lane: Lane | null;
  pinned: boolean;
  collapsed: boolean;
  // Lanes below a rank or group, for its title.
  lanes: number;
  // What a closed rank or group stands for; its density is painted in the title.
  inside: Lane[];
  depth: number;
  top: number;
  height: number;
  rows: number;
  rowHeight: number;
  // Its rows may be lower than others'.
  deep: boolean;
  // From the strip's top to its first row.
  inset: number;
}

export interface Layout {
  pinned: Strip[];
  pinnedHeight: number;
  strips: Strip[];
  height: number;
  // All lanes that can be seen by scrolling, in order.
  shown: Strip[];
  // For each lane its strip, or the closed group that it is in; hidden lanes have none.
  where: Map<number, Strip>;
}

export const HEIGHT = { rank: 26, group: 24, row: 18, flat: 12, gaps: 14, steps: 18, counter: 36, pad: 5, least: 20 };
// Deep stacks (Python) have lower rows: as low as it takes to have all groups on one screen, within these bounds. The lowest
// hold no names; the reader makes a lane high again by T.
const DEEP_ROWS = 10;
const DEEP_MOST = 14;
const DEEP_LEAST = 4;

const GROUP_TITLES: Record<LaneGroup, string> = {
  framework: "Framework",
  runtime: "Runtime",
  hardware: "Hardware",
  counters: "Counters",
  annotations: "Annotations",
  engines: "Engines",
  dma: "DMA",
  semaphores: "Semaphores",
};

export function laneKey(lane: Lane): string {
  return [lane.group, lane.kind, lane.part, lane.pid, lane.tid, lane.device ?? "", lane.stream ?? "", lane.title].join(
    "|",
  );
}

// `room` is the height of the screen.
export function layout(lanes: Lane[], arranged: Arrangement, room = 0): Layout {
  const roomy = stack(lanes, arranged, DEEP_MOST);
  const deep = [...roomy.pinned, ...roomy.strips].filter((s) => s.deep && s.rowHeight === DEEP_MOST);
  const rows = deep.reduce((sum, s) => sum + s.rows, 0);
  const over = roomy.height + roomy.pinnedHeight - room;
  if (room === 0 || rows === 0 || over <= 0) return roomy;
  const fitting = Math.max(DEEP_LEAST, Math.floor(DEEP_MOST - over / rows));
  return fitting < DEEP_MOST ? stack(lanes, arranged, fitting) : roomy;
}

function stack(lanes: Lane[], arranged: Arrangement, deepRow: number): Layout {
  const keyed = lanes.map((lane) => ({ lane, key: laneKey(lane) }));
  const rank = new Map(arranged.order.map((key, index) => [key, index]));
  const hidden = new Set(arranged.hidden);
  const pinnedKeys = new Set(arranged.pinned);
  const collapsed = new Set(arranged.collapsed);
  const tall = new Set(arranged.tall);
  const heightOf = (key: string) => (tall.has(key) ? HEIGHT.row : deepRow);
  // Lanes that the user moved go in his order, at the place of the first of them; the others keep theirs.
  keyed.sort((a, b) => {
    const x = rank.get(a.key);
    const y = rank.get(b.key);
    return x !== undefined && y !== undefined ? x - y : 0;
  });

  const strips: Strip[] = [];
  const pinned: Strip[] = [];
  const shown: Strip[] = [];
  const where = new Map<number, Strip>();
  let top = 0;
  let pinnedTop = 0;

  for (const key of arranged.pinned) {
    const found = keyed.find((k) => k.key === key);
    if (!found || isHidden(found.lane, key, hidden)) continue;
    const strip = laneStrip(found.lane, key, "pinned", true, collapsed.has(key), pinnedTop, heightOf(key));
    pinned.push(strip);
    shown.push(strip);
    where.set(found.lane.id, strip);
    pinnedTop += strip.height;
  }

  const close = (strip: Strip, items: typeof keyed) => {
    for (const { lane } of items) where.set(lane.id, strip);
    strip.inside = items
      .map(({ lane }) => lane)
      .filter((lane) => lane.kind === "slices" && lane.group !== "annotations");
  };

  const ranks = new Map<string, typeof keyed>();
  for (const item of keyed) {
    if (isHidden(item.lane, item.key, hidden) || pinnedKeys.has(item.key)) continue;
    // Files without a rank, like the two of a capture, are one whole.
    const name = item.lane.rank === null ? "Without a rank" : `Rank ${item.lane.rank}`;
    const list = ranks.get(name);
    if (list) list.push(item);
    else ranks.set(name, [item]);
  }
  for (const [name, ofRank] of ranks) {
    const rankKey = `rank|${name}`;
    if (ranks.size > 1) {
      const strip = titleStrip("rank", rankKey, name, ofRank.length, collapsed.has(rankKey), 0, top, HEIGHT.rank);
      strips.push(strip);
      top += strip.height;
      if (strip.collapsed) {
        close(strip, ofRank);
        continue;
      }
    }
    for (const group of groupsOf(ofRank.map((i) => i.lane))) {
      const inGroup = ofRank.filter((item) => item.lane.group === group);
      const groupKey = `group|${name}|${group}`;
      const strip = titleStrip(
        "group",
        groupKey,
        GROUP_TITLES[group],
        inGroup.length,
        collapsed.has(groupKey),
        ranks.size > 1 ? 1 : 0,
        top,
        HEIGHT.group,
      );
      strips.push(strip);
      top += strip.height;
      if (strip.collapsed) {
        close(strip, inGroup);
        continue;
      }
      for (const { lane, key } of inGroup) {
        const made = laneStrip(lane, key, groupKey, false, collapsed.has(key), top, heightOf(key));
        strips.push(made);
        shown.push(made);
        where.set(lane.id, made);
        top += made.height;
      }
    }
  }
  return { pinned, pinnedHeight: pinnedTop, strips, height: top, shown, where };
}

// A launch travels from top to bottom.
const GROUPS: LaneGroup[] = [
  "annotations",
  "framework",
  "runtime",
  "hardware",
  "engines",
  "dma",
  "counters",
  "semaphores",
];

function groupsOf(lanes: Lane[]): LaneGroup[] {
  const present = new Set(lanes.map((lane) => lane.group));
  return GROUPS.filter((group) => present.has(group));
}

function titleStrip(
  kind: "rank" | "group",
  key: string,
  title: string,
  lanes: number,
  collapsed: boolean,
  depth: number,
  top: number,
  height: number,
): Strip {
  const subtitle = `${lanes} ${lanes === 1 ? "lane" : "lanes"}`;
  return {
    kind,
    key,
    parent: "",
    title,
    subtitle,
    lane: null,
    pinned: false,
    collapsed,
    lanes,
    inside: [],
    depth,
    top,
    height,
    rows: 0,
    rowHeight: HEIGHT.flat,
    deep: false,
    inset: (height - HEIGHT.flat) / 2,
  };
}

function laneStrip(
  lane: Lane,
  key: string,
  parent: string,
  pinned: boolean,
  collapsed: boolean,
  top: number,
  deepRow: number,
): Strip {
  let rows = collapsed ? 1 : Math.max(1, lane.rows);
  let rowHeight = collapsed ? HEIGHT.flat : rows > DEEP_ROWS ? deepRow : HEIGHT.row;
  if (lane.kind === "counter") {
    rows = 1;
    rowHeight = collapsed ? HEIGHT.flat : HEIGHT.counter;
  } else if (lane.kind === "gaps" && !collapsed) {
    rowHeight = HEIGHT.gaps;
  } else if (lane.kind === "steps" && !collapsed) {
    rowHeight = HEIGHT.steps;
  }
  const height = Math.max(HEIGHT.least, rows * rowHeight + HEIGHT.pad);
  const inset = rows === 1 ? Math.floor((height - rowHeight) / 2) : 2;
  return {
    kind: "lane",
    key,
    parent,
    title: lane.title,
    subtitle: lane.subtitle,
    lane,
    pinned,
    collapsed,
    lanes: 1,
    inside: [],
    depth: 0,
    top,
    height,
    rows,
    rowHeight,
    deep: rows > DEEP_ROWS,
    inset,
  };
}

// Index of the first strip that reaches below `y` (tops ascend).
export function firstBelow(strips: Strip[], y: number): number {
  let low = 0;
  let high = strips.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const strip = strips[middle] as Strip;
    if (strip.top + strip.height <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface Place {
  strip: Strip;
  // On the screen, below the ruler: where the strip begins.
  y: number;
  // Cut off above this by the pinned lanes.
  clip: number;
}

// The strips on a screen of `height` at `scroll`, with their places.
export function placesOn(made: Layout, scroll: number, height: number): Place[] {
  const places: Place[] = [];
  const pinnedHeight = pinnedOn(made, height);
  for (const strip of made.pinned) {
    if (strip.top >= pinnedHeight) break;
    places.push({ strip, y: strip.top, clip: 0 });
  }
  for (let i = firstBelow(made.strips, scroll); i < made.strips.length; i++) {
    const strip = made.strips[i] as Strip;
    const y = strip.top - scroll + pinnedHeight;
    if (y >= height) break;
    places.push({ strip, y, clip: pinnedHeight });
  }
  return places;
}

// Pinned lanes take at most half of the screen.
export function pinnedOn(made: Layout, height: number): number {
  return Math.min(made.pinnedHeight, Math.floor(height / 2));
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the user arranged: lanes pinned, moved, collapsed, hidden; kept by the server for this trace (`pins-T`). Keys are lanes'
// and groups' keys (layout.ts), so that an arrangement survives a new start of the server.
export interface Arrangement {
  pinned: string[];
  order: string[];
  collapsed: string[];
  // Lanes that are shown or hidden otherwise than the server proposes (Lane.hidden).
  hidden: string[];
  // Deep lanes whose rows have their full height.
  tall: string[];
}

export const NOTHING_ARRANGED: Arrangement = { pinned: [], order: [], collapsed: [], hidden: [], tall: [] };

// Whether a lane is hidden: as the server proposes, unless the user turned that round.
export function isHidden(lane: { hidden?: boolean }, key: string, hidden: ReadonlySet<string>): boolean {
  return (lane.hidden ?? false) !== hidden.has(key);
}

export function toggled(list: string[], key: string): string[] {
  return list.includes(key) ? list.filter((k) => k !== key) : [...list, key];
}

// Moves `key` to the place of `target` among `siblings` (keys in their present order); before it, or behind it.
export function moved(siblings: string[], key: string, target: string, behind: boolean): string[] {
  if (key === target) return siblings;
  const rest = siblings.filter((k) => k !== key);
  const at = rest.indexOf(target);
  if (at < 0) return siblings;
  rest.splice(behind ? at + 1 : at, 0, key);
  return rest;
}

// The order with one group of siblings in their new order; other groups are left alone.
export function withOrder(order: string[], siblings: string[]): string[] {
  const moving = new Set(siblings);
  return [...order.filter((k) => !moving.has(k)), ...siblings];
}

// Reads what was kept; whatever is not a list of texts counts as nothing.
export function arrangementOf(value: unknown): Arrangement {
  const texts = (list: unknown) => (Array.isArray(list) ? list.filter((k) => typeof k === "string") : []);
  const kept = (value ?? {}) as Record<string, unknown>;
  return {
    pinned: texts(kept.pinned),
    order: texts(kept.order),
    collapsed: texts(kept.collapsed),
    hidden: texts(kept.hidden),
    tall: texts(kept.tall),
  };
}

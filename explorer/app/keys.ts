// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys that hold on every page. Those of the timeline and of tables stand beside their code; help and palette read all lists.

import { kindOf } from "@/app/kind";
import { letterOf, pages, pagesOf } from "@/app/pages";
import type { Above } from "@/app/shell";
import { chooseTheme, dark } from "@/base/theme";
import { page, traceIds } from "@/base/view";
import { isReport } from "@/engine/server";

export interface KeyLine {
  keys: string;
  does: string;
  // `keys` is a gesture in words, not keys.
  words?: boolean;
}

export const globalKeys: KeyLine[] = [
  { keys: "/", does: "search events" },
  { keys: "Ctrl+K", does: "commands" },
  { keys: "?", does: "this help" },
  { keys: "g h", does: "home" },
  // The two summaries share a key: a trace has one of them.
  ...pages
    .filter((p, i) => pages.findIndex((other) => other.title === p.title) === i)
    .map((p) => ({ keys: `g ${letterOf(p)}`, does: p.title.toLowerCase() })),
  { keys: "g l", does: "light or dark" },
];

interface Actions {
  search(): void;
  above(what: Above): void;
}

// When `g` was pressed. Times of events count from the page's start, so "never" is not 0.
const NEVER = Number.NEGATIVE_INFINITY;
let waiting = NEVER;

// Whether the key was taken. A letter after `g` (within a second) goes to a page.
export function globalKey(event: KeyboardEvent, on: Actions): boolean {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    on.above("palette");
    return true;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  const target = event.target as HTMLElement | null;
  if (target?.closest?.("input, textarea, select, [contenteditable], dialog")) return false;
  const afterG = event.timeStamp - waiting < 1000;
  waiting = NEVER;
  if (afterG) {
    const to = pageOfLetter(event.key);
    if (event.key === "l") chooseTheme(dark.value ? "light" : "dark");
    else if (to !== null) page.value = to;
    else return false;
    return true;
  }
  if (event.key === "g") {
    waiting = event.timeStamp;
    return false;
  }
  if (event.key === "/" && !isReport) on.search();
  else if (event.key === "?") on.above("help");
  else return false;
  return true;
}

function pageOfLetter(letter: string): string | null {
  if (letter === "h") return isReport ? "summary" : "home";
  const [front] = traceIds.value;
  if (front === undefined) return null;
  return pagesOf(kindOf(front) ?? "session").find((p) => letterOf(p) === letter)?.id ?? null;
}

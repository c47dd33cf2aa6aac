// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which time the tables speak of: the whole trace, what the timeline shows, the range marked on it, or the event in front.
import { signal } from "@preact/signals";
import { range, type Span, visible } from "@/base/view";

export type Scope = "whole" | "range" | "visible";

export const scope = signal<Scope>("whole");

// Null: no limit.
export function scopeOf(now: Scope): { from: number; to: number } | null {
  if (now === "whole") return null;
  const span: Span | null = now === "range" ? range.value : steady.value;
  return span ? { from: Math.floor(span.from), to: Math.ceil(span.to) } : null;
}

// The visible span once it has stood still: a table for every frame of a zoom would be no use.
const steady = signal<Span>(visible.value);
let timer: ReturnType<typeof setTimeout> | undefined;
visible.subscribe((span) => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    steady.value = span;
  }, 350);
});

// A range that is marked is meant to be looked at; without one there is nothing to limit to.
let had = false;
range.subscribe((span) => {
  if (span && !had) scope.value = "range";
  if (!span && had && scope.value === "range") scope.value = "whole";
  had = span !== null;
});

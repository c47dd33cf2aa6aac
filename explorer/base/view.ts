// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What all parts of the page look at and change: the open traces, the visible span, the selection. One place, as signals; the
// address bar holds the same (app/address.ts).
import { signal } from "@preact/signals";

export interface Span {
  from: number;
  to: number;
}

export interface Selection {
  // Event ids, at most a few thousand; `token` is the server's number of a larger set, drawn by the tiles.
  events: string[];
  token: number;
  // What the selection is, for people: "3 × aten::mul".
  text: string;
}

// Pages: "home", "timeline", "summary", "tables", "flame", "memory", "compare", "sql", "help".
export const page = signal("home");
// Open traces; the first is the one in front. Compare uses all.
export const traceIds = signal<string[]>([]);
// The visible span of the timeline, ns from the trace's origin.
export const visible = signal<Span>({ from: 0, to: 1 });
// A range that tables are limited to ("only this range"); null = all.
export const range = signal<Span | null>(null);
export const selection = signal<Selection>({ events: [], token: 0, text: "" });
// The event in front: details and chain show it.
export const focus = signal<string | null>(null);
// Text of the search box; hits are a channel of the tiles.
export const search = signal("");
// The launch in a system trace whose device profile is in front; null of a profile that was opened by itself, and of a session.
export interface Launch {
  trace: string;
  name: string;
  event: string;
  // The same in the framework's trace, which knows the Python lines.
  execution: string;
  program: string;
  // Of the execution in the system trace, ns from its origin.
  start_ns: number;
  dur_ns: number;
  overhead_before_ns: number;
  overhead_after_ns: number;
  program_start_ns: number;
}
export const launch = signal<Launch | null>(null);
// Asks the timeline to bring a span into view (with a margin); it answers by moving `visible`.
export const reveal = signal<{ span: Span; lane: number | null } | null>(null);

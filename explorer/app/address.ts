// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The view as the part of the address behind the #, and back: page, traces by content id, visible span, marked range, which time
// tables speak of, focus, search. Spans are whole ns from the trace's origin, so an address holds no epoch time and opens the same view elsewhere.
import { effect } from "@preact/signals";
import { panel } from "@/app/layout";
import { type Scope, scope } from "@/base/scope";
import { focus, launch, page, range, type Span, search, traceIds, visible } from "@/base/view";
import { opened } from "@/engine/opened";
import { server } from "@/engine/server";

export interface ViewState {
  page: string;
  traces: string[];
  span: Span | null;
  range: Span | null;
  // Which time tables speak of; null: the marked range, or all where none is marked.
  scope: Exclude<Scope, "range"> | null;
  focus: string | null;
  search: string;
  panel: string | null;
  // The launch that a device profile was opened from: trace and event.
  from: { trace: string; event: string } | null;
}

export function writeAddress(view: ViewState): string {
  const out: string[] = [];
  const put = (key: string, value: string) =>
    out.push(`${key}=${encodeURIComponent(value).replaceAll("%3A", ":").replaceAll("%2C", ",")}`);
  if (view.traces.length > 0) put("t", view.traces.join(","));
  if (view.span) put("span", spanText(view.span));
  if (view.range) put("range", spanText(view.range));
  if (view.scope !== null) put("only", view.scope);
  if (view.focus !== null) put("focus", view.focus);
  if (view.search !== "") put("q", view.search);
  if (view.panel !== null) put("panel", view.panel);
  if (view.from) put("from", `${view.from.trace},${view.from.event}`);
  return `#${view.page}${out.length > 0 ? `?${out.join("&")}` : ""}`;
}

// What cannot be read is left out: an address may be typed by hand.
export function readAddress(hash: string): ViewState {
  const [head = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const params = new URLSearchParams(query);
  return {
    page: /^[a-z]+$/.test(head) ? head : "home",
    traces: (params.get("t") ?? "").split(",").filter((id) => id !== ""),
    span: readSpan(params.get("span")),
    range: readSpan(params.get("range")),
    scope: scopeNamed(params.get("only")),
    focus: eventId(params.get("focus")),
    search: params.get("q") ?? "",
    panel: params.get("panel"),
    from: launchOf(params.get("from")),
  };
}

function spanText(span: Span): string {
  return `${Math.round(span.from)}..${Math.round(span.to)}`;
}

function readSpan(text: string | null): Span | null {
  const match = /^(-?\d{1,16})\.\.(-?\d{1,16})$/.exec(text ?? "");
  if (!match) return null;
  const span = { from: Number(match[1]), to: Number(match[2]) };
  return span.to > span.from ? span : null;
}

function scopeNamed(text: string | null): ViewState["scope"] {
  return text === "whole" || text === "visible" ? text : null;
}

function eventId(text: string | null): string | null {
  return text !== null && /^(\d+:)?\d+$/.test(text) ? text : null;
}

function launchOf(text: string | null): { trace: string; event: string } | null {
  const [trace = "", event = ""] = (text ?? "").split(",");
  return trace !== "" && eventId(event) !== null ? { trace, event } : null;
}

// A span that nobody chose yet is not part of the address.
function chosen(span: Span): Span | null {
  return span.from === 0 && span.to <= 1 ? null : span;
}

function nowState(): ViewState {
  const withTrace = traceIds.value.length > 0;
  return {
    page: page.value,
    traces: traceIds.value,
    span: withTrace ? chosen(visible.value) : null,
    range: withTrace ? range.value : null,
    scope: withTrace ? scopeNow() : null,
    focus: withTrace ? focus.value : null,
    search: search.value,
    panel: withTrace && (page.value === "timeline" || page.value === "tables") ? panel.value : null,
    from: withTrace ? launchNow() : null,
  };
}

// What is so without a word is not said.
function scopeNow(): ViewState["scope"] {
  const now = scope.value;
  if (now === "visible") return now;
  return now === "whole" && range.value ? now : null;
}

// The launch of the address, until the server has told more about it.
let asked: { trace: string; event: string } | null = null;

function launchNow(): { trace: string; event: string } | null {
  return launch.value ? { trace: launch.value.trace, event: launch.value.event } : asked;
}

// A profile that was opened from a launch is opened again from it: it then knows its way back.
async function takeLaunch(from: { trace: string; event: string } | null): Promise<void> {
  if (launch.peek() && launch.peek()?.trace === from?.trace && launch.peek()?.event === from?.event) return;
  launch.value = null;
  asked = from;
  if (!from) return;
  try {
    const found = await server.device(from.trace, from.event);
    opened.add(found.trace);
    if (asked === from && traceIds.peek()[0] === found.trace.id) launch.value = found.from;
  } catch (failure) {
    // The profile itself may be open all the same.
    opened.trouble.value = failure instanceof Error ? failure.message : String(failure);
  }
  if (asked === from) asked = null;
}

// Takes the view from the address and keeps the address at the view. A new page or trace is a step in the browser's history;
// a pan or zoom is not. Returns what ends it.
export function followAddress(): () => void {
  let written = "";
  let last = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = () => {
    if (location.hash === written) return;
    const view = readAddress(location.hash);
    traceIds.value = view.traces;
    page.value = view.page;
    if (view.span) visible.value = view.span;
    range.value = view.range;
    scope.value = view.scope ?? (view.range ? "range" : "whole");
    focus.value = view.focus;
    search.value = view.search;
    if (view.panel) panel.value = view.panel;
    void takeLaunch(view.from);
  };
  take();
  const put = () => {
    const view = nowState();
    const hash = writeAddress(view);
    const place = `${view.page} ${view.traces.join(",")}`;
    if (hash === location.hash) {
      last = place;
      return;
    }
    written = hash;
    if (last !== "" && place !== last) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
    last = place;
  };
  const stop = effect(() => {
    nowState();
    clearTimeout(timer);
    // Browsers refuse hundreds of changes of the address a second, and a pan makes sixty.
    timer = setTimeout(put, 250);
  });
  addEventListener("hashchange", take);
  addEventListener("popstate", take);
  return () => {
    stop();
    clearTimeout(timer);
    removeEventListener("hashchange", take);
    removeEventListener("popstate", take);
  };
}

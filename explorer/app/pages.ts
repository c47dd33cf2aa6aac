// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The pages in the order of the top bar.
import { TablesPage } from "@/app/tables_page";
import { TimelinePage } from "@/app/timeline_page";
import type { Page, TraceKind } from "@/base/panel";
import { isReport } from "@/engine/server";
import { ComparePage } from "@/plugins/compare";
import { DeviceSummaryPage } from "@/plugins/device_summary";
import { FlamePage } from "@/plugins/flame";
import { MemoryPage } from "@/plugins/memory";
import { RooflinePage } from "@/plugins/roofline";
import { SqlPage } from "@/plugins/sql";
import { SummaryPage } from "@/plugins/summary";

const all: Page[] = [
  {
    id: "timeline",
    title: "Timeline",
    about: "Every event on its lane, from the framework to the hardware",
    Component: TimelinePage,
    of: ["session", "device"],
  },
  {
    id: "summary",
    title: "Summary",
    about: "Where the wall time went, what to change, how far to trust the file",
    Component: SummaryPage,
  },
  {
    id: "device",
    title: "Summary",
    about: "What the engines did, and how near the program came to what the chip can do",
    Component: DeviceSummaryPage,
    of: ["device"],
  },
  {
    id: "roofline",
    title: "Roofline",
    about: "What bounds the program and its parts: compute, memory or the launch itself",
    Component: RooflinePage,
    of: ["device"],
  },
  {
    id: "tables",
    title: "Tables",
    about: "Operators, kernels, gaps, copies and more; of a device profile instructions, DMAs, stalls and more",
    Component: TablesPage,
    of: ["session", "device"],
  },
  { id: "flame", title: "Flame", about: "Who called what: flame graph and call tree", Component: FlamePage },
  { id: "memory", title: "Memory", about: "How much was allocated when, at most, and by whom", Component: MemoryPage },
  {
    id: "compare",
    title: "Compare",
    about: "Traces or variants side by side, operator by operator",
    Component: ComparePage,
  },
  { id: "sql", title: "SQL", about: "Anything else", Component: SqlPage },
];

// A report holds one trace and no server.
export const pages = isReport ? all.filter((page) => page.id !== "compare" && page.id !== "sql") : all;

export function pagesOf(kind: TraceKind): Page[] {
  return pages.filter((page) => (page.of ?? ["session"]).includes(kind));
}

// The page to show when such a trace comes to the front while `now` is shown.
export function pageFor(kind: TraceKind, now: string): string {
  return pagesOf(kind).some((page) => page.id === now) ? now : "timeline";
}

// The letter that goes to a page after `g`.
export function letterOf(page: Page): string {
  return { tables: "a", sql: "q", device: "s" }[page.id] ?? page.title.charAt(0).toLowerCase();
}

export function pageOf(id: string): Page | undefined {
  return pages.find((page) => page.id === id);
}

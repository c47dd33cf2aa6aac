// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which page a reader sees who came without a view in the address: one trace is what he wants to look at; captures of the
// simulator beside each other are variants to compare; anything else is a list to choose from.
import { compareThese } from "@/app/front";
import { bringToFront } from "@/base/front";
import { page, traceIds } from "@/base/view";
import type { Trace } from "@/engine/api";
import type { Client } from "@/engine/client";
import { opened } from "@/engine/opened";
import { isReport } from "@/engine/server";

export type Start = { page: "home" } | { page: "timeline"; id: string } | { page: "compare"; ids: string[] };

export function startOf(traces: readonly Trace[]): Start {
  const good = traces.filter((trace) => trace.state !== "failed");
  const sessions = good.filter((trace) => trace.kind !== "device");
  const [first] = good;
  if (first && good.length === 1) return { page: "timeline", id: first.id };
  // While they are read nobody knows yet that they are simulated; captures are small.
  if (
    good.length > 1 &&
    good.length <= 6 &&
    sessions.length === good.length &&
    good.every((trace) => trace.simulated !== null)
  ) {
    return { page: "compare", ids: good.map((trace) => trace.id) };
  }
  return { page: "home" };
}

export async function start(hash: string): Promise<void> {
  await opened.refresh();
  if (hash.length > 1 || page.value !== "home" || traceIds.value.length > 0) return;
  const [reported] = opened.home.value?.traces ?? [];
  if (isReport && reported) {
    bringToFront(reported.id, "summary");
    return;
  }
  const to = startOf(opened.home.value?.traces ?? []);
  if (to.page === "timeline") bringToFront(to.id);
  if (to.page === "compare") compareThese(to.ids);
}

// The order in which the study tells its story; other variants follow as they come.
const VARIANTS = ["eager", "fused", "compiled"];

// Opens each capture below the study's folder and compares them.
export async function openStudy(client: Client, folder: string): Promise<void> {
  const captures = await capturesBelow(client, folder, 4);
  if (captures.length === 0) throw new Error(`no capture lies in ${folder}`);
  const rank = (path: string) => {
    const at = VARIANTS.findIndex((variant) => path.includes(`/${variant}/`));
    return at < 0 ? VARIANTS.length : at;
  };
  captures.sort((a, b) => rank(a) - rank(b));
  const ids: string[] = [];
  for (const path of captures) {
    const trace = await client.open(path);
    opened.add(trace);
    ids.push(trace.id);
  }
  await opened.refresh();
  compareThese(ids);
}

async function capturesBelow(client: Client, folder: string, depth: number): Promise<string[]> {
  const { entries } = await client.folder(folder);
  const found = entries.filter((entry) => entry.kind === "capture").map((entry) => entry.path);
  if (depth === 0) return found;
  for (const entry of entries) {
    if (entry.kind === "folder") found.push(...(await capturesBelow(client, entry.path, depth - 1)));
  }
  return found;
}

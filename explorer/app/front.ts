// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which trace is in front, which of them Compare has, and how one comes and goes.
import { focus, page, range, search, selection, traceIds, visible } from "@/base/view";
import type { TraceId } from "@/engine/api";
import { opened } from "@/engine/opened";
import { server } from "@/engine/server";

// Nothing of the old trace's view makes sense in another.
function fresh(): void {
  visible.value = { from: 0, to: 1 };
  range.value = null;
  focus.value = null;
  selection.value = { events: [], token: 0, text: "" };
  search.value = "";
}

export function bringToFront(id: TraceId, to = "timeline"): void {
  if (traceIds.value[0] !== id) {
    fresh();
    traceIds.value = [id, ...traceIds.value.filter((other) => other !== id)];
  }
  page.value = to;
}

export function compareThese(ids: TraceId[]): void {
  if (traceIds.value[0] !== ids[0]) fresh();
  traceIds.value = ids;
  page.value = "compare";
}

export async function closeTrace(id: TraceId): Promise<void> {
  await server.close(id);
  if (traceIds.value[0] === id) fresh();
  traceIds.value = traceIds.value.filter((other) => other !== id);
  if (traceIds.value.length === 0) page.value = "home";
  await opened.refresh();
}

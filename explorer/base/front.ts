// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which trace is in front.
import { focus, launch, page, range, reveal, search, selection, traceIds, visible } from "@/base/view";

// Nothing of the old trace's view makes sense in another.
export function fresh(): void {
  visible.value = { from: 0, to: 1 };
  range.value = null;
  focus.value = null;
  selection.value = { events: [], token: 0, text: "" };
  search.value = "";
  launch.value = null;
  reveal.value = null;
}

export function bringToFront(id: string, to = "timeline"): void {
  if (traceIds.value[0] !== id) {
    fresh();
    traceIds.value = [id, ...traceIds.value.filter((other) => other !== id)];
  }
  page.value = to;
}

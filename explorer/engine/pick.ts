// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Brings rows, matches and findings to the timeline: asks the server for the events, makes them the selection, and shows them.

import { focus, reveal, type Span, selection } from "@/base/view";
import type { SelectionMembers, SelectRequest } from "@/engine/api";
import type { Client } from "@/engine/client";
import { eventIdText } from "@/engine/frame";

export interface Picked {
  count: number;
  text: string;
}

export async function pickEvents(client: Client, trace: string, request: SelectRequest, text: string): Promise<Picked> {
  const frame = await client.select(trace, request);
  const table = frame.table("selection");
  // The members stand on the answer or on its only table.
  const members = { ...frame.members, ...table.members } as unknown as SelectionMembers;
  const ids = table.column("event").values;
  const events: string[] = [];
  for (let i = 0; i < Math.min(ids.length, 2000); i++) events.push(eventIdText(ids[i] ?? 0));
  const count = members.total ?? table.rows;
  const label = count === 1 ? text : `${count.toLocaleString("en")} × ${text}`;
  selection.value = { events, token: members.selection ?? 0, text: label };
  const first = events[0];
  if (first !== undefined) {
    focus.value = first;
    // All of them in time, the first one's lane: the others are found by key.
    const lane = table.column("lane").values[0] ?? null;
    if (count > 1 && members.last_ns > members.first_ns)
      showSpan({ from: members.first_ns, to: members.last_ns }, lane);
    else {
      const from = table.column("start_ns").values[0] ?? 0;
      showSpan({ from, to: from + (table.column("dur_ns").values[0] ?? 0) }, lane);
    }
  }
  return { count, text: label };
}

export function showSpan(span: Span, lane: number | null): void {
  reveal.value = { span, lane };
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From a launch in a system trace to its device profile, and back.
import { bringToFront } from "@/base/front";
import { focus, type Launch, launch, selection } from "@/base/view";
import type { EventId, OpenedDevice, Trace, TraceId } from "@/engine/api";
import type { Client } from "@/engine/client";
import { showSpan } from "@/engine/pick";

// What the list of open traces must do to show a new one at once.
interface List {
  add(trace: Trace): void;
  refresh(): Promise<void>;
}

// How much of a profile is shown around a moment in its middle.
const AROUND = 0.05;

// Brings the profile to the front at the same moment; without `at` the whole of it. Fails with the server's sentence.
export async function openDevice(
  client: Client,
  list: List,
  trace: TraceId,
  event: EventId,
  at?: number,
): Promise<OpenedDevice> {
  const found = await client.device(trace, event, at);
  list.add(found.trace);
  await list.refresh();
  bringToFront(found.trace.id);
  launch.value = found.from;
  if (at !== undefined && found.at > 0) {
    const around = Math.max(
      1000,
      (found.from.dur_ns - found.from.overhead_before_ns - found.from.overhead_after_ns) * 1000 * AROUND,
    );
    showSpan({ from: found.at - around, to: found.at + around }, null);
  }
  return found;
}

export function backToLaunch(from: Launch): void {
  bringToFront(from.trace);
  focus.value = from.event;
  selection.value = { events: [from.event], token: 0, text: from.program };
  showSpan({ from: from.start_ns, to: from.start_ns + from.dur_ns }, null);
}

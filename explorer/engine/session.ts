// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the page knows of one trace: its info with the table of names, and its lanes; shared by all parts that show the trace.
// While the trace is imported it is asked again every two seconds, the pace at which the server rebuilds its lanes.
import { type Signal, signal } from "@preact/signals";
import type { Lane, TraceId, TraceInfo } from "@/engine/api";
import type { Client } from "@/engine/client";
import { server } from "@/engine/server";

const PACE_MS = 2000;

export interface Session {
  readonly id: TraceId;
  readonly client: Client;
  readonly info: Signal<TraceInfo | null>;
  readonly lanes: Signal<Lane[]>;
  // The sentence of the last failed request; null when the last one went well.
  readonly failed: Signal<string | null>;
  name(index: number): string;
  // Asks again now.
  refresh(): Promise<void>;
  // Each user calls it once when done; the last one stops the asking.
  release(): void;
}

const open = new Map<Client, Map<TraceId, { session: Session; users: number; stop: () => void }>>();

export function session(id: TraceId, client: Client = server): Session {
  let ofClient = open.get(client);
  if (!ofClient) {
    ofClient = new Map();
    open.set(client, ofClient);
  }
  const known = ofClient.get(id);
  if (known) {
    known.users++;
    return known.session;
  }
  const made = start(id, client, () => {
    const entry = ofClient.get(id);
    if (entry && --entry.users === 0) {
      ofClient.delete(id);
      entry.stop();
    }
  });
  ofClient.set(id, { session: made.session, users: 1, stop: made.stop });
  return made.session;
}

function start(id: TraceId, client: Client, release: () => void) {
  const info = signal<TraceInfo | null>(null);
  const lanes = signal<Lane[]>([]);
  const failed = signal<string | null>(null);
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let names: string[] = [];

  const refresh = async (): Promise<void> => {
    clearTimeout(timer);
    try {
      const [nextInfo, nextLanes] = await Promise.all([
        client.trace(id, abort.signal, names.length),
        client.lanes(id, abort.signal),
      ]);
      names = names.length > 0 ? [...names, ...nextInfo.names] : nextInfo.names;
      lanes.value = nextLanes;
      info.value = { ...nextInfo, names };
      failed.value = null;
    } catch (failure) {
      if (abort.signal.aborted) return;
      failed.value = failure instanceof Error ? failure.message : String(failure);
    }
    if (abort.signal.aborted) return;
    const state = info.value?.trace.state;
    if (failed.value !== null || state === "importing") timer = setTimeout(() => void refresh(), PACE_MS);
  };
  void refresh();

  const made: Session = { id, client, info, lanes, failed, name: (index) => names[index] ?? "", refresh, release };
  return {
    session: made,
    stop: () => {
      abort.abort();
      clearTimeout(timer);
    },
  };
}

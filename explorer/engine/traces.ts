// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the server has open, as signals: the list of the home page and, for each trace in use, its TraceInfo. While something is
// importing one stream of progress keeps both fresh; otherwise nothing is asked.
import { type Signal, signal } from "@preact/signals";
import type { Home, Trace, TraceId, TraceInfo } from "@/engine/api";
import type { Client } from "@/engine/client";
import { isAbort } from "@/engine/transport";

export interface Opened {
  home: Signal<Home | null>;
  // The sentence of the last failure; null when the last question was answered.
  trouble: Signal<string | null>;
  refresh(): Promise<void>;
  // The signal of one trace; asks for it at first use and again when it has grown.
  info(id: TraceId): Signal<TraceInfo | null>;
  // Puts a trace that an open or an upload gave into the list and follows it.
  add(trace: Trace): void;
  stop(): void;
}

export function openedTraces(client: Client): Opened {
  const home = signal<Home | null>(null);
  const trouble = signal<string | null>(null);
  const infos = new Map<TraceId, Signal<TraceInfo | null>>();
  const asked = new Set<TraceId>();
  let stream: (() => void) | null = null;

  const say = (failure: unknown) => {
    if (!isAbort(failure)) trouble.value = failure instanceof Error ? failure.message : String(failure);
  };

  // A file that could not be read has no info; the list says why.
  const failed = (id: TraceId) => home.value?.traces.some((t) => t.id === id && t.state === "failed") ?? false;

  const askInfo = async (id: TraceId, into: Signal<TraceInfo | null>) => {
    // Progress may come faster than answers: one question at a time.
    if (asked.has(id) || failed(id)) return;
    asked.add(id);
    try {
      into.value = await client.trace(id);
      trouble.value = null;
    } catch (failure) {
      await opened.refresh();
      if (!failed(id)) say(failure);
    } finally {
      asked.delete(id);
    }
  };

  const put = (trace: Trace) => {
    if (home.value) {
      const rest = home.value.traces.filter((t) => t.id !== trace.id);
      const at = home.value.traces.findIndex((t) => t.id === trace.id);
      rest.splice(Math.max(at, 0), 0, trace);
      home.value = { ...home.value, traces: rest };
    }
    const info = infos.get(trace.id);
    if (!info) return;
    if (info.value) info.value = { ...info.value, trace };
    void askInfo(trace.id, info);
  };

  const follow = () => {
    if (stream) return;
    stream = client.progress({
      trace: put,
      idle: () => {
        stream = null;
        void opened.refresh().then(() => {
          for (const [id, info] of infos) void askInfo(id, info);
        });
      },
      failed: (final) => {
        if (final) stream = null;
      },
    });
  };

  const opened: Opened = {
    home,
    trouble,
    refresh: async () => {
      try {
        const answer = await client.home();
        home.value = answer;
        trouble.value = null;
        if (answer.traces.some((t) => t.state === "importing")) follow();
      } catch (failure) {
        say(failure);
      }
    },
    info: (id) => {
      let info = infos.get(id);
      if (!info) {
        info = signal<TraceInfo | null>(null);
        infos.set(id, info);
        void askInfo(id, info);
      }
      return info;
    },
    add: (trace) => {
      put(trace);
      if (trace.state === "importing") follow();
    },
    stop: () => {
      stream?.();
      stream = null;
    },
  };
  return opened;
}

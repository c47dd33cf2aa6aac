// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrangement of lanes and markers of this trace, kept by the server: read once, written when they change. A write waits a
// moment, so that a drag is one write.
import { effect, type Signal } from "@preact/signals";
import { arrangementOf } from "./arrangement";
import type { TimelineCore } from "./core";
import type { Marker } from "./markers";

const WRITE_MS = 400;

export function keep(core: TimelineCore): () => void {
  const { id } = core.session;
  const stops = [
    keepSignal(core, `pins-${id}`, core.arrangement, arrangementOf),
    keepSignal(core, `markers-${id}`, core.markers, markersOf),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function keepSignal<T>(core: TimelineCore, key: string, kept: Signal<T>, read: (value: unknown) => T): () => void {
  const { client } = core.session;
  let stopped = false;
  let stopEffect = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pending: T | null = null;
  const tell = (failure: unknown) => {
    if (!stopped) core.failure.value = failure instanceof Error ? failure.message : String(failure);
  };
  const write = () => {
    clearTimeout(timer);
    if (pending === null) return;
    const value = pending;
    pending = null;
    client.keepState(key, value).catch(tell);
  };
  const begin = () => {
    if (stopped) return;
    let first = true;
    stopEffect = effect(() => {
      const value = kept.value;
      if (first) {
        first = false;
        return;
      }
      pending = value;
      clearTimeout(timer);
      timer = setTimeout(write, WRITE_MS);
    });
  };
  client
    .state<unknown>(key)
    .then((value) => {
      if (stopped) return;
      if (value !== null) kept.value = read(value);
      begin();
    })
    // What cannot be read is not overwritten unseen: the user is told, and what he does from now on is kept.
    .catch((failure) => {
      tell(failure);
      begin();
    });
  return () => {
    stopped = true;
    stopEffect();
    write();
  };
}

export function markersOf(value: unknown): Marker[] {
  const list = (value as { markers?: unknown } | null)?.markers ?? value;
  if (!Array.isArray(list)) return [];
  return list
    .filter((m) => typeof m?.at === "number" && Number.isFinite(m.at))
    .map((m) => ({ at: m.at, note: typeof m.note === "string" ? m.note : "" }));
}

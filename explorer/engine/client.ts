// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every address of the server as a typed call (docs/formats/server.md). The only code of the page that sends a request.
// A call fails with a ServerError that holds the server's sentence and status; an aborted one with an AbortError.
// Parts take a `Client`, so tests give them a fake.
import type {
  Arrow,
  Chain,
  EventDetails,
  EventId,
  FlameRequest,
  Folder,
  Gap,
  Home,
  Lane,
  OpenedDevice,
  SearchRequest,
  SelectRequest,
  SmallDmas,
  SourceText,
  StepRequest,
  TableRequest,
  TileRequest,
  Trace,
  TraceEvent,
  TraceId,
  TraceInfo,
} from "@/engine/api";
import { type Frame, readFrame } from "@/engine/frame";
import { type Call, ServerError, sendFile, transport } from "@/engine/transport";

export interface ArrowsRequest {
  from: number;
  to: number;
  kinds?: Arrow["kind"][];
  lanes?: number[];
  limit?: number;
}

export interface ProgressListener {
  trace(trace: Trace): void;
  // Nothing is importing any more; the stream is closed.
  idle(): void;
  // The stream broke; it is tried again by itself unless `final`.
  failed?(final: boolean): void;
}

export interface Client {
  home(signal?: AbortSignal): Promise<Home>;
  // Opens the one stream of progress; returns what closes it. Open it only while something is importing.
  progress(listener: ProgressListener): () => void;
  open(path: string): Promise<Trace>;
  // The device profile behind an event of a session; `at`: the moment that is meant, ns from its origin.
  device(trace: TraceId, event: EventId, at?: number): Promise<OpenedDevice>;
  upload(
    file: Blob,
    name: string,
    options?: { folder?: string; signal?: AbortSignal; progress?: (sent: number, total: number) => void },
  ): Promise<Trace>;
  uploadDone(folder: string): Promise<Trace>;
  close(id: TraceId): Promise<void>;
  folder(path: string, signal?: AbortSignal): Promise<Folder>;
  // `namesFrom`: only the names from this index on; what was there before does not change.
  trace(id: TraceId, signal?: AbortSignal, namesFrom?: number): Promise<TraceInfo>;
  lanes(id: TraceId, signal?: AbortSignal): Promise<Lane[]>;
  tiles(id: TraceId, request: TileRequest, signal?: AbortSignal): Promise<Frame>;
  // On a lane of gaps a gap, on others an event; neither where nothing is.
  hit(
    id: TraceId,
    at: { lane: number; row: number; from: number; to: number },
    signal?: AbortSignal,
  ): Promise<{ event: TraceEvent | null; gap: Gap | null }>;
  step(id: TraceId, request: StepRequest, signal?: AbortSignal): Promise<{ event: TraceEvent | null; gap: Gap | null }>;
  event(id: TraceId, event: EventId, signal?: AbortSignal): Promise<EventDetails>;
  chain(id: TraceId, event: EventId, signal?: AbortSignal): Promise<Chain>;
  arrows(id: TraceId, request: ArrowsRequest, signal?: AbortSignal): Promise<Frame>;
  // Of a device profile.
  smallDmas(id: TraceId, signal?: AbortSignal): Promise<SmallDmas>;
  search(id: TraceId, request: SearchRequest, signal?: AbortSignal): Promise<Frame>;
  select(id: TraceId, request: SelectRequest, signal?: AbortSignal): Promise<Frame>;
  table(id: TraceId, name: string, request?: TableRequest, signal?: AbortSignal): Promise<Frame>;
  flame(id: TraceId, request: FlameRequest, signal?: AbortSignal): Promise<Frame>;
  memory(id: TraceId, signal?: AbortSignal): Promise<Frame>;
  info(id: TraceId, signal?: AbortSignal): Promise<Record<string, unknown>>;
  source(id: TraceId, file: string, line: number, signal?: AbortSignal): Promise<SourceText>;
  sql(id: TraceId, sql: string, limit?: number, signal?: AbortSignal): Promise<Frame>;
  // The address of a file to save; for a link with `download`.
  exportAddress(id: TraceId, format: "perfetto" | "csv", table?: string): string;
  compare(ids: TraceId[], signal?: AbortSignal): Promise<Frame>;
  // What the page keeps; null when nothing was kept under that key yet.
  state<T>(key: string, signal?: AbortSignal): Promise<T | null>;
  keepState(key: string, value: unknown): Promise<void>;
}

// `base` is the address that the server's relative addresses start from; the page's own unless a test says otherwise.
export function httpClient(base: string = document.baseURI): Client {
  const call = transport(base);
  const at = (id: TraceId) => `api/trace/${encodeURIComponent(id)}`;
  const post = (path: string, body: unknown, signal?: AbortSignal): Call =>
    signal ? { method: "POST", path, body, signal } : { method: "POST", path, body };
  const get = (path: string, signal?: AbortSignal): Call =>
    signal ? { method: "GET", path, signal } : { method: "GET", path };
  const frame = async (request: Call) => readFrame(await call.bytes(request));

  return {
    home: (signal) => call.json<Home>(get("api/home", signal)),
    progress: (listener) => listen(new URL("api/progress", base).href, listener),
    open: (path) => call.json<Trace>(post("api/open", { path })),
    device: (trace, event, at) =>
      call.json<OpenedDevice>(post("api/device", at === undefined ? { trace, event } : { trace, event, at })),
    upload: (file, name, options = {}) => {
      const query = new URLSearchParams({ name });
      if (options.folder !== undefined) query.set("folder", options.folder);
      return sendFile<Trace>(new URL(`api/upload?${query}`, base).href, file, options.progress, options.signal);
    },
    uploadDone: (folder) => call.json<Trace>(post(`api/upload/done?${new URLSearchParams({ folder })}`, undefined)),
    close: async (id) => {
      await call.json(post("api/close", { id }));
    },
    folder: (path, signal) => call.json<Folder>(get(`api/folder?${new URLSearchParams({ path })}`, signal)),
    trace: (id, signal, namesFrom) =>
      call.json<TraceInfo>(get(namesFrom ? `${at(id)}?names_from=${namesFrom}` : at(id), signal)),
    lanes: async (id, signal) => (await call.json<{ lanes: Lane[] }>(get(`${at(id)}/lanes`, signal))).lanes,
    tiles: (id, request, signal) => frame(post(`${at(id)}/tiles`, request, signal)),
    hit: async (id, where, signal) => {
      const answer = await call.json<{ event?: TraceEvent | null; gap?: Gap | null }>(
        post(`${at(id)}/hit`, where, signal),
      );
      return { event: answer.event ?? null, gap: answer.gap ?? null };
    },
    step: async (id, request, signal) => {
      const answer = await call.json<{ event?: TraceEvent | null; gap?: Gap | null }>(
        post(`${at(id)}/step`, request, signal),
      );
      return { event: answer.event ?? null, gap: answer.gap ?? null };
    },
    event: (id, event, signal) => call.json<EventDetails>(get(`${at(id)}/event/${encodeURIComponent(event)}`, signal)),
    chain: (id, event, signal) => call.json<Chain>(get(`${at(id)}/chain/${encodeURIComponent(event)}`, signal)),
    arrows: (id, request, signal) => frame(post(`${at(id)}/arrows`, request, signal)),
    smallDmas: (id, signal) => call.json<SmallDmas>(get(`${at(id)}/small-dmas`, signal)),
    search: (id, request, signal) => frame(post(`${at(id)}/search`, request, signal)),
    select: (id, request, signal) => frame(post(`${at(id)}/select`, request, signal)),
    table: (id, name, request = {}, signal) =>
      frame(post(`${at(id)}/table/${encodeURIComponent(name)}`, request, signal)),
    flame: (id, request, signal) => frame(post(`${at(id)}/flame`, request, signal)),
    memory: (id, signal) => frame(get(`${at(id)}/memory`, signal)),
    info: (id, signal) => call.json(get(`${at(id)}/info`, signal)),
    source: (id, file, line, signal) =>
      call.json<SourceText>(get(`${at(id)}/source?${new URLSearchParams({ file, line: String(line) })}`, signal)),
    sql: (id, sql, limit, signal) =>
      frame(post(`${at(id)}/sql`, limit === undefined ? { sql } : { sql, limit }, signal)),
    exportAddress: (id, format, table) => {
      const query = new URLSearchParams({ format });
      if (table !== undefined) query.set("table", table);
      return new URL(`${at(id)}/export?${query}`, base).href;
    },
    compare: (ids, signal) => frame(post("api/compare", { ids }, signal)),
    state: async <T>(key: string, signal?: AbortSignal) => {
      try {
        return await call.json<T | null>(get(`api/state/${encodeURIComponent(key)}`, signal));
      } catch (failure) {
        if (failure instanceof ServerError && failure.status === 404) return null;
        throw failure;
      }
    },
    keepState: async (key, value) => {
      await call.json({ method: "PUT", path: `api/state/${encodeURIComponent(key)}`, body: value });
    },
  };
}

function listen(address: string, listener: ProgressListener): () => void {
  const source = new EventSource(address);
  source.addEventListener("trace", (message) => listener.trace(JSON.parse(message.data) as Trace));
  // Without this close the browser would open the ended stream again.
  source.addEventListener("idle", () => {
    source.close();
    listener.idle();
  });
  source.addEventListener("error", () => listener.failed?.(source.readyState === EventSource.CLOSED));
  return () => source.close();
}

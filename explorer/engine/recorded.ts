// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The server of a report: a page that holds answers instead of asking for them. `lanewise report` asks a real server what the
// pages would ask, and writes the answers into the page; everything else is said to be missing.
import type { Client } from "@/engine/client";
import type { Frame } from "@/engine/frame";
import { readFrame } from "@/engine/frame";
import { RecordedTiles } from "@/engine/recorded_tiles";
import { ServerError } from "@/engine/transport";

export interface Recording {
  schema: 1;
  // When and of what, for people.
  title: string;
  // By method, address and body (its keys in order): JSON, or a frame in base64.
  answers: Record<string, { json: unknown } | { frame: string }>;
  // Frames of tiles by trace, in base64.
  tiles: Record<string, string[]>;
}

// The recording inside the page, when it is a report.
export function recordingIn(page: Document): Recording | null {
  const element = page.getElementById("lanewise-report");
  return element ? (JSON.parse(element.textContent ?? "null") as Recording) : null;
}

export function recordedClient(recording: Recording): Client {
  const tiles = new Map<string, RecordedTiles>();
  const answer = (key: string) => {
    const found = recording.answers[key];
    if (!found) throw new ServerError(404, "this report does not hold that; open the trace itself to see it");
    return found;
  };
  // Each call gets an answer of its own, as from a server.
  const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const found = answer(keyOf(method, path, body));
    if (!("json" in found)) throw new ServerError(500, "the report holds a frame where text was asked for");
    return structuredClone(found.json) as T;
  };
  const frame = async (method: string, path: string, body?: unknown): Promise<Frame> => {
    const found = answer(keyOf(method, path, body));
    if (!("frame" in found)) throw new ServerError(500, "the report holds text where a frame was asked for");
    return readFrame(bytesOf(found.frame));
  };
  const missing = async (): Promise<never> => {
    throw new ServerError(404, "a report cannot do that; open the trace itself");
  };
  const at = (id: string) => `api/trace/${id}`;
  return {
    home: () => json("GET", "api/home"),
    progress: () => () => undefined,
    open: missing,
    device: missing,
    upload: missing,
    uploadDone: missing,
    close: missing,
    folder: missing,
    trace: (id) => json("GET", at(id)),
    lanes: async (id) => (await json<{ lanes: Awaited<ReturnType<Client["lanes"]>> }>("GET", `${at(id)}/lanes`)).lanes,
    tiles: async (id, request) => {
      let recorded = tiles.get(id);
      if (!recorded) {
        recorded = new RecordedTiles((recording.tiles[id] ?? []).map((text) => readFrame(bytesOf(text))));
        tiles.set(id, recorded);
      }
      return recorded.tiles(request);
    },
    hit: async () => ({ event: null, gap: null }),
    step: async () => ({ event: null, gap: null }),
    event: (id, event) => json("GET", `${at(id)}/event/${event}`),
    chain: (id, event) => json("GET", `${at(id)}/chain/${event}`),
    arrows: missing,
    smallDmas: async () => ({ below_bytes: 0, total: 0, regions: [] }),
    search: missing,
    select: (id, request) => frame("POST", `${at(id)}/select`, request),
    table: (id, name, request = {}) => frame("POST", `${at(id)}/table/${name}`, request),
    flame: (id, request) => frame("POST", `${at(id)}/flame`, request),
    memory: (id) => frame("GET", `${at(id)}/memory`),
    info: (id) => json("GET", `${at(id)}/info`),
    source: missing,
    sql: missing,
    exportAddress: () => "",
    compare: missing,
    state: async () => null,
    keepState: async () => undefined,
  };
}

// Two bodies that say the same have the same key, in whichever order they were written.
export function keyOf(method: string, path: string, body?: unknown): string {
  return body === undefined ? `${method} ${path}` : `${method} ${path} ${sorted(body)}`;
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sorted(member)}`).join(",")}}`;
}

function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The types of what the server says and hears. Contract: docs/formats/server.md. Times: whole ns as offset from the trace's
// origin; event ids: text "ordinal" or "part:ordinal".

import type { Launch } from "@/base/view";

export type EventId = string;
export type TraceId = string;

export interface Progress {
  done: number;
  total: number;
  text_bytes: number;
  events: number;
  mb_per_s: number;
  left_s: number | null;
}

export interface Trace {
  id: TraceId;
  name: string;
  path: string;
  // A device profile is one execution below a session; its times count ps.
  kind: "session" | "device";
  tick_ps: number;
  state: "importing" | "ready" | "failed";
  error: string | null;
  progress: Progress;
  health: "good" | "warnings" | "errors";
  health_text: string;
  ledger: { read: number; kept: number; repaired: number; dropped: number };
  simulated: string | null;
}

export interface Home {
  schema: 1;
  version: string;
  traces: Trace[];
  recent: { path: string; name: string; id: TraceId; when: string }[];
  upload_limit: number;
  // Folders that were named on the command line.
  folders?: string[];
  sql: { available: boolean; text: string };
  examples: { study: string | null };
}

export interface TraceInfo {
  trace: Trace;
  origin: string;
  begin: number;
  end: number;
  names: string[];
  names_version: number;
  devices: { name: string; type: string; part: number }[];
  ranks: number[];
  steps: { number: number; from: number; to: number; part: number }[];
  machine: Record<string, unknown> | null;
  // Of a device profile.
  device?: DeviceInfo | null;
  parts: { path: string; rank: number | null; format: string }[];
}

export interface DeviceInfo {
  program: string;
  hash: string;
  compiler: string;
  target: string;
  producer: string;
  machine: string;
  simulated: boolean;
  cores: number;
  first_core: number;
  instructions: number;
  dmas: number;
  exec_overhead_ns: number;
  device_capture_overhead_ns: number;
  first_ps: number;
  last_ps: number;
  duration_ps: number;
  notes: string[];
}

// The answer of `api/device`; `at`: the tick of the profile that is the moment asked for.
export interface OpenedDevice {
  trace: Trace;
  at: number;
  from: Launch & { hash: string };
}

export type LaneGroup =
  | "framework"
  | "runtime"
  | "hardware"
  | "counters"
  | "annotations"
  | "engines"
  | "dma"
  | "semaphores";
export interface Lane {
  id: number;
  group: LaneGroup;
  rank: number | null;
  part: number;
  pid: string;
  tid: string;
  device: string | null;
  stream: string | null;
  title: string;
  subtitle: string;
  kind: "slices" | "counter" | "steps" | "gaps";
  rows: number;
  events: number;
  overlap_rows: number;
  sum_ns: number;
  // Shown only when it is asked for.
  hidden?: boolean;
}

// Stretches of DMAs, one after the other on one core, whose descriptors are all small: rows of the table small_regions.
export interface SmallDmas {
  // What counts as small.
  below_bytes: number;
  // More than there are regions when only the longest are told.
  total: number;
  // By begin; times as those of slices.
  regions: SmallRegion[];
}

export interface SmallRegion {
  device: string;
  from: number;
  to: number;
  transfers: number;
  descriptors: number;
  bytes: number;
  average_bytes: number;
  text: string;
}

export interface TraceEvent {
  id: EventId;
  name: string;
  category: string;
  role: string;
  lane: number;
  row: number;
  start_ns: number;
  dur_ns: number;
  part: number;
}

export interface EventDetails extends TraceEvent {
  args: Record<string, unknown>;
  stack: { name: string; file: string | null; line: number | null }[];
  step: number | null;
  // The execution that it is or leads to; its device profile may be there.
  execution?: EventId | null;
  device: string | null;
  stream: string | null;
  correlation: string | null;
  external_id: string | null;
  flags: string[];
  file_offset: number;
  file_length: number;
  json: string;
}

export interface ChainStep {
  role: string;
  event: TraceEvent | null;
  name: string;
  start_ns: number;
  dur_ns: number;
  method: string | null;
  confidence: string | number | null;
  after_ns: number | null;
  // More about the tie: "s12>=3".
  text?: string;
}
export interface ArrowEnd {
  lane: number;
  row: number;
  at: number;
  event: EventId;
}
export interface Arrow {
  kind: "launch" | "autograd" | "graph" | "runtime" | "semaphore" | "trigger" | "queue" | "engine";
  from: ArrowEnd;
  to: ArrowEnd;
  method: string;
  confidence: string | number;
}
export interface Chain {
  steps: ChainStep[];
  arrows: Arrow[];
  arrows_total: number;
}

export interface TileFilter {
  name?: string;
  min_ns?: number;
  hide?: string[];
}
export interface TileRequest {
  level: number;
  first: number;
  count: number;
  lanes: number[];
  filter?: TileFilter;
  search?: string;
  selection?: number;
}
export const TILE_COLUMNS = 512;
export const Channel = { passes: 1, hit: 2, selected: 4, repaired: 8, overhead: 16 } as const;

export interface TableRequest {
  from?: number;
  to?: number;
  device?: string;
  rank?: number;
  steps?: number[];
  name?: string;
  by?: string[];
  sort?: string;
  top?: number;
  options?: Record<string, unknown>;
}

export interface Folder {
  path: string;
  entries: { name: string; path: string; kind: "folder" | "trace" | "capture"; bytes: number; when: string }[];
}

export interface Gap {
  from: number;
  to: number;
  cause: string;
  device: string;
  // What it rests on.
  event?: EventId | null;
}

// From an event, or from a place in a row.
export type StepRequest = ({ event: EventId } | { lane: number; row: number; at: number }) & {
  dir: "next" | "previous" | "up" | "down" | "first" | "last";
  what: "event" | "gap";
};

export interface SearchRequest {
  text: string;
  regex?: boolean;
  limit?: number;
}

export type SelectRequest =
  | { events: EventId[] }
  | { box: { lanes: number[]; from: number; to: number } }
  | { name: string }
  | { where: Where };

// Runs of a device profile by what they are; all that is said must hold.
export interface Where {
  core?: number;
  index?: number;
  engine?: string;
  opcode?: string;
  ir_op?: string;
  aten_node?: string;
  // The node of the compiled graph, its module and its line, as the launch tells them; "unknown": of what it says nothing.
  node?: string;
  module?: string;
  file?: string;
  line?: number;
  queue?: string;
  tensor?: string;
  run?: string;
  with_dmas?: boolean;
}

// The header of a frame `selection`.
export interface SelectionMembers {
  total: number;
  count: number;
  sum_ns: number;
  union_ns: number;
  first_ns: number;
  last_ns: number;
  selection: number;
}

export interface FlameRequest {
  thread?: string;
  lane?: number;
  from?: number;
  to?: number;
  bottom_up?: boolean;
}

export interface SourceText {
  file: string;
  first_line: number;
  lines: string[];
  line: number;
}

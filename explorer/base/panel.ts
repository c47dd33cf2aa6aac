// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The shape of a panel: what a plugin gives and the app shows. A plugin knows the engine and the widgets, never the app, the
// timeline or another plugin; what it needs of those comes as a property.
import type { ComponentType } from "preact";

export type TraceKind = "session" | "device";

export interface PanelProps {
  // The trace in front.
  trace: string;
}

// A page gets the timeline from the app, since it may not know it: of one trace, or of several below each other.
export interface PageProps extends PanelProps {
  Timeline: ComponentType<{ trace: string }>;
  Aligned: ComponentType<AlignedProps>;
}

export interface AlignedProps {
  // `zero`: the moment, ns from the trace's origin, that lies above that of the others. `length`: of what is compared from there
  // on, ns; 0 when that is the whole trace.
  traces: { id: string; zero: number; length: number }[];
}

export interface ColumnHint {
  // The column's name in the server's table.
  name: string;
  title?: string;
  // Said when the pointer or the keyboard stands on the header.
  about?: string;
  width?: number;
  // Shown only when chosen.
  hidden?: boolean;
  // A thin bar behind the number: its share of the column's largest value.
  bar?: boolean;
  // Every row has a unit of its own, so every number its own digits.
  mixed?: boolean;
  // False where a sum over the rows would count things twice.
  sum?: boolean;
  // What the reader sees instead of a short name in the data: { host_busy: "host busy" }. Copies and files keep the data's name.
  words?: Readonly<Record<string, string>>;
}

// What a row brings to the timeline: its event, its list of events, all events of its name, its span of time, or the runs of a device
// profile that are as its columns say (TablePart.where).
export type Pick = "event" | "events" | "name" | "span" | "where";

// A table of the server with columns, order and what a row selects. The app makes the panel of it.
export interface TablePanel {
  kind: "table";
  id: string;
  title: string;
  // One sentence: which question this answers.
  about: string;
  // The analysis, and which tables of its answer in order of use; the first is shown at first.
  table: string;
  // Members of the request beside the range: `{ "by": ["module"] }`.
  request?: Record<string, unknown>;
  parts: TablePart[];
  // Said instead of an empty table.
  empty: string;
  // Whether "only this range" makes sense.
  ranged: boolean;
  // Which trace has it; a session when nothing is said.
  of?: TraceKind;
}

export interface TablePart {
  table: string;
  title: string;
  // Columns in order; columns of the server that are not named here follow, hidden.
  columns: ColumnHint[];
  sort?: string;
  pick: Pick[];
  // For `where`: member of the request -> column; DMAs that the runs ordered come with them.
  where?: Record<string, string>;
  // Columns that the reader may want to group by.
  group?: string[];
}

// A panel with a component of its own.
export interface ViewPanel {
  kind: "view";
  id: string;
  title: string;
  about: string;
  Component: ComponentType<PanelProps>;
  of?: TraceKind;
}

export interface Page {
  id: string;
  title: string;
  about: string;
  Component: ComponentType<PageProps>;
  // Shown without a trace.
  free?: boolean;
  // Which traces have it; sessions when nothing is said.
  of?: TraceKind[];
}

export type Panel = TablePanel | ViewPanel;

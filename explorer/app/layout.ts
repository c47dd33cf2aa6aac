// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How the reader arranged the page: sizes, which panes are shown, columns of tables. Kept by the server, so that it holds for
// every browser that looks at it.
import { effect, signal } from "@preact/signals";
import { server } from "@/engine/server";
import type { TableLayout } from "@/widgets/table/view";

export interface Layout {
  version: 1;
  bottom: number;
  right: number;
  showBottom: boolean;
  showRight: boolean;
  tables: Record<string, TableLayout>;
}

export interface Preset {
  id: string;
  title: string;
  layout: Pick<Layout, "showBottom" | "showRight"> & Partial<Pick<Layout, "bottom" | "right">>;
}

export const presets: Preset[] = [
  {
    id: "all",
    title: "Timeline, tables and details",
    layout: { showBottom: true, showRight: true, bottom: 300, right: 340 },
  },
  { id: "tables", title: "Timeline and tables", layout: { showBottom: true, showRight: false, bottom: 340 } },
  { id: "details", title: "Timeline and details", layout: { showBottom: false, showRight: true, right: 360 } },
  { id: "timeline", title: "Timeline alone", layout: { showBottom: false, showRight: false } },
];

const FIRST: Layout = { version: 1, bottom: 300, right: 340, showBottom: true, showRight: true, tables: {} };

export const layout = signal<Layout>(FIRST);
// The table in front, on the timeline page and on the page of tables.
export const panel = signal<string>("operators");

export function arrange(change: Partial<Layout>): void {
  layout.value = { ...layout.value, ...change };
}

export function keepTable(id: string, table: TableLayout): void {
  arrange({ tables: { ...layout.value.tables, [id]: table } });
}

// Takes what was kept, then keeps every change. A server that keeps nothing costs the reader nothing but the arrangement.
export async function followLayout(): Promise<void> {
  let kept = layout.value;
  try {
    const found = await server.state<Layout>("layout");
    if (found?.version === 1 && kept === layout.value) {
      kept = { ...FIRST, ...found };
      layout.value = kept;
    }
  } catch {
    // The first arrangement then holds.
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const now = layout.value;
    if (now === kept) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      kept = now;
      server.keepState("layout", now).catch(() => undefined);
    }, 600);
  });
}

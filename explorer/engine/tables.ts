// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Answers that panels ask for again and again, kept by question: going back to a tab costs nothing. Bounded in bytes.
import type { TableRequest, TraceId } from "@/engine/api";
import type { Client } from "@/engine/client";
import type { Frame } from "@/engine/frame";

const LIMIT = 32 * 1024 * 1024;

export interface KeptTables {
  table(id: TraceId, name: string, request: TableRequest, signal?: AbortSignal): Promise<Frame>;
  bytes(): number;
}

export function keptTables(client: Client, limit = LIMIT): KeptTables {
  // In order of use, the oldest first.
  const kept = new Map<string, { frame: Frame; size: number }>();
  let total = 0;
  return {
    bytes: () => total,
    table: async (id, name, request, signal) => {
      const key = JSON.stringify([id, name, request]);
      const known = kept.get(key);
      if (known) {
        kept.delete(key);
        kept.set(key, known);
        return known.frame;
      }
      const frame = await client.table(id, name, request, signal);
      const size = sizeOf(frame);
      if (size > limit || kept.has(key)) return frame;
      kept.set(key, { frame, size });
      total += size;
      for (const [oldest, entry] of kept) {
        if (total <= limit) break;
        kept.delete(oldest);
        total -= entry.size;
      }
      return frame;
    },
  };
}

function sizeOf(frame: Frame): number {
  let size = 0;
  for (const table of frame.tables) {
    for (const column of table.columns) {
      size += column.values.byteLength + (column.list?.byteLength ?? 0);
      for (const text of column.dictionary ?? []) size += 2 * text.length + 16;
    }
  }
  return size;
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which kind of trace it is: pages and tables differ by it.
import type { TraceKind } from "@/base/panel";
import { opened } from "@/engine/opened";

// Null while nobody knows it yet.
export function kindOf(trace: string | undefined): TraceKind | null {
  if (trace === undefined) return null;
  const known = opened.home.value?.traces.find((t) => t.id === trace);
  return known ? (known.kind ?? "session") : null;
}

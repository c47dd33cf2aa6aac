// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The one list of panels, in the order of their tabs. A new panel is one folder below plugins/ and one line here
// (plugins/skeleton shows how); pages have a list of their own (pages.ts).
import type { Panel, TraceKind } from "@/base/panel";
import { panel as copies } from "@/plugins/copies";
import { panel as deviceCriticalPath } from "@/plugins/device_critical_path";
import { panel as deviceDma } from "@/plugins/device_dma";
import { panel as deviceInstructions } from "@/plugins/device_instructions";
import { panel as deviceMemory } from "@/plugins/device_memory";
import { panel as deviceStalls } from "@/plugins/device_stalls";
import { panel as findings } from "@/plugins/findings";
import { panel as gaps } from "@/plugins/gaps";
import { panel as hidden } from "@/plugins/hidden";
import { panel as kernels } from "@/plugins/kernels";
import { panel as launches } from "@/plugins/launches";
import { panel as memoryTable } from "@/plugins/memory_table";
import { panel as modules } from "@/plugins/modules";
import { panel as operators } from "@/plugins/operators";
import { panel as ranks } from "@/plugins/ranks";
import { panel as steps } from "@/plugins/steps";

export const panels: Panel[] = [
  findings,
  operators,
  kernels,
  gaps,
  copies,
  hidden,
  launches,
  steps,
  modules,
  memoryTable,
  ranks,
  deviceInstructions,
  deviceStalls,
  deviceDma,
  deviceMemory,
  deviceCriticalPath,
];

export function panelsOf(kind: TraceKind): Panel[] {
  return panels.filter((panel) => (panel.of ?? "session") === kind);
}

// The one that is asked for, where such a trace has it; else the first.
export function panelOf(id: string, kind: TraceKind): Panel {
  const list = panelsOf(kind);
  const first = kind === "session" ? operators : deviceInstructions;
  return list.find((panel) => panel.id === id) ?? first;
}

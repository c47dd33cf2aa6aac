// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The one list of panels, in the order of their tabs. A new panel is one folder below plugins/ and one line here
// (plugins/skeleton shows how); pages have a list of their own (pages.ts).
import type { Panel } from "@/base/panel";
import { panel as copies } from "@/plugins/copies";
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
];

export function panelOf(id: string): Panel {
  return panels.find((panel) => panel.id === id) ?? operators;
}

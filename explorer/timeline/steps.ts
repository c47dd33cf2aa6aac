// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps that the bands over all lanes show. Ranks step at almost the same time; bands of all of them would be a blur, so
// they are those of the first part that has steps. Each part's own steps are a lane.
import type { TraceInfo } from "@/engine/api";

let last: { info: TraceInfo; steps: TraceInfo["steps"] } | null = null;

export function bandSteps(info: TraceInfo): TraceInfo["steps"] {
  if (last?.info === info) return last.steps;
  const part = Math.min(...info.steps.map((step) => step.part));
  const steps = info.steps.filter((step) => step.part === part).sort((a, b) => a.from - b.from);
  last = { info, steps };
  return steps;
}

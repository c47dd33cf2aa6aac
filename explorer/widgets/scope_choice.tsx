// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses which time tables and flame graphs speak of (base/scope.ts).
import { type Scope, scope } from "@/base/scope";
import { range } from "@/base/view";

const choices: { id: Scope; title: string; about: string }[] = [
  { id: "whole", title: "Whole trace", about: "All of the trace" },
  { id: "range", title: "Only this range", about: "Only the range marked on the timeline (Shift and drag)" },
  { id: "visible", title: "What is visible", about: "Only the time that the timeline shows" },
];

export function ScopeChoice() {
  return (
    <select
      class="field"
      aria-label="Which time the table speaks of"
      title={choices.find((c) => c.id === scope.value)?.about}
      value={scope.value}
      onChange={(event) => {
        scope.value = event.currentTarget.value as Scope;
      }}
    >
      {choices.map((choice) => (
        <option key={choice.id} value={choice.id} disabled={choice.id === "range" && range.value === null}>
          {choice.title}
        </option>
      ))}
    </select>
  );
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One bar whose parts add up to the whole, and the list that says what they are. The list is what screen readers read.
import type { ComponentChildren } from "preact";
import { percent, shares } from "@/base/units";
import "@/widgets/css/stacked_bar.css";

export interface BarPart {
  id: string;
  title: string;
  value: number;
  color: string;
  about?: string;
}

interface BarProps {
  parts: readonly BarPart[];
  // What the whole bar stands for; the sum of the parts unless a row of bars shares a scale.
  total?: number;
  thin?: boolean;
}

export function StackedBar({ parts, total, thin = false }: BarProps) {
  const whole = total ?? sumOfParts(parts);
  return (
    <div class={thin ? "stacked thin" : "stacked"} aria-hidden="true">
      {parts.map((part) =>
        part.value > 0 ? (
          <span
            key={part.id}
            class="stacked-part"
            style={{ flexBasis: `${(part.value / whole) * 100}%`, background: part.color }}
            title={`${part.title}: ${percent(part.value / whole)}`}
          />
        ) : null,
      )}
    </div>
  );
}

interface LegendProps {
  parts: readonly BarPart[];
  label: string;
  format(value: number): string;
  // What stands at the end of a line: a button, say.
  action?: (part: BarPart) => ComponentChildren;
}

export function Legend({ parts, label, format, action }: LegendProps) {
  const texts = shares(parts.map((part) => part.value));
  return (
    <table class="legend" aria-label={label}>
      <tbody>
        {parts.map((part, i) =>
          part.value > 0 ? (
            <tr key={part.id}>
              <th scope="row">
                <span class="legend-sign" style={{ background: part.color }} aria-hidden="true" />
                {part.title}
              </th>
              <td class="number">{texts[i]}</td>
              <td class="number muted">{format(part.value)}</td>
              <td class="legend-about muted">{part.about}</td>
              {action && <td class="legend-action">{action(part)}</td>}
            </tr>
          ) : null,
        )}
      </tbody>
    </table>
  );
}

export function sumOfParts(parts: readonly BarPart[]): number {
  return parts.reduce((sum, part) => sum + part.value, 0);
}

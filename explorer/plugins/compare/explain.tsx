// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the difference of a step comes from: parts that add up to it exactly, those that save to the left, those that cost to
// the right.
import { causeOf } from "@/base/causes";
import { time } from "@/base/units";
import type { Frame } from "@/engine/frame";
import { rowsOf } from "@/engine/rows";

const WORDS: Record<string, string> = {
  operators: "device work of operators",
  without_operator: "device work without an operator",
  unexplained: "the rest: rounding of averages",
};

interface ExplainProps {
  frame: Frame;
  side: string;
  from: string;
  to: string;
}

export function Explain({ frame, side, from, to }: ExplainProps) {
  const rows = rowsOf(frame.tables.find((t) => t.name === "explain")).filter((row) => row.text("side") === side);
  const parts = rows
    .map((row) => ({
      part: row.text("part") ?? "",
      a: row.amount("a_ns"),
      b: row.amount("b_ns"),
      delta: row.amount("delta_ns"),
    }))
    .filter((part) => part.delta !== 0)
    .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
  const most = Math.max(1, ...parts.map((part) => Math.abs(part.delta)));
  const total = parts.reduce((sum, part) => sum + part.delta, 0);
  return (
    <section class="compare-box" aria-labelledby="compare-explain">
      <h2 id="compare-explain">
        Why a step of {to} takes {total < 0 ? `${time(-total)} less` : `${time(total)} more`} than one of {from}
      </h2>
      <table class="explain">
        <thead class="unseen">
          <tr>
            <th scope="col">part</th>
            <th scope="col">{from}</th>
            <th scope="col">{to}</th>
            <th scope="col">difference</th>
            <th scope="col">bar</th>
          </tr>
        </thead>
        <tbody>
          {parts.map((part) => (
            <tr key={part.part}>
              <th scope="row">{WORDS[part.part] ?? causeOf(part.part).title}</th>
              <td class="number muted">{time(part.a)}</td>
              <td class="number muted">{time(part.b)}</td>
              <td class="number">{signed(part.delta)}</td>
              <td class="explain-track">
                <span
                  class={part.delta < 0 ? "explain-bar less" : "explain-bar more"}
                  style={{ width: `${(Math.abs(part.delta) / most) * 50}%` }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function signed(ns: number): string {
  return ns > 0 ? `+${time(ns)}` : ns < 0 ? `−${time(-ns)}` : time(0);
}

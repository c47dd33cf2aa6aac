// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One line a metric, one column a side; the others with their ratio to the first.
import { causeOf, isCause } from "@/base/causes";
import { decimal, time } from "@/base/units";
import type { Frame } from "@/engine/frame";
import { type Row, rowsOf } from "@/engine/rows";

const COUNTS = new Set(["device_events", "launches", "copies", "operators"]);
const TITLES: Record<string, string> = {
  step: "one step",
  device_busy: "device busy",
  device_work: "device work of operators",
  device_events: "device events",
  launches: "launches",
  copies: "copies",
  operators: "operators",
  host: "operators on the host",
};

interface MetricsProps {
  frame: Frame;
  sides: readonly string[];
  titles: readonly string[];
}

export function Metrics({ frame, sides, titles }: MetricsProps) {
  const rows = rowsOf(frame.tables.find((t) => t.name === "metrics"));
  const names = [...new Set(rows.map((row) => row.text("metric") ?? ""))];
  const find = (name: string, side: string) =>
    rows.find((row) => row.text("metric") === name && row.text("side") === side);
  const others = sides.slice(1);
  const shown = names.filter((name) => {
    const all = others.map((side) => find(name, side));
    return all.some((row) => row && (row.amount("a") !== 0 || row.amount("b") !== 0));
  });
  return (
    <section class="compare-box" aria-labelledby="compare-metrics">
      <h2 id="compare-metrics">A step, side by side</h2>
      <table class="metrics">
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">metric</span>
            </th>
            {titles.map((title, i) => (
              <th key={sides[i]} scope="col" class="number" colSpan={i === 0 ? 1 : 2}>
                <span class="metric-side">{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((name) => {
            const first = others.map((side) => find(name, side)).find((row) => row !== undefined);
            return (
              <tr key={name} class={name === "step" ? "strong" : ""}>
                <th scope="row">
                  {TITLES[name] ?? (isCause(name) ? `idle: ${causeOf(name).title}` : name.replaceAll("_", " "))}
                </th>
                <td class="number">{value(name, first?.number("a") ?? Number.NaN)}</td>
                {others.map((side) => (
                  <Other key={side} name={name} row={find(name, side)} />
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Other({ name, row }: { name: string; row: Row | undefined }) {
  const ratio = row?.number("ratio") ?? Number.NaN;
  const way = !Number.isFinite(ratio) || Math.abs(ratio - 1) < 0.005 ? "" : ratio < 1 ? "less" : "more";
  return (
    <>
      <td class="number">{value(name, row?.number("b") ?? Number.NaN)}</td>
      <td class={`metric-ratio ${way}`}>{Number.isFinite(ratio) ? `${decimal(ratio, 2)}×` : ""}</td>
    </>
  );
}

function value(name: string, amount: number): string {
  if (Number.isNaN(amount)) return "–";
  return COUNTS.has(name) ? decimal(amount, Number.isInteger(amount) ? 0 : 1) : time(amount);
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where each profiler step went: parts that add up exactly, on one scale for all steps.
import { useAnswer } from "@/base/answer";
import { time } from "@/base/units";
import { page } from "@/base/view";
import { tables } from "@/engine/opened";
import { showSpan } from "@/engine/pick";
import { type Row, rowsOf } from "@/engine/rows";
import { type BarPart, Legend, StackedBar } from "@/widgets/stacked_bar";
import { Wait } from "@/widgets/wait";

const MOST = 24;

const KINDS: [string, string][] = [
  ["kernel", "kernels"],
  ["communication", "communication"],
  ["copy", "copies"],
  ["runtime", "runtime calls"],
  ["dataloader", "data loader"],
  ["cpu", "host operators"],
  ["other", "other"],
];

export function stepParts(row: Row): BarPart[] {
  return KINDS.map(([id, title]) => ({ id, title, value: row.amount(`${id}_ns`), color: `var(--kind-${id})` }));
}

export function StepBars({ trace }: { trace: string }) {
  const answer = useAnswer((stop) => tables.table(trace, "steps", {}, stop), [trace]);
  return (
    <section class="card-box" aria-labelledby="summary-steps">
      <h3 id="summary-steps">Where each step went</h3>
      <Wait answer={answer}>
        {(frame) => {
          const rows = rowsOf(frame.tables.find((t) => t.name === "rows"));
          if (rows.length === 0) {
            return <p class="muted">No ProfilerStep ranges: call prof.step() in the loop to see steps here.</p>;
          }
          return <Steps rows={rows} />;
        }}
      </Wait>
    </section>
  );
}

function Steps({ rows }: { rows: Row[] }) {
  const longest = Math.max(...rows.map((row) => row.amount("dur_ns")));
  const sums = KINDS.map(([id, title]) => ({
    id,
    title,
    color: `var(--kind-${id})`,
    value: rows.reduce((sum, row) => sum + row.amount(`${id}_ns`), 0),
  }));
  // Many steps look alike: the slowest are the ones to see.
  const shown =
    rows.length <= MOST
      ? rows
      : [...rows]
          .sort((a, b) => b.amount("dur_ns") - a.amount("dur_ns"))
          .slice(0, MOST)
          .sort((a, b) => a.index - b.index);
  return (
    <>
      <ul class="step-bars">
        {shown.map((row) => (
          <li key={row.index}>
            <button
              type="button"
              class="step-bar"
              title="Show the step on the timeline"
              onClick={() => {
                const from = row.amount("start");
                showSpan({ from, to: from + row.amount("dur_ns") }, null);
                page.value = "timeline";
              }}
            >
              <span class="step-name">
                {row.text("rank") === null ? "" : `rank ${row.text("rank")} · `}step {row.text("step")}
              </span>
              <span class="step-track">
                <StackedBar parts={stepParts(row)} total={longest} thin />
              </span>
              <span class="step-time">{time(row.amount("dur_ns"))}</span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length < rows.length && (
        <p class="muted small">
          The {shown.length} slowest of {rows.length} steps.
        </p>
      )}
      <Legend parts={sums} label="All steps together" format={time} />
    </>
  );
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The four numbers that people ask for first, each with its formula, without and with the launch's overhead.
import { decimal, percent } from "@/base/units";
import type { FrameTable } from "@/engine/frame";
import { type Row, rowsOf } from "@/engine/rows";

const FIGURES: { metric: string; title: string; about: string }[] = [
  { metric: "mfu", title: "MFU", about: "useful FLOPs of what the tensor engine can do" },
  { metric: "hfu", title: "HFU", about: "all its FLOPs, transposes too" },
  { metric: "mbu", title: "MBU", about: "HBM traffic of what one stack can move" },
  { metric: "arithmetic_intensity", title: "Intensity", about: "FLOP of the tensor engine a byte of HBM" },
];

export function Figures({ table }: { table: FrameTable }) {
  const rows = new Map(rowsOf(table).map((row) => [row.text("metric") ?? "", row]));
  return (
    <section class="card-box" aria-labelledby="device-figures">
      <h3 id="device-figures">How near to the chip's limits</h3>
      <dl class="device-figures">
        {FIGURES.map(({ metric, title, about }) => {
          const row = rows.get(metric);
          if (!row) return null;
          return (
            <div key={metric} class="device-figure" title={row.text("formula") ?? ""}>
              <dt>{title}</dt>
              <dd>
                {shown(row, "value")}
                {Number.isFinite(row.number("with_overhead")) && (
                  <span class="device-with">{shown(row, "with_overhead")} with overhead</span>
                )}
              </dd>
              <dd class="muted">{about}</dd>
              <dd class="device-formula">{row.text("formula")}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

function shown(row: Row, column: string): string {
  const value = row.number(column);
  return row.text("unit") === "of 1" ? percent(value) : decimal(value, value >= 100 ? 0 : 2);
}

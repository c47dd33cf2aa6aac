// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the wall time of each device went: busy and the causes of idling, which add up to the whole.
import { useAnswer } from "@/base/answer";
import { causes } from "@/base/causes";
import { percent, time } from "@/base/units";
import { tables } from "@/engine/opened";
import { type Row, rowsOf } from "@/engine/rows";
import { type BarPart, Legend, StackedBar } from "@/widgets/stacked_bar";
import { Wait } from "@/widgets/wait";

export function Devices({ trace, simulated }: { trace: string; simulated: string | null }) {
  const answer = useAnswer((stop) => tables.table(trace, "gaps", {}, stop), [trace]);
  return (
    <section class="card-box" aria-labelledby="summary-wall">
      <h3 id="summary-wall">Where the wall time went</h3>
      <Wait answer={answer}>
        {(frame) => {
          const devices = rowsOf(frame.tables.find((t) => t.name === "devices"));
          if (devices.length === 0)
            return <p class="muted">No device did anything in this trace: it has host rows only.</p>;
          return (
            <div class="devices">
              {devices.map((device) => (
                <Device key={device.index} row={device} several={devices.length > 1} simulated={simulated} />
              ))}
            </div>
          );
        }}
      </Wait>
    </section>
  );
}

// Busy first, then the causes, largest first. All together they are the wall time, to the nanosecond.
export function wallParts(row: Row): BarPart[] {
  const idle = causes
    .map((cause) => ({ ...cause, value: row.amount(`causes.${cause.id}`) }))
    .sort((a, b) => b.value - a.value);
  return [
    {
      id: "busy",
      title: "busy",
      value: row.amount("busy_ns"),
      color: "var(--busy)",
      about: "Kernels, copies and fills ran.",
    },
    ...idle,
  ];
}

function Device({ row, several, simulated }: { row: Row; several: boolean; simulated: string | null }) {
  const parts = wallParts(row);
  const wall = row.amount("wall_ns");
  const device = row.text("device") ?? "device";
  const rank = row.text("rank");
  const modelled = simulated !== null && device.startsWith("neuron");
  return (
    <div class="device">
      <p class="device-line">
        <strong>{device}</strong>
        {several && rank !== null && <span class="muted">rank {rank}</span>}
        <span class="muted">
          busy {percent(row.amount("busy_ns") / wall)} of {time(wall)}
        </span>
        {modelled && (
          <span class="pill accent" title="Device times come from a model, host times are measured">
            simulated · {simulated}
          </span>
        )}
      </p>
      <StackedBar parts={parts} total={wall} />
      <Legend parts={parts} label={`Wall time of ${device}`} format={time} />
    </div>
  );
}

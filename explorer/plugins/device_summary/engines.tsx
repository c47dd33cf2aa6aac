// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Busy, each reason of a stall, idle: for every engine they add up to the whole, to the picosecond.
import { useAnswer } from "@/base/answer";
import { percent, timeOfPs } from "@/base/units";
import { tables } from "@/engine/opened";
import { type Row, rowsOf } from "@/engine/rows";
import { type BarPart, StackedBar } from "@/widgets/stacked_bar";
import { Wait } from "@/widgets/wait";

const REASONS: { id: string; title: string; about: string; color: string }[] = [
  { id: "data", title: "data", about: "waits for a result of another engine", color: "var(--cause-synchronize)" },
  { id: "dma", title: "DMA", about: "waits for data that a DMA brings", color: "var(--cause-copy-wait)" },
  { id: "queue", title: "queue", about: "its DMA stands behind another one", color: "var(--cause-launch-latency)" },
  { id: "buffer_free", title: "buffer", about: "what it overwrites is still read", color: "var(--cause-sim-lag)" },
  { id: "order", title: "barrier", about: "waits for somebody it shares no data with", color: "var(--cause-overhead)" },
  { id: "pipeline", title: "pipeline", about: "its own result is still on its way", color: "var(--cause-host-busy)" },
  { id: "other", title: "other", about: "nothing recorded held it", color: "var(--cause-unknown)" },
];
const TITLES: Record<string, string> = {
  tensor: "Tensor",
  vector: "Vector",
  scalar: "Scalar",
  gpsimd: "GpSimd",
  sync: "Sync",
};

export function partsOf(row: Row): BarPart[] {
  return [
    { id: "busy", title: "busy", value: row.amount("busy_ps"), color: "var(--busy)" },
    ...REASONS.map((reason) => ({ ...reason, value: row.amount(`reasons.${reason.id}_ps`) })),
    { id: "idle", title: "idle", value: row.amount("idle_ps"), color: "var(--cause-queue-empty-end)" },
  ];
}

export function Engines({ trace }: { trace: string }) {
  const answer = useAnswer((stop) => tables.table(trace, "stalls", {}, stop), [trace]);
  return (
    <section class="card-box" aria-labelledby="device-engines">
      <h3 id="device-engines">What each engine did</h3>
      <Wait answer={answer}>
        {(frame) => {
          const engines = rowsOf(frame.table("engines"));
          const cores = [...new Set(engines.map((row) => row.amount("core")))];
          const several = cores.length > 1;
          const idle = several ? idleCores(engines) : [];
          return (
            <>
              <table class="device-engines" aria-label="Time of each engine">
                <tbody>
                  {engines
                    .filter((row) => !idle.includes(row.amount("core")))
                    .map((row) => (
                      <Engine key={row.index} row={row} several={several} />
                    ))}
                </tbody>
              </table>
              {idle.length > 0 && (
                <p class="muted">No engine of core {idle.join(", ")} ran an instruction of the program.</p>
              )}
              <Signs rows={engines} />
            </>
          );
        }}
      </Wait>
    </section>
  );
}

// Cores of which no engine did anything; none when that is all of them, for then they are the answer.
export function idleCores(engines: readonly Row[]): number[] {
  const cores = [...new Set(engines.map((row) => row.amount("core")))];
  const idle = cores.filter((core) =>
    engines.every((row) => row.amount("core") !== core || row.amount("busy_ps") === 0),
  );
  return idle.length < cores.length ? idle : [];
}

function Engine({ row, several }: { row: Row; several: boolean }) {
  const parts = partsOf(row);
  const whole = row.amount("whole_ps");
  const name = TITLES[row.text("engine") ?? ""] ?? row.text("engine") ?? "";
  return (
    <tr>
      <th scope="row">
        {name}
        {several && <span class="muted"> core {row.amount("core")}</span>}
      </th>
      <td class="device-bar">
        <StackedBar parts={parts} total={whole} />
      </td>
      <td class="number">{percent(row.amount("busy_ps") / whole)} busy</td>
      <td class="number muted">
        {timeOfPs(row.amount("busy_ps"))} · stall {timeOfPs(row.amount("stall_ps"))} · idle{" "}
        {timeOfPs(row.amount("idle_ps"))}
      </td>
    </tr>
  );
}

// One list of colours for all bars: only what some engine has.
function Signs({ rows }: { rows: readonly Row[] }) {
  const all = rows.map(partsOf);
  const parts = (all[0] ?? []).filter((_, i) => all.some((bars) => (bars[i]?.value ?? 0) > 0));
  return (
    <ul class="device-signs">
      {parts.map((part) => (
        <li key={part.id}>
          <span class="legend-sign" style={{ background: part.color }} aria-hidden="true" /> {part.title}
          {part.about && <span class="muted"> {part.about}</span>}
        </li>
      ))}
    </ul>
  );
}

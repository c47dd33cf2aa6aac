// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The ten operators that cost most, by device time where there is any, else by host time.
import { useState } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import { count, inUnit, unitOf } from "@/base/units";
import { page } from "@/base/view";
import { tables } from "@/engine/opened";
import { pickEvents } from "@/engine/pick";
import { rowsOf } from "@/engine/rows";
import { server } from "@/engine/server";
import { Wait } from "@/widgets/wait";

export function TopOperators({ trace }: { trace: string }) {
  const answer = useAnswer((stop) => tables.table(trace, "summary", {}, stop), [trace]);
  const [failure, setFailure] = useState<string | null>(null);
  return (
    <section class="card-box" aria-labelledby="summary-ops">
      <h3 id="summary-ops">The costliest operators</h3>
      {failure !== null && (
        <p class="notice failed" role="alert">
          {failure}
        </p>
      )}
      <Wait answer={answer}>
        {(frame) => {
          const rows = rowsOf(
            frame.tables.find((t) => t.name === "top_ops"),
            10,
          );
          if (rows.length === 0) return <p class="muted">The trace holds no operators.</p>;
          const device = rows.some((row) => row.amount("self_device_ns") > 0);
          const key = device ? "self_device_ns" : "self_cpu_ns";
          const most = Math.max(...rows.map((row) => row.amount(key)));
          const unit = unitOf("ns", most);
          return (
            <table class="top">
              <thead>
                <tr>
                  <th scope="col">operator</th>
                  <th scope="col" class="number">
                    calls
                  </th>
                  <th scope="col" class="number">
                    self {device ? "device" : "host"} · {unit.label}
                  </th>
                  <th scope="col" class="top-share">
                    <span class="unseen">share of the costliest</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.index}>
                    <th scope="row">
                      <button
                        type="button"
                        class="link clip"
                        title="Show its calls on the timeline"
                        onClick={() => {
                          const name = row.text("name") ?? "";
                          setFailure(null);
                          pickEvents(server, trace, { name }, name).then(
                            () => {
                              page.value = "timeline";
                            },
                            (reason: unknown) => setFailure(reason instanceof Error ? reason.message : String(reason)),
                          );
                        }}
                      >
                        {row.text("name")}
                      </button>
                    </th>
                    <td class="number">{count(row.amount("calls"))}</td>
                    <td class="number">{inUnit(row.amount(key), unit)}</td>
                    <td class="top-share">
                      <span
                        class="top-bar"
                        aria-hidden="true"
                        style={{ width: `${most > 0 ? (row.amount(key) / most) * 100 : 0}%` }}
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          );
        }}
      </Wait>
    </section>
  );
}

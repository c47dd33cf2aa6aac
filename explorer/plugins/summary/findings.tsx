// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What should change first, in words, with the events that show it.
import { useState } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import { time } from "@/base/units";
import { page } from "@/base/view";
import { eventIdText } from "@/engine/frame";
import { tables } from "@/engine/opened";
import { pickEvents } from "@/engine/pick";
import { type Row, rowsOf } from "@/engine/rows";
import { server } from "@/engine/server";
import { Wait } from "@/widgets/wait";

const AT_FIRST = 5;

export function Findings({ trace }: { trace: string }) {
  const answer = useAnswer((stop) => tables.table(trace, "verdict", {}, stop), [trace]);
  const [all, setAll] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const show = (row: Row) => {
    setFailure(null);
    const events = row.list("evidence").map(eventIdText);
    pickEvents(server, trace, { events }, row.text("text") ?? "evidence").then(
      () => {
        page.value = "timeline";
      },
      (reason: unknown) => setFailure(reason instanceof Error ? reason.message : String(reason)),
    );
  };
  return (
    <section class="card-box" aria-labelledby="summary-findings">
      <h3 id="summary-findings">What to change first</h3>
      {failure !== null && (
        <p class="notice failed" role="alert">
          {failure}
        </p>
      )}
      <Wait answer={answer}>
        {(frame) => {
          const rows = rowsOf(frame.tables.find((t) => t.name === "findings"));
          if (rows.length === 0) return <p class="muted">Nothing stands out.</p>;
          return (
            <>
              <ol class="findings">
                {rows.slice(0, all ? rows.length : AT_FIRST).map((row) => (
                  <Finding key={row.index} row={row} onShow={() => show(row)} />
                ))}
              </ol>
              {rows.length > AT_FIRST && (
                <button type="button" class="button quiet small" onClick={() => setAll(!all)}>
                  {all ? "Fewer" : `All ${rows.length} findings`}
                </button>
              )}
            </>
          );
        }}
      </Wait>
    </section>
  );
}

function Finding({ row, onShow }: { row: Row; onShow(): void }) {
  const gain = row.number("gain_ns");
  const file = row.text("file");
  const line = row.text("line");
  const evidence = row.list("evidence").length;
  return (
    <li class="finding">
      <span class="finding-gain">
        {gain > 0 ? (
          <>
            <strong>{time(gain)}</strong>
            <span class="muted">could be free</span>
          </>
        ) : (
          <span class="muted">{row.text("kind")?.replaceAll("_", " ")}</span>
        )}
      </span>
      <span class="finding-text">
        {row.text("text") ?? ""}
        {file !== null && (
          <code class="finding-place muted" title={file}>
            {file.split("/").slice(-2).join("/")}
            {line === null ? "" : `:${line}`}
          </code>
        )}
      </span>
      {evidence > 0 && (
        <button type="button" class="button small" onClick={onShow}>
          Show {evidence === 1 ? "it" : `${evidence} events`}
        </button>
      )}
    </li>
  );
}

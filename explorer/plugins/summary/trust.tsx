// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How far the file can be trusted: what happened to its events, what the checks found, and which machine was simulated.
import { useAnswer } from "@/base/answer";
import { bytes, count } from "@/base/units";
import type { TraceInfo } from "@/engine/api";
import { tables } from "@/engine/opened";
import { rowsOf } from "@/engine/rows";
import { Wait } from "@/widgets/wait";

const STATE: Record<string, { sign: string; word: string }> = {
  ok: { sign: "good", word: "ok" },
  note: { sign: "warn", word: "note" },
  problem: { sign: "bad", word: "problem" },
  not_known: { sign: "", word: "cannot tell" },
};

export function Trust({ info }: { info: TraceInfo }) {
  const answer = useAnswer((stop) => tables.table(info.trace.id, "health", {}, stop), [info.trace.id]);
  const { read, kept, repaired, dropped } = info.trace.ledger;
  return (
    <>
      <section class="card-box" aria-labelledby="summary-trust">
        <h3 id="summary-trust">How far to trust it</h3>
        <dl class="ledger">
          <Figure title="events read" value={count(read)} />
          <Figure title="kept" value={count(kept)} />
          <Figure title="repaired" value={count(repaired)} bad={repaired > 0} />
          <Figure title="dropped" value={count(dropped)} bad={dropped > 0} />
          <Figure title={info.parts.length === 1 ? "file" : "files"} value={count(info.parts.length)} />
          <Figure title="text" value={bytes(info.trace.progress.text_bytes)} />
        </dl>
        <Wait answer={answer}>
          {(frame) => {
            const checks = rowsOf(frame.tables.find((t) => t.name === "checks"));
            const rank = ["problem", "note", "not_known", "ok"];
            const open = checks
              .filter((row) => row.text("state") !== "ok")
              .sort((a, b) => rank.indexOf(a.text("state") ?? "") - rank.indexOf(b.text("state") ?? ""));
            return (
              <>
                <ul class="checks">
                  {open.map((row) => {
                    const state = STATE[row.text("state") ?? ""] ?? { sign: "", word: row.text("state") ?? "" };
                    return (
                      <li key={row.index}>
                        <span class={`pill ${state.sign}`}>{state.word}</span>
                        <span>
                          {row.number("count") > 0 && `${count(row.amount("count"))} `}
                          {row.text("text")}
                          {row.number("of") > 0 && row.number("count") > 0 && (
                            <span class="muted"> of {count(row.amount("of"))}</span>
                          )}
                        </span>
                      </li>
                    );
                  })}
                </ul>
                <p class="muted small">{checks.length - open.length} further checks found nothing.</p>
              </>
            );
          }}
        </Wait>
      </section>
      {info.machine && <Machine machine={info.machine} simulated={info.trace.simulated} />}
    </>
  );
}

function Figure({ title, value, bad = false }: { title: string; value: string; bad?: boolean }) {
  return (
    <div class={bad ? "figure bad" : "figure"}>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Machine({ machine, simulated }: { machine: Record<string, unknown>; simulated: string | null }) {
  return (
    <section class="card-box" aria-labelledby="summary-machine">
      <h3 id="summary-machine">
        The machine {simulated !== null && <span class="pill accent">simulated · {simulated}</span>}
      </h3>
      {simulated !== null && (
        <p class="muted">
          Device times come from this machine's numbers and are the same in every run. Host times are measured.
        </p>
      )}
      <dl class="machine">
        {Object.entries(machine).map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll("_", " ")}</dt>
            <dd>{typeof value === "object" ? JSON.stringify(value) : String(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

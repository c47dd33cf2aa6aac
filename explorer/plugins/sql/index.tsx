// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Questions in SQL, over the tables that every analysis makes (docs/python.md). An answer with an event id leads to the events.
import { useState } from "preact/hooks";
import type { PageProps } from "@/base/panel";
import { count } from "@/base/units";
import { page } from "@/base/view";
import type { Frame } from "@/engine/frame";
import { opened } from "@/engine/opened";
import { pickEvents } from "@/engine/pick";
import { server } from "@/engine/server";
import { idText, numberAt } from "@/widgets/table/columns";
import { Table } from "@/widgets/table/table";
import "@/plugins/sql/sql.css";

const LIMIT = 10_000;
// Of the events of an answer, as many are shown as the server takes in one selection.
const MOST_EVENTS = 2000;

const EXAMPLES: { title: string; sql: string }[] = [
  { title: "Which tables?", sql: "show tables" },
  {
    title: "Costliest operators",
    sql: "select name, calls, self_device_ns\nfrom ops\norder by self_device_ns desc\nlimit 20",
  },
  {
    title: "Longest gaps by operator",
    sql: "select op, cause, count(*) as gaps, sum(dur_ns) as idle_ns\nfrom gaps\ngroup by op, cause\norder by idle_ns desc\nlimit 20",
  },
  {
    title: "Slowest launches",
    sql: "select event, name, op_name, latency_ns\nfrom links\nwhere latency_ns is not null\norder by latency_ns desc\nlimit 50",
  },
];

export function SqlPage({ trace }: PageProps) {
  const offered = opened.home.value?.sql;
  const [sql, setSql] = useState(EXAMPLES[1]?.sql ?? "");
  const [result, setResult] = useState<Frame | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [running, setRunning] = useState<AbortController | null>(null);
  if (offered && !offered.available) return <p class="notice">{offered.text}</p>;

  const run = async () => {
    running?.abort();
    const stop = new AbortController();
    setRunning(stop);
    setFailure(null);
    try {
      setResult(await server.sql(trace, sql, LIMIT, stop.signal));
    } catch (reason) {
      if (!stop.signal.aborted) {
        setResult(null);
        setFailure(reason instanceof Error ? reason.message : String(reason));
      }
    } finally {
      setRunning((now) => (now === stop ? null : now));
    }
  };
  return (
    <div class="sql-page">
      <div class="sql-ask">
        <div class="sql-examples">
          {EXAMPLES.map((example) => (
            <button key={example.title} type="button" class="button quiet small" onClick={() => setSql(example.sql)}>
              {example.title}
            </button>
          ))}
        </div>
        <textarea
          class="sql-text"
          aria-label="SQL"
          rows={6}
          spellcheck={false}
          value={sql}
          onInput={(event) => setSql(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              void run();
            }
          }}
        />
        <div class="sql-run">
          {running ? (
            <button type="button" class="button" onClick={() => running.abort()}>
              Stop
            </button>
          ) : (
            <button type="button" class="button primary" disabled={sql.trim() === ""} onClick={() => void run()}>
              Run
            </button>
          )}
          <span class="muted">
            <kbd>Ctrl Enter</kbd>
          </span>
          {failure !== null && (
            <pre class="sql-failure" role="alert">
              {failure}
            </pre>
          )}
        </div>
      </div>
      <div class="sql-result">{result && <Result trace={trace} frame={result} />}</div>
    </div>
  );
}

function Result({ trace, frame }: { trace: string; frame: Frame }) {
  const [failure, setFailure] = useState<string | null>(null);
  const table = frame.tables.find((t) => t.name === "result");
  if (!table) return null;
  const name = (frame.members.events_column ?? table.members.events_column) as string | null | undefined;
  const events = table.columns.find((c) => (name ? c.name === name : c.type === "event"));
  const show = (rows: number[]) => {
    if (!events) return;
    const ids = rows.map((row) => numberAt(events, row)).filter((id) => !Number.isNaN(id));
    setFailure(null);
    pickEvents(server, trace, { events: ids.slice(0, MOST_EVENTS).map(idText) }, "SQL").then(
      () => {
        page.value = "timeline";
      },
      (reason: unknown) => setFailure(reason instanceof Error ? reason.message : String(reason)),
    );
  };
  return (
    <>
      {failure !== null && <p class="notice failed">{failure}</p>}
      <Table
        source={table}
        label="Result"
        empty="The answer has no rows."
        {...(events ? { onPick: (row: number) => show([row]) } : {})}
        tools={
          events && table.rows > 0 ? (
            <button
              type="button"
              class="button small"
              onClick={() => show(Array.from({ length: table.rows }, (_, row) => row))}
            >
              Show {table.rows > MOST_EVENTS ? `the first ${count(MOST_EVENTS)}` : count(table.rows)} on the timeline
            </button>
          ) : null
        }
      />
    </>
  );
}

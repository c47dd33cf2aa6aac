// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Python and instructions, both ways. A launch of a compiled graph tells the line and the module of each node: the run shows its own, and
// each line of the source leads to what it became. Of other launches there is the line that launched the program.
import { useState } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import { timeOfPs } from "@/base/units";
import { launch } from "@/base/view";
import type { EventDetails, Where } from "@/engine/api";
import type { FrameTable } from "@/engine/frame";
import { tables } from "@/engine/opened";
import { pickEvents } from "@/engine/pick";
import { rowsOf } from "@/engine/rows";
import { server } from "@/engine/server";
import { callerOf, type LineMarks, SourceLines } from "@/plugins/details/source";

export function LaunchSource({ trace, event }: { trace: string; event: EventDetails }) {
  const from = launch.value;
  const own = event.stack.length > 0;
  const launched = useAnswer(from && !own ? (stop) => server.event(from.trace, from.execution, stop) : null, [
    from?.trace,
    from?.execution,
    own,
  ]);
  const lines = useAnswer(own ? (stop) => tables.table(trace, "instructions", {}, stop) : null, [trace, own]);
  const [failure, setFailure] = useState<string | null>(null);
  const of = (event.args.ordered_by ?? event.args) as Record<string, unknown>;
  const text = (key: string) => (typeof of[key] === "string" ? (of[key] as string) : null);
  const node = text("aten_node");
  const module = text("module") ?? modulesOf(launched.value?.stack ?? []);
  const line = own ? event.stack[callerOf(event.stack)] : undefined;
  const pick = (where: Where, name: string) => {
    setFailure(null);
    pickEvents(server, trace, { where: { ...where, with_dmas: true } }, name).catch((reason: unknown) =>
      setFailure(reason instanceof Error ? reason.message : String(reason)),
    );
  };
  const named: [string, string | null][] = [
    ["ATen node", text("source_node") ? `${text("source_node")}${node ? ` (${node})` : ""}` : node],
    ["IR op", text("ir_op")],
    ["module", module && text("module_class") ? `${module} (${text("module_class")})` : module],
  ];
  const known = named.filter(([, value]) => value !== null);
  return (
    <>
      {(node !== null || own) && (
        <section class="details-part" aria-label="Where it comes from">
          <h3>Where it comes from</h3>
          <dl class="fields">
            {known.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          {of.backward === true && (
            <p class="muted small">Of the backward pass: module and line are those of the forward.</p>
          )}
          <div class="details-buttons">
            <All
              onPick={() =>
                pick(
                  text("source_node") ? { node: text("source_node") ?? "" } : { aten_node: node ?? "" },
                  text("source_node") ?? node ?? "",
                )
              }
            >
              All instructions of this node
            </All>
            {line?.file && line.line !== null && (
              <All
                onPick={() =>
                  pick({ file: line.file ?? "", line: line.line ?? 0 }, `${shortOf(line.file ?? "")}:${line.line}`)
                }
              >
                All instructions of this line
              </All>
            )}
            {text("module") !== null && (
              <All onPick={() => pick({ module: text("module") ?? "" }, text("module") ?? "")}>
                All instructions of this module
              </All>
            )}
          </div>
        </section>
      )}
      {own && (
        <SourceLines
          trace={trace}
          stack={event.stack}
          marks={marksOf(lines.value?.table("lines"))}
          onLine={(file, number) => pick({ file, line: number }, `${shortOf(file)}:${number}`)}
        />
      )}
      {!own && from && launched.value && launched.value.stack.length > 0 && (
        <>
          <SourceLines trace={from.trace} stack={launched.value.stack} />
          <section class="details-part">
            <All onPick={() => pick({}, from.program)}>All instructions of this line</All>
          </section>
        </>
      )}
      {failure !== null && (
        <p class="details-refused" role="alert">
          {failure}
        </p>
      )}
      {!own && from === null && (
        <p class="details-part muted small">
          This profile was opened by itself. Opened from a launch in a capture folder it shows the Python lines too.
        </p>
      )}
    </>
  );
}

// The time of each line of the table, for its margin.
export function marksOf(table: FrameTable | undefined): LineMarks {
  const time = new Map(
    rowsOf(table, 100_000).map((row) => [`${row.text("file")}:${row.text("line")}`, row.amount("time_ps")]),
  );
  return (file, line) => {
    const found = time.get(`${file}:${line}`);
    return found === undefined ? null : timeOfPs(found);
  };
}

// As the profiler of PyTorch puts them on the stack of a launch.
function modulesOf(stack: EventDetails["stack"]): string | null {
  const names = stack.flatMap((frame) => {
    const found = /^nn\.Module: (.+)$/.exec(frame.name);
    return found?.[1] ? [found[1].replace(/_\d+$/, "")] : [];
  });
  return names.length > 0 ? names.reverse().join(" › ") : null;
}

function shortOf(file: string): string {
  return file.split("/").slice(-1)[0] ?? file;
}

function All({ onPick, children }: { onPick: () => void; children: string }) {
  return (
    <button type="button" class="button small" onClick={onPick}>
      {children}
    </button>
  );
}

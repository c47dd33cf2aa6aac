// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The Python stack of an event, innermost first, and the lines around the frame that is chosen. Lines that became instructions can say
// how much, and be chosen.
import { useState } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import type { EventDetails } from "@/engine/api";
import { isReport, server } from "@/engine/server";

// What a line cost, as text for its margin.
export type LineMarks = (file: string, line: number) => string | null;

interface SourceProps {
  trace: string;
  stack: EventDetails["stack"];
  marks?: LineMarks;
  onLine?: (file: string, line: number) => void;
}

export function SourceLines({ trace, stack, marks, onLine }: SourceProps) {
  const placed = callerOf(stack);
  const [chosen, setChosen] = useState(placed);
  const frame = stack[chosen];
  const file = frame?.file ?? null;
  const line = frame?.line ?? null;
  const answer = useAnswer(
    file === null || line === null || isReport ? null : (stop) => server.source(trace, file, line, stop),
    [trace, file, line],
  );
  if (stack.length === 0) return null;
  return (
    <section class="details-part" aria-label="Source">
      <h3>Source</h3>
      {answer.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
        <pre class="source" role="region" tabIndex={0} aria-label={`${answer.value.file}, line ${answer.value.line}`}>
          {answer.value.lines.map((text, i) => {
            const number = (answer.value?.first_line ?? 1) + i;
            const mark = file === null ? null : (marks?.(file, number) ?? null);
            return (
              <div key={number} class={number === answer.value?.line ? "source-line now" : "source-line"}>
                <span class="source-number">{number}</span>
                {marks && (
                  <span class="source-mark">
                    {mark !== null && file !== null && (
                      <button
                        type="button"
                        class="source-go"
                        title="Show the instructions of this line"
                        aria-label={`Instructions of line ${number}: ${mark}`}
                        onClick={() => onLine?.(file, number)}
                      >
                        {mark}
                      </button>
                    )}
                  </span>
                )}
                {text}
              </div>
            );
          })}
        </pre>
      )}
      {answer.error !== null && <p class="muted source-refused">{answer.error}</p>}
      <ol class="stack">
        {stack.map((f, i) => (
          <li key={`${f.name}${f.file}${f.line}`}>
            <button
              type="button"
              class="stack-frame"
              aria-current={i === chosen ? "true" : undefined}
              disabled={f.file === null}
              onClick={() => setChosen(i)}
            >
              <span class="clip">{f.name}</span>
              {f.file !== null && (
                <span class="muted clip" title={f.file}>
                  {f.file.split("/").slice(-2).join("/")}
                  {f.line === null ? "" : `:${f.line}`}
                </span>
              )}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

// The innermost frame that is the user's own; PyTorch's when there is no other. "<frozen runpy>" is no file.
export function callerOf(stack: EventDetails["stack"]): number {
  const placed = (frame: EventDetails["stack"][number]) =>
    frame.file !== null && frame.line !== null && !frame.file.startsWith("<");
  const library = /(^|\/)(torch\/|torch_neuronx\/|lanewise\/(?!examples\/))/;
  const own = stack.findIndex((frame) => placed(frame) && !library.test(frame.file ?? ""));
  return own >= 0 ? own : stack.findIndex(placed);
}

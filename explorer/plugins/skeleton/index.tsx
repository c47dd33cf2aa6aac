// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The smallest panel: a table of the server with a component of its own, to copy. README.md beside it says what to change.
// It is not in the list of app/plugins.ts; `skeleton.test.tsx` keeps it working.
import { useAnswer } from "@/base/answer";
import type { ViewPanel } from "@/base/panel";
import { count } from "@/base/units";
import { opened, tables } from "@/engine/opened";
import { rowsOf } from "@/engine/rows";
import { Wait } from "@/widgets/wait";

export const panel: ViewPanel = {
  kind: "view",
  id: "skeleton",
  title: "Skeleton",
  about: "How many kernels ran on each device?",
  Component: Skeleton,
};

function Skeleton({ trace }: { trace: string }) {
  const state = opened.info(trace).value?.trace.state;
  // Null asks nothing: the analyses wait until all of the file is there.
  const answer = useAnswer(state === "ready" ? (stop) => tables.table(trace, "kernels", {}, stop) : null, [
    trace,
    state,
  ]);
  if (state !== "ready") return <p class="notice">The file is still being read.</p>;
  return (
    <Wait answer={answer}>
      {(frame) => {
        const calls = new Map<string, number>();
        for (const row of rowsOf(frame.table("rows"))) {
          const device = row.text("device") ?? "?";
          calls.set(device, (calls.get(device) ?? 0) + row.amount("calls"));
        }
        return (
          <ul>
            {[...calls].map(([device, number]) => (
              <li key={device}>
                {device}: {count(number)}
              </li>
            ))}
          </ul>
        );
      }}
    </Wait>
  );
}

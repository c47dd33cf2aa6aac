// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Traces or variants side by side: what differs, where the difference of a step comes from, which kernels replaced which
// operators, and the timelines on one axis. The first trace is what the others are compared with.
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import type { PageProps } from "@/base/panel";
import { traceIds } from "@/base/view";
import type { Frame } from "@/engine/frame";
import { opened } from "@/engine/opened";
import { rowsOf } from "@/engine/rows";
import { server } from "@/engine/server";
import { Explain } from "@/plugins/compare/explain";
import { Metrics } from "@/plugins/compare/metrics";
import { Operators } from "@/plugins/compare/operators";
import { TraceChoice } from "@/plugins/compare/trace_choice";
import { Split } from "@/widgets/split";
import { TabPanel, Tabs } from "@/widgets/tabs";
import { Wait } from "@/widgets/wait";
import "@/plugins/compare/compare.css";

export function ComparePage({ Aligned }: PageProps) {
  const ids = traceIds.value;
  const traces = ids.map((id) => opened.info(id).value);
  const ready = ids.length > 1 && traces.every((info) => info?.trace.state === "ready");
  const answer = useAnswer(ready ? (stop) => server.compare(ids, stop) : null, [ready, ids.join()]);
  const [height, setHeight] = useState(() => Math.round(innerHeight * 0.52));
  if (ids.length < 2 || !ready) {
    return (
      <div class="compare-none">
        <p>
          {ids.length < 2
            ? "Choose two or more traces. The first is what the others are compared with."
            : "The traces are still being read. The comparison comes when all of them are there."}
        </p>
        <TraceChoice />
      </div>
    );
  }
  return (
    <Wait answer={answer}>
      {(frame) => (
        <Split
          direction="column"
          label="Height of the timelines"
          first={<Differences frame={frame} names={traces.map((info) => info?.trace.name ?? "")} />}
          second={<Aligned traces={alignedAt(frame, ids)} />}
          size={height}
          least={160}
          most={1600}
          onSize={setHeight}
        />
      )}
    </Wait>
  );
}

// The first common step, else the first launch, as the server found it, and how long a step is.
function alignedAt(frame: Frame, ids: readonly string[]): { id: string; zero: number; length: number }[] {
  const anchors = (frame.members.anchors ?? []) as { id: string; origin_ns: number }[];
  const steps = rowsOf(frame.tables.find((t) => t.name === "metrics")).filter((row) => row.text("metric") === "step");
  const lengths = [steps[0]?.amount("a") ?? 0, ...steps.map((row) => row.amount("b"))];
  return ids.map((id, i) => ({
    id,
    zero: anchors.find((anchor) => anchor.id === id)?.origin_ns ?? 0,
    length: lengths[i] ?? 0,
  }));
}

function Differences({ frame, names }: { frame: Frame; names: string[] }) {
  const sides = useMemo(() => rowsOf(frame.tables.find((t) => t.name === "sides")), [frame]);
  const letters = sides.map((row) => row.text("side") ?? "");
  const others = letters.slice(1);
  const [side, setSide] = useState(others[0] ?? "B");
  const [tab, setTab] = useState("overview");
  const titles = useMemo(
    () =>
      shortNames(
        names,
        sides.map((row) => row.text("path") ?? ""),
      ),
    [names, sides],
  );
  return (
    <div class="compare">
      <header class="compare-head">
        <Tabs
          tabs={[
            { id: "overview", title: "Overview" },
            { id: "operators", title: "Operators" },
          ]}
          now={tab}
          label="Comparison"
          name="compare"
          onTab={setTab}
        />
        <span class="spring" />
        {others.length > 1 && (
          <label class="compare-side">
            <span class="muted">{titles[0]} against</span>
            <select class="field" value={side} onChange={(event) => setSide(event.currentTarget.value)}>
              {others.map((letter, i) => (
                <option key={letter} value={letter}>
                  {titles[i + 1]}
                </option>
              ))}
            </select>
          </label>
        )}
        <TraceChoice />
      </header>
      <TabPanel name="compare" now={tab} className="compare-panel">
        {tab === "overview" ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
          <div class="compare-overview" role="region" aria-label="Overview" tabIndex={0}>
            <Metrics frame={frame} sides={letters} titles={titles} />
            <Explain frame={frame} side={side} from={titles[0] ?? "A"} to={titles[letters.indexOf(side)] ?? side} />
          </div>
        ) : (
          <Operators frame={frame} side={side} from={titles[0] ?? "A"} to={titles[letters.indexOf(side)] ?? side} />
        )}
      </TabPanel>
    </div>
  );
}

// The parts of the paths in which the sides differ: "eager", "fused", "compiled" of three captures of one study.
export function shortNames(names: readonly string[], paths: readonly string[]): string[] {
  const split = paths.map((path) => path.split("/").filter((part) => part !== ""));
  const length = Math.min(...split.map((parts) => parts.length));
  for (let i = 0; i < length; i++) {
    const at = split.map((parts) => parts[i] ?? "");
    // Instance and process of a capture tell a reader less than its time, which follows.
    if (at.every((part) => /^i-.*_pid_\d+$/.test(part))) continue;
    if (new Set(at).size === at.length && at.length === names.length) return at;
  }
  return names.map((name, i) => (names.indexOf(name) === i ? name : `${name} (${i + 1})`));
}

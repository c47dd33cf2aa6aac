// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory was allocated when, at most, and by whom.
import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import type { PageProps } from "@/base/panel";
import { bytes, time } from "@/base/units";
import { page } from "@/base/view";
import type { Frame, FrameTable } from "@/engine/frame";
import { opened } from "@/engine/opened";
import { pickEvents, showSpan } from "@/engine/pick";
import { server } from "@/engine/server";
import { type Curve, curvesOf, peakOf } from "@/plugins/memory/curve";
import { idText, numberAt, textAt } from "@/widgets/table/columns";
import { Table } from "@/widgets/table/table";
import { Wait } from "@/widgets/wait";
import "@/plugins/memory/memory.css";

export function MemoryPage({ trace }: PageProps) {
  const state = opened.info(trace).value?.trace.state;
  const answer = useAnswer(state === "ready" ? (stop) => server.memory(trace, stop) : null, [trace, state]);
  if (state === "importing") {
    return <p class="notice">The file is still being read. The curve comes when all of it is there.</p>;
  }
  return <Wait answer={answer}>{(frame) => <Memory trace={trace} frame={frame} />}</Wait>;
}

function Memory({ trace, frame }: { trace: string; frame: Frame }) {
  const table = frame.tables.find((t) => t.name === "curve");
  const curves = table ? curvesOf(table) : [];
  const owners = frame.tables.find((t) => t.name === "owners");
  const largest = curves.reduce<Curve | null>(
    (best, c) => (best && peakOf(best).bytes >= peakOf(c).bytes ? best : c),
    null,
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const curve = curves.find((c) => c.device === chosen) ?? largest;
  if (!curve) {
    return (
      <p class="notice">
        The trace tells nothing of memory. Record with <code>profile_memory=True</code> to see the curve here.
      </p>
    );
  }
  return (
    <div class="memory-page">
      <section class="memory-curve" aria-label="Allocated memory over time">
        <header class="memory-head">
          <select
            class="field"
            aria-label="Device"
            value={curve.device}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            {curves.map((c) => (
              <option key={c.device} value={c.device}>
                {c.device}
              </option>
            ))}
          </select>
          <Peak curve={curve} />
        </header>
        <Plot key={curve.device} curve={curve} />
      </section>
      {owners && <Owners trace={trace} table={owners} />}
    </div>
  );
}

function Peak({ curve }: { curve: Curve }) {
  const peak = peakOf(curve);
  const last = curve.allocated[curve.allocated.length - 1] ?? 0;
  return (
    <>
      <dl class="memory-figures">
        <div>
          <dt>peak</dt>
          <dd>{bytes(peak.bytes)}</dd>
        </div>
        <div>
          <dt>at the peak from</dt>
          <dd>{time(peak.at)}</dd>
        </div>
        <div>
          <dt>at the end</dt>
          <dd>{bytes(last)}</dd>
        </div>
        {curve.mostReserved > 0 && (
          <div>
            <dt>reserved at most</dt>
            <dd>{bytes(curve.mostReserved)}</dd>
          </div>
        )}
      </dl>
      <span class="spring" />
      <button type="button" class="button small" onClick={() => toTimeline(peak.at)}>
        Show the peak on the timeline
      </button>
    </>
  );
}

function toTimeline(at: number): void {
  showSpan({ from: at - 50_000, to: at + 50_000 }, null);
  page.value = "timeline";
}

// The plotting library comes with this page, not with the first load.
function Plot({ curve }: { curve: Curve }) {
  const holder = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let gone = false;
    let stop: (() => void) | null = null;
    import("@/plugins/memory/plot").then(
      ({ plotCurve }) => {
        if (!gone && holder.current) stop = plotCurve(holder.current, curve, toTimeline);
      },
      (reason: unknown) => setFailure(reason instanceof Error ? reason.message : String(reason)),
    );
    return () => {
      gone = true;
      stop?.();
    };
  }, [curve]);
  const peak = peakOf(curve);
  return (
    <>
      {failure !== null && <p class="notice failed">{failure}</p>}
      <div
        class="memory-plot"
        ref={holder}
        role="img"
        aria-label={`Memory of ${curve.device}: ${curve.at.length} changes, peak ${bytes(peak.bytes)} at ${time(peak.at)}`}
      />
    </>
  );
}

function Owners({ trace, table }: { trace: string; table: FrameTable }) {
  const [failure, setFailure] = useState<string | null>(null);
  const column = (name: string) => table.columns.find((c) => c.name === name);
  return (
    <section class="memory-owners" aria-label="Who allocated">
      {failure !== null && <p class="notice failed">{failure}</p>}
      <Table
        source={table}
        label="Who allocated"
        hints={OWNERS}
        sort={PEAK_FIRST}
        group={["op", "file", "device"]}
        empty="Nobody allocated."
        onPick={(row) => {
          const events = column("event");
          const id = events ? numberAt(events, row) : Number.NaN;
          const ops = column("op");
          if (Number.isNaN(id)) return;
          setFailure(null);
          pickEvents(server, trace, { events: [idText(id)] }, (ops && textAt(ops, row)) || "allocation").then(
            () => {
              page.value = "timeline";
            },
            (reason: unknown) => setFailure(reason instanceof Error ? reason.message : String(reason)),
          );
        }}
      />
    </section>
  );
}

const PEAK_FIRST = { column: "peak_bytes", falling: true };
const OWNERS = [
  { name: "device" },
  { name: "op", title: "operator", width: 200 },
  { name: "file", width: 260 },
  { name: "line" },
  { name: "allocations" },
  { name: "allocated_bytes", title: "allocated", bar: true },
  { name: "largest_bytes", title: "largest" },
  { name: "kept_bytes", title: "kept", about: "Not freed by the end" },
  { name: "peak_bytes", title: "at the peak", about: "Live at the peak", bar: true },
  { name: "event" },
];

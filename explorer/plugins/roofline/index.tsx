// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What bounds the program and its parts. A point, its row and its runs on the timeline select each other.
import { useState } from "preact/hooks";
import { useAnswer } from "@/base/answer";
import type { PageProps } from "@/base/panel";
import { timeOfPs } from "@/base/units";
import { focus, page } from "@/base/view";
import type { Where } from "@/engine/api";
import type { Frame } from "@/engine/frame";
import { opened, tables } from "@/engine/opened";
import { pickEvents } from "@/engine/pick";
import { server } from "@/engine/server";
import { Plot } from "@/plugins/roofline/plot";
import { ceilingsOf, drawable, LEVELS, type Point, pointOfRun, pointsOf } from "@/plugins/roofline/points";
import { Table } from "@/widgets/table/table";
import { Wait } from "@/widgets/wait";
import "@/plugins/roofline/roofline.css";

export function RooflinePage({ trace }: PageProps) {
  const state = opened.info(trace).value?.trace.state;
  const answer = useAnswer(state === "ready" ? (stop) => tables.table(trace, "roofline", {}, stop) : null, [
    trace,
    state,
  ]);
  if (state !== "ready") return <p class="notice">The profile is still being read.</p>;
  return <Wait answer={answer}>{(frame) => <Roofline trace={trace} frame={frame} />}</Wait>;
}

// Runs of a point; null of the whole program.
function whereOf(point: Point): Where | null {
  if (point.level === "aten_node") return { aten_node: point.name, with_dmas: true };
  if (point.level === "module") return { module: point.name, with_dmas: true };
  // "vector tensor_copy"
  const [engine = "", ...opcode] = point.name.split(" ");
  if (point.level === "opcode") return { engine, opcode: opcode.join(" "), with_dmas: true };
  return null;
}

function Roofline({ trace, frame }: { trace: string; frame: Frame }) {
  const table = frame.table("points");
  const points = pointsOf(table);
  const ceilings = ceilingsOf(frame.table("ceilings"));
  const [level, setLevel] = useState("all");
  const [picked, setPicked] = useState<number | null>(null);
  const event = focus.value;
  const details = useAnswer(event === null ? null : (stop) => server.event(trace, event, stop), [trace, event]);
  const [failure, setFailure] = useState<string | null>(null);
  const levels = [...new Set(points.map((p) => p.level))];
  const shown = points.filter((p) => level === "all" || p.level === level || p.level.startsWith("program"));
  // What is in front on the timeline, unless the reader picked another point here.
  const chosen = picked ?? (details.value ? pointOfRun(points, details.value.args) : null)?.row ?? null;
  const front = points.find((p) => p.row === chosen) ?? points[0];
  const hidden = shown.filter((p) => !drawable(p)).length;
  const choose = (point: Point) => {
    setPicked(point.row);
    setFailure(null);
    const where = whereOf(point);
    if (!where) return;
    pickEvents(server, trace, { where }, point.name).catch((reason: unknown) =>
      setFailure(reason instanceof Error ? reason.message : String(reason)),
    );
  };
  return (
    <div class="roofline">
      <section class="roofline-top" aria-label="Roofline">
        <header class="roofline-head">
          <select
            class="field"
            aria-label="Which parts are drawn"
            value={level}
            onChange={(event) => setLevel(event.currentTarget.value)}
          >
            <option value="all">Program and all its parts</option>
            {levels
              .filter((l) => !l.startsWith("program"))
              .map((l) => (
                <option key={l} value={l}>
                  {LEVELS[l] ?? l}
                </option>
              ))}
          </select>
          {front && (
            <p class="roofline-words">
              <span class={`pill bound-${front.bound}`}>{front.bound}</span> <strong>{front.name}</strong>{" "}
              <span class="muted">{timeOfPs(front.time)}</span> {front.sentence}
            </p>
          )}
          <span class="spring" />
          {front && whereOf(front) && (
            <button
              type="button"
              class="button small"
              onClick={() => {
                page.value = "timeline";
              }}
            >
              Show on the timeline
            </button>
          )}
        </header>
        <Plot points={shown} ceilings={ceilings} chosen={chosen} onChoose={choose} />
        <p class="roofline-foot muted">
          A point is as large as its time. Where it touches a line, that ceiling bounds it; the distance is its
          headroom.
          {hidden > 0 && ` ${hidden} without FLOPs or without HBM traffic of their own stand in the table only.`}
        </p>
      </section>
      {failure !== null && (
        <p class="notice failed" role="alert">
          {failure}
        </p>
      )}
      <section class="roofline-table" aria-label="Points of the roofline">
        <Table
          source={table}
          label="Points of the roofline"
          hints={COLUMNS}
          sort={LONGEST}
          group={["level", "bound"]}
          empty="Nothing ran."
          marked={(row) => row === chosen}
          onPick={(row) => {
            const point = points[row];
            if (point) choose(point);
          }}
        />
      </section>
    </div>
  );
}

const LONGEST = { column: "time_ps", falling: true };
const COLUMNS = [
  { name: "level" },
  { name: "name", width: 220 },
  { name: "time_ps", title: "time", bar: true, sum: false },
  { name: "bound", about: "The ceiling that needs most time; `latency`: none explains it, the part waits" },
  { name: "headroom", about: "Its time over the time at that ceiling" },
  { name: "flop_per_byte", title: "FLOP/B", mixed: true },
  { name: "gflop_per_s", title: "GFLOP/s", width: 120, mixed: true },
  { name: "hbm_gb_per_s", title: "HBM GB/s", width: 120, mixed: true },
  { name: "compute_ps", title: "at compute", about: "Time at the compute ceiling", sum: false },
  { name: "memory_ps", title: "at HBM", about: "Time at the HBM ceiling", sum: false },
  { name: "dma_ps", title: "at DMA", about: "Time at the DMA ceiling", sum: false },
  { name: "overhead_ps", title: "overhead", sum: false },
  { name: "flops", title: "FLOPs", sum: false },
  { name: "hbm_bytes", title: "HBM bytes", sum: false },
  { name: "runs" },
  { name: "dtype" },
  { name: "sentence", title: "in words", width: 420 },
];

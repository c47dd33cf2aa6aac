// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the engines did, and how near the program came to what the chip can do, with and without the launch's overhead.
import { useAnswer } from "@/base/answer";
import type { PageProps } from "@/base/panel";
import { count, timeOfPs } from "@/base/units";
import type { DeviceInfo } from "@/engine/api";
import { opened, tables } from "@/engine/opened";
import { Engines } from "@/plugins/device_summary/engines";
import { Figures } from "@/plugins/device_summary/figures";
import { Table } from "@/widgets/table/table";
import { Wait } from "@/widgets/wait";
import "@/plugins/device_summary/device_summary.css";
import "@/widgets/css/cards.css";

export function DeviceSummaryPage({ trace }: PageProps) {
  const info = opened.info(trace).value;
  const ready = info?.trace.state === "ready";
  const answer = useAnswer(ready ? (stop) => tables.table(trace, "summary", {}, stop) : null, [trace, ready]);
  if (!info || !ready) return <p class="notice">The profile is still being read.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
    <div class="summary" role="region" aria-label="Summary of the device profile" tabIndex={0}>
      <div class="summary-inner">
        <header class="summary-head">
          <h2>{info.trace.name}</h2>
          <p class="muted">{info.trace.path}</p>
          {info.device && <About device={info.device} simulated={info.trace.simulated} />}
        </header>
        <Wait answer={answer}>
          {(frame) => (
            <div class="device-cards">
              <Figures table={frame.table("metrics")} />
              <Engines trace={trace} />
              <section class="card-box" aria-labelledby="device-metrics">
                <h3 id="device-metrics">All metrics</h3>
                <div class="device-metrics">
                  <Table
                    source={frame.table("metrics")}
                    label="Metrics"
                    hints={METRICS}
                    empty="There are no metrics."
                  />
                </div>
              </section>
            </div>
          )}
        </Wait>
      </div>
    </div>
  );
}

const METRICS = [
  { name: "metric", width: 220 },
  { name: "value", sum: false, mixed: true },
  {
    name: "with_overhead",
    title: "with overhead",
    about: "With the launch's overhead in the time",
    sum: false,
    mixed: true,
  },
  { name: "unit" },
  { name: "formula", width: 460 },
];

function About({ device, simulated }: { device: DeviceInfo; simulated: string | null }) {
  const overhead = device.exec_overhead_ns + device.device_capture_overhead_ns;
  return (
    <>
      <p class="device-about">
        {device.simulated && (
          <span class="pill accent" title="All times of this page come from a model">
            simulated · {simulated}
          </span>
        )}
        <span>
          {count(device.instructions)} runs of instructions, {count(device.dmas)} DMAs in{" "}
          {timeOfPs(device.last_ps - device.first_ps)} on {device.cores === 1 ? "core" : `${device.cores} cores from`}{" "}
          {device.first_core}
        </span>
        <span class="muted">{device.compiler}</span>
      </p>
      {overhead > 0 && device.simulated && (
        <p class="muted">
          Around the program the launch cost {timeOfPs(device.exec_overhead_ns * 1000)}
          {device.device_capture_overhead_ns > 0 &&
            `, and watching the device ${timeOfPs(device.device_capture_overhead_ns * 1000)} more`}
          ; that is not on this timeline.
        </p>
      )}
      {overhead > 0 && !device.simulated && (
        <p class="muted">
          The capture also shows {timeOfPs(overhead * 1000)} of the runtime's own work, before 0 and after the program;
          the tables leave it out.
        </p>
      )}
      {device.notes.map((note) => (
        <p key={note} class="device-note">
          {note}
        </p>
      ))}
    </>
  );
}

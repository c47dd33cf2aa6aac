// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The curve as a stepped line; a click leads to that moment of the timeline.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { effect } from "@preact/signals";
import { dark } from "@/base/theme";
import { bytes, time } from "@/base/units";
import type { Curve } from "@/plugins/memory/curve";

export function plotCurve(holder: HTMLElement, curve: Curve, onTime: (at: number) => void): () => void {
  let plot: uPlot | null = null;
  const make = () => {
    plot?.destroy();
    plot = new uPlot(options(holder, curve), dataOf(curve), holder);
    plot.over.addEventListener("dblclick", () => {
      const x = plot?.cursor.left ?? -1;
      if (plot && x >= 0) onTime(plot.posToVal(x, "x"));
    });
  };
  // Colours are read from the style sheet, so a change of theme draws anew.
  const stopTheme = effect(() => {
    void dark.value;
    requestAnimationFrame(make);
  });
  const observer = new ResizeObserver(() => plot?.setSize(sizeOf(holder)));
  observer.observe(holder);
  return () => {
    stopTheme();
    observer.disconnect();
    plot?.destroy();
    plot = null;
  };
}

function sizeOf(holder: HTMLElement) {
  return { width: Math.max(200, holder.clientWidth), height: Math.max(120, holder.clientHeight) };
}

function dataOf(curve: Curve): uPlot.AlignedData {
  return curve.mostReserved > 0 ? [curve.at, curve.allocated, curve.reserved] : [curve.at, curve.allocated];
}

function options(holder: HTMLElement, curve: Curve): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color("--muted"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { stroke: color("--line"), width: 1 },
    font: "11.5px Inter, system-ui, sans-serif",
  };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const line = (label: string, stroke: string, fill?: string): uPlot.Series => ({
    label,
    stroke,
    width: 1.5,
    points: { show: false },
    value: (_plot, value) => (value === null ? "–" : bytes(value)),
    ...(fill ? { fill } : {}),
    ...(stepped ? { paths: stepped } : {}),
  });
  return {
    ...sizeOf(holder),
    cursor: { drag: { x: true, y: false } },
    scales: { x: { time: false }, y: { range: (_plot, _least, most) => [0, most * 1.06 || 1] } },
    axes: [
      { ...axis, values: (_plot, ticks) => ticks.map((tick) => time(tick)) },
      { ...axis, size: 76, values: (_plot, ticks) => ticks.map((tick) => bytes(tick)), incrs: POWERS },
    ],
    series: [
      { label: "time", value: (_plot, value) => (value === null ? "–" : time(value)) },
      line("allocated", color("--accent"), color("--accent-soft")),
      ...(curve.mostReserved > 0 ? [line("reserved", color("--muted"))] : []),
    ],
  };
}

// Steps of the axis that are round in bytes.
const POWERS = Array.from({ length: 50 }, (_, i) => 2 ** i);

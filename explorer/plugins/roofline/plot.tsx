// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The roofline as a picture: intensity against rate, both by powers of ten, ceilings as lines, points as large as their time.
import { useEffect, useRef, useState } from "preact/hooks";
import { decimal, timeOfPs } from "@/base/units";
import {
  type Axis,
  along,
  axesOf,
  baselines,
  type Ceiling,
  drawable,
  type Point,
  radiusOf,
} from "@/plugins/roofline/points";

interface PlotProps {
  points: readonly Point[];
  ceilings: readonly Ceiling[];
  chosen: number | null;
  onChoose(point: Point): void;
}

const MARGIN = { left: 66, right: 20, top: 14, bottom: 44 };
const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export function Plot({ points, ceilings, chosen, onChoose }: PlotProps) {
  const holder = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 800, height: 420 });
  const [over, setOver] = useState<Point | null>(null);
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const measure = () =>
      setSize({ width: Math.max(320, element.clientWidth), height: Math.max(220, element.clientHeight) });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  const axes = axesOf(points, ceilings);
  const wide = size.width - MARGIN.left - MARGIN.right;
  const high = size.height - MARGIN.top - MARGIN.bottom;
  const x = (value: number) => MARGIN.left + along(axes.x, value) * wide;
  const y = (value: number) => MARGIN.top + (1 - along(axes.y, value)) * high;
  const longest = Math.max(0, ...points.map((p) => p.time));
  // The small ones last, so that no large one hides them.
  const drawn = points.filter(drawable).sort((a, b) => b.time - a.time);
  const front = over ?? drawn.find((p) => p.row === chosen) ?? null;
  return (
    <div class="roofline-plot" ref={holder}>
      <svg width={size.width} height={size.height} role="group" aria-label="Roofline: FLOP per byte against GFLOP/s">
        <clipPath id="roofline-clip">
          <rect x={MARGIN.left} y={MARGIN.top} width={wide} height={high} />
        </clipPath>
        <Grid axis={axes.x} at={x} from={MARGIN.top} to={MARGIN.top + high} vertical />
        <Grid axis={axes.y} at={y} from={MARGIN.left} to={MARGIN.left + wide} />
        <text class="roofline-title" x={MARGIN.left + wide / 2} y={size.height - 8} text-anchor="middle">
          FLOP per byte of HBM
        </text>
        <text
          class="roofline-title"
          transform={`translate(14 ${MARGIN.top + high / 2}) rotate(-90)`}
          text-anchor="middle"
        >
          GFLOP/s
        </text>
        <g clip-path="url(#roofline-clip)">
          <Lines ceilings={ceilings} axes={axes} x={x} y={y} />
        </g>
        {drawn.map((point) => (
          <circle
            key={point.row}
            class={`roofline-point bound-${point.bound}`}
            cx={x(point.intensity)}
            cy={y(point.rate)}
            r={radiusOf(point, longest)}
            role="button"
            tabIndex={0}
            aria-pressed={point.row === chosen}
            aria-label={`${point.name}: ${point.sentence}`}
            onPointerEnter={() => setOver(point)}
            onPointerLeave={() => setOver(null)}
            onFocus={() => setOver(point)}
            onBlur={() => setOver(null)}
            onClick={() => onChoose(point)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== " ") return;
              event.preventDefault();
              onChoose(point);
            }}
          />
        ))}
      </svg>
      {front && <Card point={front} x={x(front.intensity)} y={y(front.rate)} width={size.width} />}
    </div>
  );
}

function Card({ point, x, y, width }: { point: Point; x: number; y: number; width: number }) {
  const left = x > width / 2;
  return (
    <div
      class="roofline-card"
      style={{
        top: `${Math.max(4, y - 20)}px`,
        ...(left ? { right: `${width - x + 26}px` } : { left: `${x + 26}px` }),
      }}
    >
      <strong>{point.name}</strong>
      <span class="muted">
        {timeOfPs(point.time)} · {decimal(point.intensity, 3)} FLOP/B · {decimal(point.rate, 1)} GFLOP/s
      </span>
      <span>{point.sentence}</span>
    </div>
  );
}

interface GridProps {
  axis: Axis;
  at(value: number): number;
  from: number;
  to: number;
  vertical?: boolean;
}

function Grid({ axis, at, from, to, vertical = false }: GridProps) {
  const powers = Array.from({ length: axis.high - axis.low + 1 }, (_, i) => axis.low + i);
  // So many decades that their texts would touch are labelled every second time.
  const every = powers.length > 9 ? 2 : 1;
  return (
    <g>
      {powers.map((power, i) => {
        const place = at(10 ** power);
        return (
          <g key={power}>
            {vertical ? (
              <line class="roofline-grid" x1={place} x2={place} y1={from} y2={to} />
            ) : (
              <line class="roofline-grid" x1={from} x2={to} y1={place} y2={place} />
            )}
            {i % every === 0 && (
              <text
                class="roofline-tick"
                x={vertical ? place : from - 8}
                y={vertical ? to + 16 : place + 4}
                text-anchor={vertical ? "middle" : "end"}
              >
                {powerText(power)}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

function powerText(power: number): string {
  if (power >= 0 && power <= 3) return decimal(10 ** power);
  if (power < 0 && power >= -3) return decimal(10 ** power, -power);
  const digits = [...String(Math.abs(power))].map((digit) => SUPERSCRIPT[Number(digit)]).join("");
  return `10${power < 0 ? "⁻" : ""}${digits}`;
}

interface LinesProps {
  ceilings: readonly Ceiling[];
  axes: { x: Axis; y: Axis };
  x(value: number): number;
  y(value: number): number;
}

// A memory ceiling rises with the intensity until the highest compute ceiling cuts it; that one begins where the fastest memory meets it.
function Lines({ ceilings, axes, x, y }: LinesProps) {
  const compute = ceilings.filter((c) => c.kind === "compute");
  const memory = ceilings.filter((c) => c.kind === "memory").sort((a, b) => b.value - a.value);
  const top = Math.max(...compute.map((c) => c.value));
  const fastest = memory[0]?.value ?? 1;
  const left = 10 ** axes.x.low;
  const right = 10 ** axes.x.high;
  const names = baselines(compute.map((c) => y(c.value)));
  return (
    <>
      {compute.map((ceiling, i) => (
        <g key={ceiling.name}>
          <title>{`${nameOf(ceiling)}. ${ceiling.source}`}</title>
          <line
            class={kindOf(ceiling)}
            x1={x(Math.max(left, ceiling.value / fastest))}
            x2={x(right)}
            y1={y(ceiling.value)}
            y2={y(ceiling.value)}
          />
          {names[i] !== null && (
            <text class="roofline-name" x={x(right) - 6} y={names[i] ?? 0} text-anchor="end">
              {nameOf(ceiling)}
            </text>
          )}
        </g>
      ))}
      {memory.map((ceiling, i) => {
        const from = Math.max(left, 10 ** axes.y.low / ceiling.value);
        const to = Math.min(right, top / ceiling.value);
        const [x0, x1, y0, y1] = [x(from), x(to), y(ceiling.value * from), y(ceiling.value * to)];
        // One name after the other along the slope: the lines lie too near to each other for names above each other.
        const share = Math.min(0.8, (20 + 170 * i) / Math.max(1, x1 - x0));
        const angle = (Math.atan2(y1 - y0, x1 - x0) * 180) / Math.PI;
        return (
          <g key={ceiling.name}>
            <title>{`${nameOf(ceiling)}. ${ceiling.source}`}</title>
            <line class={kindOf(ceiling)} x1={x0} x2={x1} y1={y0} y2={y1} />
            <text
              class="roofline-name"
              transform={`translate(${x0 + share * (x1 - x0)} ${y0 + share * (y1 - y0)}) rotate(${angle})`}
              dy={i === memory.length - 1 && i > 0 ? 14 : -5}
            >
              {nameOf(ceiling)}
            </text>
          </g>
        );
      })}
    </>
  );
}

function kindOf(ceiling: Ceiling): string {
  return ceiling.strong ? "roofline-line strong" : "roofline-line";
}

function nameOf(ceiling: Ceiling): string {
  return `${ceiling.name}: ${decimal(ceiling.value, ceiling.value < 100 ? 1 : 0)} G${ceiling.unit}`;
}

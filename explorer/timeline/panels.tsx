// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Small panels over the lanes: hover card, statistics of a range, markers, legend, list of lanes.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { causes } from "@/base/causes";
import { formatDuration, formatExact, formatOffset, grouped } from "@/base/time";
import { isHidden, NOTHING_ARRANGED, toggled } from "./arrangement";
import { KIND_TEXT, kindColor, kindsOf } from "./arrows";
import { BAND_COLOR } from "./bands";
import type { TimelineCore } from "./core";
import type { Hover } from "./hover";
import { Icon } from "./icons";
import { laneKey } from "./layout";
import { differences, markersText, readMarkers } from "./markers";
import type { Measure } from "./measure";
import type { SmallDmaBands } from "./small_dmas";

export function HoverCard({ hover, core }: { hover: Hover; core: TimelineCore }) {
  const card = hover.card.value;
  if (!card) return null;
  const { width, height } = core.size.value;
  const left = card.x > width - 380;
  const up = card.y > height - 170;
  const style = {
    [left ? "right" : "left"]: `${left ? width - card.x + 14 : card.x + 14}px`,
    [up ? "bottom" : "top"]: `${up ? height - card.y + 14 : card.y + 18}px`,
  };
  return (
    <div class="tl-card" style={style} aria-hidden="true">
      <div class="tl-card-title">
        <i style={{ background: card.color }} />
        <span>{card.title}</span>
      </div>
      <dl>
        {card.lines.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

export function StatisticsPanel({ core, measure, zoom }: { core: TimelineCore; measure: Measure; zoom(): void }) {
  const shown = measure.statistics.value;
  if (!shown) return null;
  const { span, numbers, byName, lanes } = shown;
  const length = span.to - span.from;
  return (
    <Panel
      title={core.signals.range.value ? "Measured range" : "Box"}
      place="tl-bottom"
      onClose={() => measure.clear()}
    >
      <div class="tl-big">{formatDuration(length, 6)}</div>
      <div class="tl-fine">
        {formatExact(length)} · from {formatOffset(span.from, Math.max(1, length / 1e4))}
      </div>
      <fieldset class="tl-scope">
        <legend class="tl-hidden">Counted over</legend>
        {(core.info?.trace.kind === "device" ? DEVICE_SCOPES : SCOPES).map(([scope, text]) => (
          <button
            key={scope}
            type="button"
            class="tl-tool"
            aria-pressed={measure.scope.value === scope}
            onClick={() => {
              measure.scope.value = scope;
            }}
          >
            {text}
          </button>
        ))}
      </fieldset>
      <dl class="tl-numbers" aria-busy={numbers === null}>
        <div>
          <dt>
            events in {lanes} {lanes === 1 ? "lane" : "lanes"}
          </dt>
          <dd>{numbers ? grouped(numbers.total) : "…"}</dd>
        </div>
        <div>
          <dt>sum of their durations</dt>
          <dd>{numbers ? formatDuration(numbers.sum_ns, 5) : "…"}</dd>
        </div>
        <div>
          <dt>time that they cover</dt>
          <dd>{numbers ? covered(numbers.union_ns, length) : "…"}</dd>
        </div>
      </dl>
      {byName.length > 0 && (
        <table class="tl-table">
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col">count</th>
              <th scope="col">sum</th>
            </tr>
          </thead>
          <tbody>
            {byName.slice(0, 8).map((row) => (
              <tr key={row.name}>
                <td title={row.name}>{row.name}</td>
                <td>{grouped(row.count)}</td>
                <td>{formatDuration(row.sum_ns)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div class="tl-actions">
        <button type="button" class="tl-tool" onClick={zoom}>
          Zoom to it (F)
        </button>
        <button
          type="button"
          class="tl-tool"
          onClick={() => core.signals.selection.value.token === 0 && measure.clear()}
        >
          Clear (Esc)
        </button>
      </div>
    </Panel>
  );
}

const SCOPES: [Measure["scope"]["value"], string][] = [
  ["all", "All"],
  ["framework", "Framework"],
  ["runtime", "Runtime"],
  ["hardware", "Hardware"],
];

const DEVICE_SCOPES: typeof SCOPES = [
  ["all", "All"],
  ["engines", "Engines"],
  ["dma", "DMA"],
];

// Events count whole, also what of them lies outside of the range.
function covered(ns: number, length: number): string {
  return `${formatDuration(ns, 5)}${ns <= length ? ` (${((100 * ns) / length).toFixed(1)} %)` : ""}`;
}

interface MarkersProps {
  core: TimelineCore;
  editing: { value: number | null };
  onClose(): void;
}

export function MarkersPanel({ core, editing, onClose }: MarkersProps) {
  const said = useSignal("");
  const file = useRef<HTMLInputElement>(null);
  const note = useRef<HTMLInputElement>(null);
  const markers = core.markers.value;
  const between = differences(markers);
  useEffect(() => note.current?.focus(), [editing.value]);

  const save = () => {
    const text = markersText(core.session.id, core.info?.origin ?? "0", markers);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "markers.json";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const load = async (chosen: File | undefined) => {
    if (!chosen) return;
    const read = readMarkers(await chosen.text(), core.info?.origin ?? "0");
    if ("error" in read) said.value = read.error;
    else {
      core.markers.value = read.markers;
      said.value = `${read.markers.length} markers read.`;
    }
  };
  return (
    <Panel title="Markers" place="tl-top" onClose={onClose}>
      {markers.length === 0 && <p class="tl-fine">M sets a marker at the pointer.</p>}
      {markers.length > 0 && (
        <table class="tl-table tl-markers">
          <thead>
            <tr>
              <th scope="col">at</th>
              <th scope="col">from the last</th>
              <th scope="col">note</th>
              <th scope="col">
                <span class="tl-hidden">remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {markers.map((marker, i) => (
              <tr key={`${marker.at} ${i}`}>
                <td>
                  <button type="button" class="tl-link" onClick={() => core.showSpan(marker.at, marker.at)}>
                    {formatOffset(marker.at, 1000)}
                  </button>
                </td>
                <td>{between[i] === null ? "" : `+${formatDuration(between[i] ?? 0)}`}</td>
                <td>
                  <input
                    ref={editing.value === i ? note : null}
                    type="text"
                    value={marker.note}
                    placeholder="note"
                    aria-label={`Note of marker ${i + 1}`}
                    onInput={(event) => {
                      const text = event.currentTarget.value;
                      core.markers.value = core.markers.peek().map((m, k) => (k === i ? { ...m, note: text } : m));
                    }}
                    onKeyDown={(event) => {
                      if (event.key !== "Enter" && event.key !== "Escape") return;
                      editing.value = null;
                      core.elements.stage.focus({ preventScroll: true });
                      event.stopPropagation();
                    }}
                  />
                </td>
                <td>
                  <button
                    type="button"
                    class="tl-fold"
                    aria-label={`Remove marker ${i + 1}`}
                    onClick={() => {
                      core.markers.value = core.markers.peek().filter((_, k) => k !== i);
                    }}
                  >
                    <Icon name="close" />
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div class="tl-actions">
        <button type="button" class="tl-tool" onClick={save} disabled={markers.length === 0}>
          <Icon name="save" />
          Save
        </button>
        <button type="button" class="tl-tool" onClick={() => file.current?.click()}>
          <Icon name="load" />
          Load
        </button>
        <input
          ref={file}
          type="file"
          accept=".json,application/json"
          class="tl-hidden"
          aria-label="File of markers"
          tabIndex={-1}
          onChange={(event) => {
            void load(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
        <span role="status" class="tl-fine">
          {said.value}
        </span>
      </div>
    </Panel>
  );
}

interface LegendProps {
  core: TimelineCore;
  smallDmas: SmallDmaBands;
  onClose(): void;
}

export function LegendPanel({ core, smallDmas, onClose }: LegendProps) {
  const theme = core.theme.value;
  const used = new Set(core.info?.names ?? []);
  const present = causes.filter((cause) => used.has(cause.id));
  return (
    <Panel title="Legend" place="tl-top" onClose={onClose}>
      <ul class="tl-legend">
        <li>
          <i class="tl-density" />
          the fuller a colour, the busier its pixel; nothing is too small to be seen
        </li>
        <li>
          <i class="tl-hatched" />
          overhead inside an execution on the device
        </li>
        {smallDmas.told.value && smallDmas.any && (
          <li>
            <i style={{ background: BAND_COLOR(theme) }} />
            DMAs one after the other with descriptors below {grouped(smallDmas.told.value.below_bytes)} B, where their
            fixed cost shows (Y: on or off)
          </li>
        )}
        {present.length > 0 && <li class="tl-legend-title">Gaps: why a device is idle</li>}
        {present.map((cause) => (
          <li key={cause.id}>
            <i style={{ background: cause.color }} />
            <b>{cause.title}</b> {cause.about}
          </li>
        ))}
        <li class="tl-legend-title">Arrows</li>
        {kindsOf(core.info?.trace.kind ?? "session").map((kind) => (
          <li key={kind}>
            <i class="tl-line" style={{ background: kindColor(kind, theme) }} />
            {KIND_TEXT[kind]}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function LanesPanel({ core, onClose }: { core: TimelineCore; onClose(): void }) {
  const wanted = useSignal("");
  const hidden = new Set(core.arrangement.value.hidden);
  const text = wanted.value.toLowerCase();
  const lanes = core.session.lanes.value.filter((lane) =>
    `${lane.group} ${lane.title} ${lane.subtitle}`.toLowerCase().includes(text),
  );
  const set = (keys: string[], hide: boolean) => {
    const arranged = core.arrangement.peek();
    const turned = lanes.filter((lane) => keys.includes(laneKey(lane)) && (lane.hidden ?? false) !== hide).map(laneKey);
    const rest = arranged.hidden.filter((k) => !keys.includes(k));
    core.arrangement.value = { ...arranged, hidden: [...rest, ...turned] };
  };
  const all = lanes.map(laneKey);
  return (
    <Panel title="Lanes" place="tl-top" onClose={onClose}>
      <input
        type="text"
        class="tl-input"
        placeholder="Find a lane"
        aria-label="Find a lane"
        value={wanted.value}
        onInput={(event) => {
          wanted.value = event.currentTarget.value;
        }}
      />
      <div class="tl-scroll">
        {lanes.slice(0, 500).map((lane) => {
          const key = laneKey(lane);
          return (
            <label key={lane.id} class="tl-check">
              <input
                type="checkbox"
                checked={!isHidden(lane, key, hidden)}
                onChange={() => {
                  const arranged = core.arrangement.peek();
                  core.arrangement.value = { ...arranged, hidden: toggled(arranged.hidden, key) };
                }}
              />
              <span>{lane.title}</span>
              <span class="tl-fine">{lane.subtitle || lane.group}</span>
            </label>
          );
        })}
      </div>
      <div class="tl-actions">
        <button type="button" class="tl-tool" onClick={() => set(all, false)}>
          Show {text ? "these" : "all"}
        </button>
        <button type="button" class="tl-tool" onClick={() => set(all, true)}>
          Hide {text ? "these" : "all"}
        </button>
        <button
          type="button"
          class="tl-tool"
          onClick={() => {
            core.arrangement.value = NOTHING_ARRANGED;
          }}
        >
          As it was
        </button>
      </div>
    </Panel>
  );
}

interface PanelProps {
  title: string;
  place: string;
  onClose(): void;
  children: ComponentChildren;
}

function Panel({ title, place, onClose, children }: PanelProps) {
  return (
    <section class={`tl-panel ${place}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="tl-fold" aria-label={`Close ${title}`} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </section>
  );
}

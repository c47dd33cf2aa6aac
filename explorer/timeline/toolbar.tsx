// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The row of buttons above the lanes. Each button names its key; the filter steps back what does not match.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { formatDuration } from "@/base/time";
import { isHidden } from "./arrangement";
import type { TimelineCore } from "./core";
import type { Events } from "./events";
import { Icon, type IconName } from "./icons";
import type { Keyboard } from "./keyboard";
import { type Action, KEYS } from "./keys";
import { laneKey } from "./layout";
import type { SmallDmaBands } from "./small_dmas";

export interface Open {
  markers: Signal<boolean>;
  legend: Signal<boolean>;
  lanes: Signal<boolean>;
}

interface Props {
  core: TimelineCore;
  events: Events;
  keyboard: Keyboard;
  smallDmas: SmallDmaBands;
  open: Open;
}

export function Toolbar({ core, events, keyboard, smallDmas, open }: Props) {
  const press = (action: Action) => () => keyboard.act(action);
  const turned = new Set(core.arrangement.value.hidden);
  const hidden = core.session.lanes.value.filter((lane) => isHidden(lane, laneKey(lane), turned)).length;
  const filter = core.filter.value;
  return (
    <div class="tl-toolbar" role="group" aria-label="Tools of the timeline">
      <div class="tl-tool-group">
        <Tool icon="fit" action="fit" onClick={press("fit")} />
        <Tool icon="minus" action="zoomOut" onClick={press("zoomOut")} />
        <Tool icon="plus" action="zoomIn" onClick={press("zoomIn")} />
        <Tool icon="undo" action="undo" onClick={press("undo")} />
        <Tool icon="redo" action="redo" onClick={press("redo")} />
      </div>
      <div class="tl-filter">
        <Icon name="filter" />
        <input
          type="text"
          placeholder="Filter events"
          aria-label="Show only events whose name contains"
          spellcheck={false}
          value={filter.name ?? ""}
          onInput={(event) => {
            const { name: _old, ...rest } = core.filter.peek();
            const name = event.currentTarget.value;
            core.filter.value = name ? { ...rest, name } : rest;
          }}
        />
        <select
          aria-label="Shortest duration"
          value={String(filter.min_ns ?? 0)}
          onChange={(event) => {
            const { min_ns: _old, ...rest } = core.filter.peek();
            const least = Number(event.currentTarget.value);
            core.filter.value = least ? { ...rest, min_ns: least } : rest;
          }}
        >
          <option value="0">any length</option>
          {[1e3, 1e4, 1e5, 1e6, 1e7, 1e8].map((ns) => (
            <option key={ns} value={String(ns)}>
              ≥ {formatDuration(ns, 1)}
            </option>
          ))}
        </select>
      </div>
      <span class="tl-space" />
      <div class="tl-tool-group">
        <Tool icon="box" action="boxSelect" pressed={core.boxMode.value} onClick={press("boxSelect")}>
          Box
        </Tool>
        <Tool icon="arrows" action="arrows" pressed={events.allArrows.value} onClick={press("arrows")}>
          {events.arrowsText.value || "Arrows"}
        </Tool>
        {smallDmas.any && (
          <Tool icon="bands" action="smallDmas" pressed={smallDmas.shown.value} onClick={press("smallDmas")}>
            Small DMAs
          </Tool>
        )}
        <Tool icon="marker" action="markers" pressed={open.markers.value} onClick={press("markers")}>
          Markers{core.markers.value.length > 0 ? ` ${core.markers.value.length}` : ""}
        </Tool>
        <button
          type="button"
          class="tl-tool"
          aria-pressed={open.lanes.value}
          title="Which lanes are shown"
          onClick={() => {
            open.lanes.value = !open.lanes.value;
          }}
        >
          <Icon name="lanes" />
          Lanes{hidden > 0 ? ` −${hidden}` : ""}
        </button>
        <button
          type="button"
          class="tl-tool"
          aria-pressed={open.legend.value}
          title="Colours and signs"
          onClick={() => {
            open.legend.value = !open.legend.value;
          }}
        >
          <Icon name="legend" />
          Legend
        </button>
      </div>
    </div>
  );
}

interface ToolProps {
  icon: IconName;
  action: Action;
  pressed?: boolean;
  onClick(): void;
  children?: ComponentChildren;
}

function Tool({ icon, action, pressed, onClick, children }: ToolProps) {
  const key = KEYS.find((k) => k.action === action);
  const text = key ? `${key.text} (${key.keys[0]})` : "";
  return (
    <button
      type="button"
      class="tl-tool"
      title={text}
      aria-label={children ? undefined : key?.text}
      aria-pressed={pressed}
      onClick={onClick}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}

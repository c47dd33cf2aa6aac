// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The lanes' titles, which are also the grid that stands for the picture: a row for each lane, its events as cells that are
// fetched as one walks. Arrow keys walk; Enter folds; P pins, H hides, T heightens, Alt with arrows moves a lane. One stop of the Tab key.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatDuration } from "@/base/time";
import type { TraceEvent } from "@/engine/api";
import { moved, toggled, withOrder } from "./arrangement";
import type { TimelineCore } from "./core";
import type { Events } from "./events";
import { Icon } from "./icons";
import type { Strip } from "./layout";

interface Props {
  core: TimelineCore;
  events: Events;
}

// Events of the active row that have been walked over; so many are kept as cells.
const MOST_CELLS = 40;

export function LaneGrid({ core, events, scrolledRef }: Props & { scrolledRef: Ref }) {
  const active = useSignal({ key: "", column: 0 });
  const cells = useSignal<{ key: string; events: TraceEvent[] }>({ key: "", events: [] });
  const drop = useSignal<{ key: string; behind: boolean } | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  const takeFocus = useRef(false);

  const made = core.layout.value;
  const window = core.headerWindow.value;
  const rows = [...made.pinned, ...made.strips];
  const shown = made.strips.filter((s) => s.top + s.height > window.from && s.top < window.to);
  const activeKey = rows.some((s) => s.key === active.value.key) ? active.value.key : (rows[0]?.key ?? "");
  // Read for its changes: pinned lanes take at most half of it.
  void core.size.value;
  const { pinnedHeight } = core;

  // Focus follows the active cell once its row is in the DOM.
  useLayoutEffect(() => {
    if (!takeFocus.current || !grid.current) return;
    const cell = grid.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (!cell) return;
    takeFocus.current = false;
    cell.focus({ preventScroll: true });
  });

  // Keys of the timeline ({, }, [, ], J, K) lead to other events: the cell in hand becomes that event.
  useSignalEffect(() => {
    const event = events.event.value;
    if (!event || active.peek().column === 0 || !grid.current?.contains(document.activeElement)) return;
    if (cells.peek().events.some((e) => e.id === event.id)) return;
    const strip = core.layout.peek().where.get(event.lane);
    if (strip?.kind !== "lane") return;
    cells.value = { key: strip.key, events: [event] };
    takeFocus.current = true;
    active.value = { key: strip.key, column: 1 };
  });

  const go = (key: string, column: number) => {
    takeFocus.current = true;
    active.value = { key, column };
    const strip = rows.find((s) => s.key === key);
    if (!strip || strip.pinned) return;
    const room = core.height - core.pinnedHeight;
    if (strip.top < core.scroll) core.scrollTo(strip.top);
    else if (strip.top + Math.min(strip.height, room) > core.scroll + room) {
      core.scrollTo(strip.top + Math.min(strip.height, room) - room);
    }
  };

  const arrange = actionsOf(core);

  const walk = async (strip: Strip, dir: "next" | "previous") => {
    if (strip.lane?.kind !== "slices") return;
    const { lane } = strip;
    const of = cells.value.key === strip.key ? cells.value.events : [];
    const column = active.value.column;
    const target = column + (dir === "next" ? 1 : -1);
    const known = of[target - 1];
    if (dir === "previous" && target === 0 && of.length === 0) return;
    if (known) {
      go(strip.key, target);
      events.choose(known, { show: true });
      return;
    }
    const from = of[column - 1] ?? null;
    const event = await events.stepIn(
      { lane: lane.id, row: from?.row ?? 0, at: from?.start_ns ?? core.view.from },
      of.length === 0 ? "next" : dir,
    );
    if (event === undefined) return;
    if (event === null && dir === "previous") go(strip.key, 0);
    if (!event) {
      events.spoken.value = dir === "next" ? "No later event in this row." : "No earlier event in this row.";
      return;
    }
    const next =
      dir === "next" || of.length === 0 ? [...of, event].slice(-MOST_CELLS) : [event, ...of].slice(0, MOST_CELLS);
    cells.value = { key: strip.key, events: next };
    go(strip.key, next.indexOf(event) + 1);
    events.choose(event, { show: true });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const index = rows.findIndex((s) => s.key === activeKey);
    const strip = rows[index];
    if (!strip || event.ctrlKey || event.metaKey) return;
    const { key } = event;
    let used = true;
    if (event.altKey) {
      if (key === "ArrowUp" || key === "ArrowDown") arrange.move(strip, key === "ArrowUp" ? -1 : 1);
      else used = false;
    } else if (key === "ArrowDown" || key === "ArrowUp") {
      const next = rows[index + (key === "ArrowDown" ? 1 : -1)];
      if (next) go(next.key, 0);
    } else if (key === "PageDown" || key === "PageUp") {
      const next = rows[Math.min(rows.length - 1, Math.max(0, index + (key === "PageDown" ? 10 : -10)))];
      if (next) go(next.key, 0);
    } else if (key === "ArrowRight") void walk(strip, "next");
    else if (key === "ArrowLeft") void walk(strip, "previous");
    else if (key === "Enter" || key === " ") {
      if (active.value.column === 0) arrange.fold(strip);
      else events.zoomTo();
    } else if (key === "p" || key === "P") arrange.pin(strip);
    else if (key === "h" || key === "H") {
      const next = rows[index + 1] ?? rows[index - 1];
      if (next) active.value = { key: next.key, column: 0 };
      arrange.hide(strip);
    } else if (key === "t" || key === "T") arrange.heighten(strip);
    else used = false;
    if (!used) return;
    // Whatever moved, the row in hand keeps the focus.
    takeFocus.current = true;
    event.preventDefault();
    event.stopPropagation();
  };

  const row = (strip: Strip) => (
    <HeaderRow
      key={strip.key}
      strip={strip}
      index={rows.indexOf(strip)}
      active={strip.key === activeKey}
      column={active.value.key === strip.key ? active.value.column : 0}
      cells={cells.value.key === strip.key ? cells.value.events : []}
      arrange={arrange}
      drop={drop.value?.key === strip.key ? drop.value : null}
      onActive={(column) => {
        active.value = { key: strip.key, column };
      }}
      onDrag={(at) => {
        drop.value = at;
      }}
    />
  );

  return (
    <div
      ref={grid}
      role="grid"
      class="tl-grid"
      aria-label="Lanes and their events"
      aria-rowcount={rows.length}
      aria-colcount={-1}
      onKeyDown={onKeyDown}
    >
      <div ref={scrolledRef} class="tl-heads" role="rowgroup" style={{ top: `${pinnedHeight}px` }}>
        {shown.map(row)}
      </div>
      <div class="tl-heads tl-heads-pinned" role="rowgroup" style={{ height: `${pinnedHeight}px` }}>
        {made.pinned.map(row)}
      </div>
    </div>
  );
}

type Ref = { current: HTMLDivElement | null };

interface Arrange {
  fold(strip: Strip): void;
  heighten(strip: Strip): void;
  pin(strip: Strip): void;
  hide(strip: Strip): void;
  move(strip: Strip, by: 1 | -1): void;
  moveTo(strip: Strip, target: string, behind: boolean): void;
}

function actionsOf(core: TimelineCore): Arrange {
  const change = (next: Partial<TimelineCore["arrangement"]["value"]>) => {
    core.arrangement.value = { ...core.arrangement.peek(), ...next };
  };
  const siblings = (strip: Strip) => {
    const made = core.layout.peek();
    return [...made.pinned, ...made.strips]
      .filter((s) => s.kind === "lane" && s.parent === strip.parent)
      .map((s) => s.key);
  };
  const reorder = (strip: Strip, keys: string[]) => {
    const arranged = core.arrangement.peek();
    change(strip.pinned ? { pinned: keys } : { order: withOrder(arranged.order, keys) });
  };
  const arrange: Arrange = {
    fold: (strip) => change({ collapsed: toggled(core.arrangement.peek().collapsed, strip.key) }),
    heighten: (strip) => {
      if (strip.deep) change({ tall: toggled(core.arrangement.peek().tall, strip.key) });
    },
    pin: (strip) => {
      if (strip.kind === "lane") change({ pinned: toggled(core.arrangement.peek().pinned, strip.key) });
    },
    hide: (strip) => {
      if (strip.kind === "lane") change({ hidden: toggled(core.arrangement.peek().hidden, strip.key) });
    },
    move: (strip, by) => {
      if (strip.kind !== "lane") return;
      const keys = siblings(strip);
      const target = keys[keys.indexOf(strip.key) + by];
      if (target) arrange.moveTo(strip, target, by > 0);
    },
    moveTo: (strip, target, behind) => reorder(strip, moved(siblings(strip), strip.key, target, behind)),
  };
  return arrange;
}

interface RowProps {
  strip: Strip;
  index: number;
  active: boolean;
  column: number;
  cells: TraceEvent[];
  arrange: Arrange;
  drop: { behind: boolean } | null;
  onActive(column: number): void;
  onDrag(at: { key: string; behind: boolean } | null): void;
}

function HeaderRow({ strip, index, active, column, cells, arrange, drop, onActive, onDrag }: RowProps) {
  const { lane } = strip;
  const style = { top: `${strip.top}px`, height: `${strip.height}px` };
  const kind = strip.kind === "lane" ? `tl-lane tl-${lane?.group}` : `tl-${strip.kind}`;
  const dropped = drop ? (drop.behind ? " tl-drop-behind" : " tl-drop-before") : "";
  const foldable = strip.kind !== "lane" || (lane?.rows ?? 1) > 1 || strip.collapsed || lane?.kind === "counter";
  const events = lane ? `${lane.events.toLocaleString("en-US")} events` : "";
  const busy = lane && lane.sum_ns > 0 ? `, ${formatDuration(lane.sum_ns)} in all` : "";
  const overlap = lane && lane.overlap_rows > 0 ? `, ${lane.overlap_rows} rows hold what overlaps` : "";
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      class={`tl-head ${kind}${strip.pinned ? " tl-pinned" : ""}${dropped}`}
      style={style}
      data-key={strip.key}
    >
      <div
        role="rowheader"
        class="tl-title"
        tabIndex={active && column === 0 ? 0 : -1}
        aria-expanded={foldable ? !strip.collapsed : undefined}
        aria-label={`${strip.title}${strip.subtitle ? `, ${strip.subtitle}` : ""}${events ? `, ${events}` : ""}${busy}${overlap}${strip.pinned ? ", pinned" : ""}`}
        title={lane ? `${strip.title}\n${strip.subtitle}\n${events}${busy}${overlap}` : undefined}
        onFocus={() => onActive(0)}
        onDblClick={() => arrange.heighten(strip)}
        onPointerDown={(event) => strip.kind === "lane" && startDrag(event, strip, arrange, onDrag)}
      >
        {foldable ? (
          <button
            type="button"
            class="tl-fold"
            tabIndex={-1}
            aria-label={`${strip.collapsed ? "Open" : "Close"} ${strip.title}`}
            onClick={(event) => {
              event.stopPropagation();
              arrange.fold(strip);
            }}
          >
            <Icon name={strip.collapsed ? "closed" : "open"} />
          </button>
        ) : (
          <span class="tl-fold" />
        )}
        <span class="tl-name">{strip.title}</span>
        <span class="tl-sub">{strip.subtitle}</span>
      </div>
      {strip.kind === "lane" && (
        <div role="gridcell" class="tl-tools">
          <button
            type="button"
            tabIndex={-1}
            title={strip.pinned ? "Unpin (P)" : "Pin (P)"}
            aria-label={`${strip.pinned ? "Unpin" : "Pin"} ${strip.title}`}
            aria-pressed={strip.pinned}
            onClick={() => arrange.pin(strip)}
          >
            <Icon name="pin" />
          </button>
          {strip.deep && (
            <button
              type="button"
              tabIndex={-1}
              title="Rows high enough for names (T)"
              aria-label={`Taller rows in ${strip.title}`}
              onClick={() => arrange.heighten(strip)}
            >
              <Icon name="tall" />
            </button>
          )}
          <button
            type="button"
            tabIndex={-1}
            title="Hide (H)"
            aria-label={`Hide ${strip.title}`}
            onClick={() => arrange.hide(strip)}
          >
            <Icon name="hide" />
          </button>
        </div>
      )}
      {cells.map((event, i) => (
        <div
          key={event.id}
          role="gridcell"
          class="tl-cell"
          aria-colindex={i + 3}
          tabIndex={active && column === i + 1 ? 0 : -1}
          onFocus={() => onActive(i + 1)}
        >
          {event.name}, {formatDuration(event.dur_ns)}, at {formatDuration(event.start_ns, 6)}
        </div>
      ))}
    </div>
  );
}

function startDrag(event: PointerEvent, strip: Strip, arrange: Arrange, onDrag: RowProps["onDrag"]): void {
  if (event.button !== 0 || (event.target as HTMLElement).closest("button")) return;
  const title = event.currentTarget as HTMLElement;
  const startY = event.clientY;
  const abort = new AbortController();
  const { signal } = abort;
  let at: { key: string; behind: boolean } | null = null;
  title.setPointerCapture(event.pointerId);
  title.addEventListener(
    "pointermove",
    (move) => {
      if (Math.abs(move.clientY - startY) < 5 && !at) return;
      const under = document.elementFromPoint(move.clientX, move.clientY)?.closest<HTMLElement>(".tl-lane");
      if (!under?.dataset.key) return;
      const box = under.getBoundingClientRect();
      at = { key: under.dataset.key, behind: move.clientY > box.top + box.height / 2 };
      onDrag(at);
    },
    { signal },
  );
  const end = (done: boolean) => {
    abort.abort();
    onDrag(null);
    if (done && at) arrange.moveTo(strip, at.key, at.behind);
  };
  title.addEventListener("pointerup", () => end(true), { signal });
  title.addEventListener("pointercancel", () => end(false), { signal });
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The header, the rows in view, and the sums at the foot.
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { decimal, inUnit } from "@/base/units";
import { numberAt, rightAligned, shown, type TableColumn } from "@/widgets/table/columns";
import { sumOf } from "@/widgets/table/order";
import { type Place, ROW_HEIGHT, type TableView } from "@/widgets/table/view";
import { rowWindow } from "@/widgets/table/window";

interface BodyProps {
  id: string;
  view: TableView;
  widths: Record<string, number>;
  place: Place;
  picked: number | null;
  opened: ReadonlySet<string>;
  marked: ((row: number) => boolean) | undefined;
  pickable: boolean;
  scroller: RefObject<HTMLDivElement | null>;
  onSort(column: number): void;
  onRow(entry: number, column: number): void;
  onResize(column: TableColumn, width: number): void;
}

export function Body(props: BodyProps) {
  const { view, widths, scroller, place } = props;
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const read = () => setScroll({ top: box.scrollTop, height: box.clientHeight });
    read();
    box.addEventListener("scroll", read, { passive: true });
    const observer = new ResizeObserver(read);
    observer.observe(box);
    return () => {
      box.removeEventListener("scroll", read);
      observer.disconnect();
    };
  }, [scroller]);
  // A filter may leave the scroller beyond its end.
  useEffect(() => {
    const box = scroller.current;
    if (box && box.scrollTop > 0 && view.entries.length * ROW_HEIGHT < box.scrollTop) box.scrollTop = 0;
  }, [view, scroller]);

  const shownRows = rowWindow(view.entries.length, ROW_HEIGHT, scroll.top, scroll.height);
  const width = (column: TableColumn) => widths[column.name] ?? column.width;
  // The widest text takes what room is left, unless the reader gave it a width.
  const flexible = view.columns.reduce<TableColumn | null>(
    (best, column) =>
      !column.numeric && column.values.dictionary && column.width > (best?.width ?? 0) ? column : best,
    null,
  );
  const template = view.columns
    .map((column) =>
      column === flexible && widths[column.name] === undefined
        ? `minmax(${width(column)}px, 1fr)`
        : `${width(column)}px`,
    )
    .concat(flexible && widths[flexible.name] === undefined ? [] : ["minmax(0, 1fr)"])
    .join(" ");
  const total = view.columns.reduce((sum, column) => sum + width(column), 0);
  const list: number[] = [];
  for (let entry = shownRows.first; entry < shownRows.end; entry++) list.push(entry);

  return (
    <div class="table-inner" role="presentation" style={{ "--columns": template, minWidth: `${total}px` }}>
      <div class="table-head" role="row" aria-rowindex={1}>
        {view.columns.map((column, c) => (
          <HeadCell
            key={column.name}
            id={`${props.id}-h${c}`}
            column={column}
            sort={view.sort?.column === column.name ? (view.sort.falling ? "descending" : "ascending") : "none"}
            active={place.entry < 0 && place.column === c}
            width={width(column)}
            onSort={() => props.onSort(c)}
            onResize={(to) => props.onResize(column, to)}
          />
        ))}
      </div>
      <div class="table-rows" role="rowgroup" style={{ height: `${shownRows.height}px` }}>
        {list.map((entry, i) => (
          <Row
            key={entry}
            {...props}
            entry={entry}
            top={shownRows.top + i * ROW_HEIGHT}
            value={view.entries[entry] ?? 0}
            active={place.entry === entry}
          />
        ))}
      </div>
      {view.rows.length > 1 && view.columns.some((column) => column.additive) && (
        <div class="table-foot" role="row" aria-rowindex={view.entries.length + 2}>
          {view.columns.map((column, c) => (
            <div key={column.name} role="gridcell" class={rightAligned(column) ? "cell number" : "cell"}>
              {column.additive ? inUnit(sumOf(column, view.rows), column.unit) : c === 0 ? "Sum" : ""}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

interface HeadProps {
  id: string;
  column: TableColumn;
  sort: "ascending" | "descending" | "none";
  active: boolean;
  width: number;
  onSort(): void;
  onResize(width: number): void;
}

function HeadCell({ id, column, sort, active, width, onSort, onResize }: HeadProps) {
  const drag = (event: PointerEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const from = event.clientX;
    const move = (next: PointerEvent) => onResize(width + next.clientX - from);
    const stop = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", stop);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", stop);
  };
  const arrow = sort === "none" ? "" : sort === "descending" ? "↓" : "↑";
  return (
    <div
      id={id}
      role="columnheader"
      tabIndex={-1}
      aria-sort={sort}
      class={`cell head${rightAligned(column) ? " number" : ""}${active ? " active" : ""}`}
      title={column.about || undefined}
      onClick={onSort}
      onKeyDown={(event) => event.key === "Enter" && onSort()}
    >
      <span class="head-title">{column.title}</span>
      {column.unit.label && column.numeric && <span class="head-unit">{column.unit.label}</span>}
      {arrow && (
        <span class="head-sort" aria-hidden="true">
          {arrow}
        </span>
      )}
      <span class="head-edge" aria-hidden="true" onPointerDown={drag} onClick={(event) => event.stopPropagation()} />
    </div>
  );
}

interface RowProps extends BodyProps {
  entry: number;
  value: number;
  top: number;
  active: boolean;
}

function Row(props: RowProps) {
  const { view, value, entry } = props;
  const style = { transform: `translateY(${props.top}px)` };
  const group = value < 0 ? view.groups[-value - 1] : undefined;
  const marked = value >= 0 && (value === props.picked || (props.marked?.(value) ?? false));
  const classes = `table-row${props.active ? " active" : ""}${marked ? " marked" : ""}${group ? " group" : ""}${props.pickable || group ? " pickable" : ""}`;
  return (
    <div
      id={`${props.id}-r${entry}`}
      role="row"
      tabIndex={-1}
      class={classes}
      style={style}
      aria-rowindex={entry + 2}
      aria-selected={marked}
      aria-expanded={group ? props.opened.has(group.key) : undefined}
      onClick={(event) => props.onRow(entry, columnUnder(event))}
      onKeyDown={() => undefined}
    >
      {view.columns.map((column, c) =>
        group ? (
          <div key={column.name} role="gridcell" class={rightAligned(column) ? "cell number" : "cell"}>
            {c === 0
              ? `${props.opened.has(group.key) ? "▾" : "▸"} ${group.key || "(none)"} · ${decimal(group.rows.length)}`
              : column.additive
                ? inUnit(sumOf(column, group.rows), column.unit)
                : ""}
          </div>
        ) : (
          <Cell key={column.name} column={column} row={value} active={props.active && props.place.column === c} />
        ),
      )}
    </div>
  );
}

function Cell({ column, row, active }: { column: TableColumn; row: number; active: boolean }) {
  const text = shown(column, row);
  const right = rightAligned(column);
  const value = column.bar ? numberAt(column.values, row) : 0;
  const share = column.bar && column.largest > 0 ? Math.max(0, value / column.largest) : 0;
  return (
    <div
      role="gridcell"
      class={`cell${right ? " number" : ""}${column.bar ? " bar" : ""}${active ? " active" : ""}`}
      style={column.bar ? { "--share": `${share * 100}%` } : undefined}
      title={right || text.length < 12 ? undefined : text}
    >
      {text}
    </div>
  );
}

function columnUnder(event: MouseEvent): number {
  const cell = (event.target as HTMLElement).closest(".cell");
  return cell?.parentElement ? [...cell.parentElement.children].indexOf(cell) : 0;
}

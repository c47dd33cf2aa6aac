// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The header, the rows in view, and the sums at the foot.
import { decimal, inUnit } from "@/base/units";
import type { RowWindow } from "@/widgets/row_window";
import { numberAt, rightAligned, shown, type TableColumn } from "@/widgets/table/columns";
import type { TableModel, TableRow } from "@/widgets/table/model";
import type { Place, TableView } from "@/widgets/table/view";

interface BodyProps {
  id: string;
  model: TableModel;
  view: TableView;
  inView: RowWindow;
  widths: Record<string, number>;
  place: Place;
  picked: number | null;
  marked: ((row: number) => boolean) | undefined;
  pickable: boolean;
  onSort(column: number): void;
  onRow(entry: number, column: number): void;
  onResize(column: TableColumn, width: number): void;
}

export function Body(props: BodyProps) {
  const { model, view, inView, widths, place } = props;
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
      <div class="table-rows" role="rowgroup" style={{ height: `${inView.height}px` }}>
        {inView.items.map(({ index, start }) => (
          <Row key={index} {...props} entry={index} top={start} active={place.entry === index} />
        ))}
      </div>
      {view.held > 1 && view.columns.some((column) => column.additive) && (
        <div class="table-foot" role="row" aria-rowindex={view.entries + 2}>
          {view.columns.map((column, c) => (
            <div key={column.name} role="gridcell" class={rightAligned(column) ? "cell number" : "cell"}>
              {column.additive ? inUnit(model.sum(column), column.unit) : c === 0 ? "Sum" : ""}
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
  top: number;
  active: boolean;
}

function Row(props: RowProps) {
  const { model, view, entry } = props;
  const row = model.entry(entry);
  if (!row) return null;
  const style = { transform: `translateY(${props.top}px)` };
  const group = row.getIsGrouped();
  const number = model.numberOf(row);
  const marked = !group && (number === props.picked || (props.marked?.(number) ?? false));
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
      aria-expanded={group ? row.getIsExpanded() : undefined}
      onClick={(event) => props.onRow(entry, columnUnder(event))}
      onKeyDown={() => undefined}
    >
      {group
        ? groupCells(model, view.columns, row)
        : view.columns.map((column, c) => (
            <Cell key={column.name} column={column} row={number} active={props.active && props.place.column === c} />
          ))}
    </div>
  );
}

// The name of a group has the room up to the first sum.
function groupCells(model: TableModel, columns: readonly TableColumn[], row: TableRow) {
  const sums = columns.findIndex((column, c) => c > 0 && column.additive);
  const room = sums < 0 ? columns.length : sums;
  return (
    <>
      <div role="gridcell" class="cell" aria-colspan={room} style={{ gridColumn: `span ${room}` }}>
        {`${row.getIsExpanded() ? "▾" : "▸"} ${row.groupingValue || "(none)"} · ${decimal(row.subRows.length)}`}
      </div>
      {columns.slice(room).map((column) => (
        <div key={column.name} role="gridcell" class={rightAligned(column) ? "cell number" : "cell"}>
          {column.additive ? inUnit(model.sum(column, row), column.unit) : ""}
        </div>
      ))}
    </>
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

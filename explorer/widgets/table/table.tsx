// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A table over columns: any number of rows, of which only those in view are elements. Everything by keyboard: arrows move,
// Enter picks the row (or sorts, on the header), Ctrl+C copies it.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { ColumnHint } from "@/base/panel";
import { copyText } from "@/widgets/clipboard";
import { useRowWindow } from "@/widgets/row_window";
import { Body } from "@/widgets/table/body";
import { columnsOf, type Source, type TableColumn } from "@/widgets/table/columns";
import { filterTrouble } from "@/widgets/table/filter";
import { tableKey } from "@/widgets/table/keys";
import { type Opened, TableModel } from "@/widgets/table/model";
import { tsv } from "@/widgets/table/text";
import { Toolbar } from "@/widgets/table/toolbar";
import { type Order, type Place, ROW_HEIGHT, type TableLayout, type TableView } from "@/widgets/table/view";
import "@/widgets/css/table.css";

export interface TableProps {
  source: Source;
  // What the table holds, for screen readers and file names: "operators".
  label: string;
  hints?: readonly ColumnHint[];
  sort?: Order | null;
  // Columns worth grouping by.
  group?: readonly string[];
  onPick?: (row: number) => void;
  // Rows that belong to what is selected elsewhere.
  marked?: (row: number) => boolean;
  layout?: TableLayout;
  onLayout?: (layout: TableLayout) => void;
  // Said when there is no row at all.
  empty?: string;
  // Controls of the panel around it, left in the toolbar.
  tools?: ComponentChildren;
}

export function Table(props: TableProps) {
  const { source, hints = [], onPick, onLayout } = props;
  const id = useId();
  const [own, setOwn] = useState<TableLayout>(props.layout ?? {});
  const [text, setText] = useState("");
  const [opened, setOpened] = useState<Opened>({});
  const [place, setPlace] = useState<Place>({ entry: 0, column: 0 });
  const [picked, setPicked] = useState<number | null>(null);
  const [said, setSaid] = useState("");
  const scroller = useRef<HTMLDivElement>(null);

  const all = useMemo(() => columnsOf(source, hints), [source, hints]);
  const [model] = useState(() => new TableModel());
  const view = useMemo(
    () => model.update({ source, columns: all, layout: own, sort: props.sort ?? null, text, opened }),
    [model, source, all, own, text, opened, props.sort],
  );
  useEffect(() => () => model.release(), [model]);
  // The header, and the sums at the foot.
  const inView = useRowWindow(scroller, view.entries, ROW_HEIGHT, 2 * ROW_HEIGHT);
  // A new table has no row picked.
  useEffect(() => setPicked(null), [source]);

  const change = (layout: TableLayout) => {
    setOwn(layout);
    onLayout?.(layout);
  };
  model.onSort = (sort) => change({ ...own, sort });
  model.onOpened = setOpened;
  const goTo = (next: Place) => {
    const entry = Math.max(-1, Math.min(view.entries - 1, next.entry));
    const column = Math.max(0, Math.min(view.columns.length - 1, next.column));
    setPlace({ entry, column });
    if (entry >= 0) inView.show(entry);
  };
  const activate = (at: Place) => {
    if (at.entry < 0) {
      const column = view.columns[at.column];
      if (column) model.sortNext(column);
      return;
    }
    const row = model.entry(at.entry);
    if (!row) return;
    if (row.getIsGrouped()) {
      row.toggleExpanded();
      return;
    }
    setPicked(model.numberOf(row));
    onPick?.(model.numberOf(row));
  };
  const copy = (rows: ArrayLike<number>) => {
    copyText(tsv(view.columns, rows)).then(
      () => setSaid(rows.length === 1 ? "row copied" : `${rows.length} rows copied`),
      (failure: unknown) => setSaid(failure instanceof Error ? failure.message : "not copied"),
    );
  };
  const resize = (column: TableColumn, width: number) =>
    change({ ...own, widths: { ...own.widths, [column.name]: Math.max(48, Math.round(width)) } });

  const active = activeId(id, view, place);
  return (
    <div class="table">
      <Toolbar
        label={props.label}
        all={all}
        model={model}
        view={view}
        layout={own}
        group={props.group ?? []}
        text={text}
        total={source.rows}
        said={said}
        tools={props.tools}
        onText={setText}
        onLayout={change}
        onCopy={() => copy(model.rows())}
        onDown={() => scroller.current?.focus()}
      />
      <div
        class="table-grid"
        ref={scroller}
        role="grid"
        aria-label={props.label}
        aria-rowcount={view.entries + 1}
        aria-colcount={view.columns.length}
        tabIndex={0}
        aria-activedescendant={active}
        onKeyDown={(event) => {
          const done = tableKey(event, {
            place,
            page: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 200) / ROW_HEIGHT) - 2),
            last: view.entries - 1,
            goTo,
            activate: () => activate(place),
            copy: () => {
              const row = model.entry(place.entry);
              if (row) copy(model.rows(row));
            },
            widen: (by) => {
              const column = view.columns[place.column];
              if (column) resize(column, (own.widths?.[column.name] ?? column.width) + by);
            },
          });
          if (done) {
            event.preventDefault();
            event.stopPropagation();
          }
        }}
      >
        <Body
          id={id}
          model={model}
          view={view}
          inView={inView}
          widths={own.widths ?? {}}
          place={place}
          picked={picked}
          marked={props.marked}
          pickable={onPick !== undefined}
          onSort={(column) => activate({ entry: -1, column })}
          onRow={(entry, column) => {
            setPlace({ entry, column });
            activate({ entry, column });
          }}
          onResize={resize}
        />
        {view.entries === 0 && (
          <p class="table-empty">
            {source.rows === 0
              ? (props.empty ?? "Nothing here.")
              : (filterTrouble(all, text) ?? "No row passes the filter.")}
          </p>
        )}
      </div>
    </div>
  );
}

function activeId(id: string, view: TableView, place: Place): string | undefined {
  if (place.entry < 0) return `${id}-h${place.column}`;
  return place.entry < view.entries ? `${id}-r${place.entry}` : undefined;
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A table over columns: any number of rows, of which only those in view are elements. Everything by keyboard: arrows move,
// Enter picks the row (or sorts, on the header), Ctrl+C copies it.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { copyText } from "@/widgets/clipboard";
import { Body } from "@/widgets/table/body";
import { columnsOf, type Hint, type Source, type TableColumn } from "@/widgets/table/columns";
import { tableKey } from "@/widgets/table/keys";
import type { Order } from "@/widgets/table/order";
import { tsv } from "@/widgets/table/text";
import { Toolbar } from "@/widgets/table/toolbar";
import { nextSort, type Place, ROW_HEIGHT, type TableLayout, type TableView, viewOf } from "@/widgets/table/view";
import { scrollTo } from "@/widgets/table/window";
import "@/widgets/css/table.css";

export interface TableProps {
  source: Source;
  // What the table holds, for screen readers and file names: "operators".
  label: string;
  hints?: readonly Hint[];
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
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [place, setPlace] = useState<Place>({ entry: 0, column: 0 });
  const [picked, setPicked] = useState<number | null>(null);
  const [said, setSaid] = useState("");
  const scroller = useRef<HTMLDivElement>(null);

  const all = useMemo(() => columnsOf(source, hints), [source, hints]);
  const view = useMemo(
    () => viewOf(source, all, own, text, opened, props.sort ?? null),
    [source, all, own, text, opened, props.sort],
  );
  // A new table has no row picked.
  useEffect(() => setPicked(null), [source]);

  const change = (layout: TableLayout) => {
    setOwn(layout);
    onLayout?.(layout);
  };
  const goTo = (next: Place) => {
    const entry = Math.max(-1, Math.min(view.entries.length - 1, next.entry));
    const column = Math.max(0, Math.min(view.columns.length - 1, next.column));
    setPlace({ entry, column });
    const box = scroller.current;
    if (box && entry >= 0) {
      const room = box.clientHeight - 2 * ROW_HEIGHT;
      box.scrollTop = scrollTo(entry, view.entries.length, ROW_HEIGHT, box.scrollTop, room);
    }
  };
  const toggle = (key: string) => {
    const next = new Set(opened);
    if (!next.delete(key)) next.add(key);
    setOpened(next);
  };
  const activate = (at: Place) => {
    if (at.entry < 0) {
      const column = view.columns[at.column];
      if (column) change({ ...own, sort: nextSort(view.sort, column) });
      return;
    }
    const entry = view.entries[at.entry];
    if (entry === undefined) return;
    if (entry < 0) {
      const group = view.groups[-entry - 1];
      if (group) toggle(group.key);
      return;
    }
    setPicked(entry);
    onPick?.(entry);
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
        view={view}
        layout={own}
        group={props.group ?? []}
        text={text}
        total={source.rows}
        said={said}
        tools={props.tools}
        onText={setText}
        onLayout={change}
        onCopy={() => copy(view.rows)}
        onDown={() => scroller.current?.focus()}
      />
      <div
        class="table-grid"
        ref={scroller}
        role="grid"
        aria-label={props.label}
        aria-rowcount={view.entries.length + 1}
        aria-colcount={view.columns.length}
        tabIndex={0}
        aria-activedescendant={active}
        onKeyDown={(event) => {
          const done = tableKey(event, {
            place,
            page: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 200) / ROW_HEIGHT) - 2),
            last: view.entries.length - 1,
            goTo,
            activate: () => activate(place),
            copy: () => {
              const entry = view.entries[place.entry];
              if (entry === undefined) return;
              copy(entry < 0 ? (view.groups[-entry - 1]?.rows ?? []) : [entry]);
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
          view={view}
          widths={own.widths ?? {}}
          place={place}
          picked={picked}
          opened={opened}
          marked={props.marked}
          pickable={onPick !== undefined}
          scroller={scroller}
          onSort={(column) => activate({ entry: -1, column })}
          onRow={(entry, column) => {
            setPlace({ entry, column });
            activate({ entry, column });
          }}
          onResize={resize}
        />
        {view.entries.length === 0 && (
          <p class="table-empty">
            {source.rows === 0 ? (props.empty ?? "Nothing here.") : "No row passes the filter."}
          </p>
        )}
      </div>
    </div>
  );
}

function activeId(id: string, view: TableView, place: Place): string | undefined {
  if (place.entry < 0) return `${id}-h${place.column}`;
  return place.entry < view.entries.length ? `${id}-r${place.entry}` : undefined;
}

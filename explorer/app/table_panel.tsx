// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A table panel made of its description (base/panel.ts): asks the server, shows the table, and brings a row to the timeline.
import { useMemo, useState } from "preact/hooks";
import { keepTable, layout } from "@/app/layout";
import { useAnswer } from "@/base/answer";
import type { Panel, TablePanel, TablePart } from "@/base/panel";
import { scope, scopeOf } from "@/base/scope";
import { focus, page, selection } from "@/base/view";
import type { TableRequest, Where } from "@/engine/api";
import type { Frame, FrameTable } from "@/engine/frame";
import { opened, tables } from "@/engine/opened";
import { pickEvents, showSpan } from "@/engine/pick";
import { server } from "@/engine/server";
import { Guard } from "@/widgets/guard";
import { ScopeChoice } from "@/widgets/scope_choice";
import { idText, listAt, numberAt, textAt } from "@/widgets/table/columns";
import { Table } from "@/widgets/table/table";
import { Wait } from "@/widgets/wait";

export function PanelView({ panel, trace }: { panel: Panel; trace: string }) {
  return (
    <Guard about={`${panel.id} ${trace}`}>
      {panel.kind === "view" ? (
        <panel.Component trace={trace} />
      ) : (
        <TablePanelView key={panel.id} panel={panel} trace={trace} />
      )}
    </Guard>
  );
}

function TablePanelView({ panel, trace }: { panel: TablePanel; trace: string }) {
  const [partName, setPart] = useState(panel.parts[0]?.table ?? "");
  const state = opened.info(trace).value?.trace.state;
  const span = panel.ranged ? scopeOf(scope.value) : null;
  const request: TableRequest = { ...(panel.request as TableRequest | undefined), ...(span ?? {}) };
  const answer = useAnswer(
    state === undefined || state === "importing" ? null : (stop) => tables.table(trace, panel.table, request, stop),
    [trace, panel.id, state, JSON.stringify(request)],
  );
  if (state === "importing") {
    return <p class="notice">The file is still being read. This table is made when all of it is there.</p>;
  }
  const part = panel.parts.find((p) => p.table === partName) ?? panel.parts[0];
  if (!part) return null;
  return (
    <Wait answer={answer}>
      {(frame) => (
        <Part
          key={part.table}
          trace={trace}
          panel={panel}
          part={part}
          frame={frame}
          onPart={panel.parts.length > 1 ? setPart : null}
        />
      )}
    </Wait>
  );
}

interface PartProps {
  trace: string;
  panel: TablePanel;
  part: TablePart;
  frame: Frame;
  onPart: ((name: string) => void) | null;
}

function Part({ trace, panel, part, frame, onPart }: PartProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const table = useMemo(() => frame.tables.find((t) => t.name === part.table), [frame, part]);
  const sort = useMemo(() => sortOf(part.sort), [part]);
  if (!table) return <p class="notice">{panel.empty}</p>;
  const id = `${panel.id}.${part.table}`;
  const kept = layout.value.tables[id];
  return (
    <>
      {failure !== null && (
        <p class="notice failed" role="alert">
          {failure}
        </p>
      )}
      <Table
        source={table}
        label={panel.parts.length > 1 ? `${panel.title}, ${part.title}` : panel.title}
        hints={part.columns}
        sort={sort}
        group={part.group ?? []}
        empty={panel.empty}
        {...(kept ? { layout: kept } : {})}
        onLayout={(changed) => keepTable(id, changed)}
        marked={markedRows(table)}
        onPick={(row) => {
          setFailure(null);
          bring(trace, table, part, row).catch((reason: unknown) =>
            setFailure(reason instanceof Error ? reason.message : String(reason)),
          );
        }}
        tools={
          <>
            {onPart && (
              <select
                class="field"
                aria-label={`Which table of ${panel.title}`}
                value={part.table}
                onChange={(event) => onPart(event.currentTarget.value)}
              >
                {panel.parts.map((p) => (
                  <option key={p.table} value={p.table}>
                    {p.title}
                  </option>
                ))}
              </select>
            )}
            {panel.ranged && <ScopeChoice />}
          </>
        }
      />
    </>
  );
}

function sortOf(text: string | undefined) {
  if (!text) return null;
  const [column = "", way] = text.split(":");
  return { column, falling: way !== "asc" };
}

// The row of the event in front.
function markedRows(table: FrameTable): (row: number) => boolean {
  const column = table.columns.find((c) => c.type === "event");
  const now = focus.value;
  if (!column || now === null) return () => false;
  return (row) => idText(numberAt(column, row)) === now;
}

// The first way of `part.pick` that the row has something for.
async function bring(trace: string, table: FrameTable, part: TablePart, row: number): Promise<void> {
  const column = (name: string) => table.columns.find((c) => c.name === name);
  const nameColumn = column("name") ?? column("op") ?? column("text") ?? column("cause");
  const text = (nameColumn && textAt(nameColumn, row)) || part.title;
  for (const way of part.pick) {
    if (way === "event") {
      const ids = table.columns.find((c) => c.type === "event");
      const id = ids ? numberAt(ids, row) : Number.NaN;
      if (Number.isNaN(id)) continue;
      await pickEvents(server, trace, { events: [idText(id)] }, text);
      return;
    }
    if (way === "events") {
      const lists = table.columns.find((c) => c.type === "events");
      const ids = lists ? listAt(lists, row).map(idText) : [];
      if (ids.length === 0) continue;
      await pickEvents(server, trace, { events: ids }, text);
      return;
    }
    if (way === "name" && nameColumn) {
      const name = textAt(nameColumn, row);
      if (name === null) continue;
      await pickEvents(server, trace, { name }, name);
      return;
    }
    if (way === "where" && part.where) {
      const where = whereOf(table, part.where, row);
      if (!where) continue;
      const name = column("run") ?? column("opcode") ?? nameColumn ?? column(Object.values(part.where)[0] ?? "");
      const { count } = await pickEvents(server, trace, { where }, (name && textAt(name, row)) || part.title);
      if (count > 0) return;
      continue;
    }
    if (way === "span") {
      const start = column("start") ?? column("begin_ps") ?? column("peak_at_ps") ?? column("at_ps");
      const length = column("dur_ns") ?? column("wall_ns") ?? column("dur_ps") ?? column("time_ps");
      const from = start ? numberAt(start, row) : Number.NaN;
      if (Number.isNaN(from) || (!length && start?.type !== "ps")) continue;
      selection.value = { events: [], token: 0, text };
      showSpan({ from, to: from + (length ? numberAt(length, row) : 0) }, null);
      return;
    }
  }
}

// Null when the row says none of it.
function whereOf(table: FrameTable, members: Record<string, string>, row: number): Where | null {
  const where: Record<string, string | number | boolean> = {};
  for (const [member, name] of Object.entries(members)) {
    const column = table.columns.find((c) => c.name === name);
    if (!column) continue;
    const value = column.dictionary ? textAt(column, row) : numberAt(column, row);
    if (value !== null && value !== "" && !Number.isNaN(value)) where[member] = value;
  }
  // What an instruction ordered belongs to it.
  return Object.keys(where).length > 0 ? { ...where, with_dmas: true } : null;
}

export function toTimeline(): void {
  page.value = "timeline";
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Above a table: filter, how many rows, grouping, columns, copy, CSV.
import type { ComponentChildren } from "preact";
import { decimal } from "@/base/units";
import { saveText } from "@/widgets/clipboard";
import { Menu } from "@/widgets/menu";
import type { TableColumn } from "@/widgets/table/columns";
import type { TableModel } from "@/widgets/table/model";
import { csv } from "@/widgets/table/text";
import type { TableLayout, TableView } from "@/widgets/table/view";

interface ToolbarProps {
  label: string;
  all: TableColumn[];
  model: TableModel;
  view: TableView;
  layout: TableLayout;
  group: readonly string[];
  text: string;
  total: number;
  said: string;
  tools: ComponentChildren;
  onText(text: string): void;
  onLayout(layout: TableLayout): void;
  onCopy(): void;
  // The arrow down in the filter goes to the rows.
  onDown(): void;
}

export function Toolbar(props: ToolbarProps) {
  const { model, view, layout, total } = props;
  const { held, passing } = view;
  return (
    <div class="table-tools">
      {props.tools}
      <input
        class="field table-filter"
        type="search"
        placeholder="Filter: words, calls>10, self_device_ns>1ms"
        aria-label={`Filter ${props.label}`}
        value={props.text}
        onInput={(event) => props.onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") {
            event.preventDefault();
            props.onDown();
          } else if (event.key === "Escape" && props.text !== "") {
            event.stopPropagation();
            props.onText("");
          }
        }}
      />
      <span class="table-count">
        {held < passing
          ? `the first ${decimal(held)} of ${decimal(passing)} rows`
          : passing === total
            ? `${decimal(total)} rows`
            : `${decimal(passing)} of ${decimal(total)} rows`}
      </span>
      <span class="table-said" role="status">
        {props.said}
      </span>
      <span class="spring" />
      {props.group.length > 0 && (
        <label class="table-group">
          <span>Group</span>
          <select
            class="field"
            value={layout.group ?? ""}
            onChange={(event) => props.onLayout({ ...layout, group: event.currentTarget.value || null })}
          >
            <option value="">none</option>
            {props.group.map((name) => (
              <option key={name} value={name}>
                {props.all.find((column) => column.name === name)?.title ?? name}
              </option>
            ))}
          </select>
        </label>
      )}
      <Menu label="Columns" title="Choose columns">
        {() => <ColumnChoice {...props} />}
      </Menu>
      <button type="button" class="button quiet" title="Copy the rows as tab-separated text" onClick={props.onCopy}>
        Copy
      </button>
      <button
        type="button"
        class="button quiet"
        title="Save the rows as CSV"
        onClick={() => saveText(csv(view.columns, model.rows()), `${props.label.replaceAll(" ", "_")}.csv`, "text/csv")}
      >
        CSV
      </button>
    </div>
  );
}

function ColumnChoice({ all, view, layout, onLayout }: ToolbarProps) {
  const shown = view.columns.map((column) => column.name);
  return (
    <fieldset class="column-choice">
      <legend>Columns</legend>
      {all.map((column) => (
        <label key={column.name} title={column.about}>
          <input
            type="checkbox"
            checked={shown.includes(column.name)}
            disabled={shown.length === 1 && shown[0] === column.name}
            onChange={(event) => {
              const names = event.currentTarget.checked
                ? all.map((c) => c.name).filter((name) => shown.includes(name) || name === column.name)
                : shown.filter((name) => name !== column.name);
              onLayout({ ...layout, columns: names });
            }}
          />
          {column.title}
        </label>
      ))}
      <button type="button" class="button quiet" onClick={() => onLayout({})}>
        As it was
      </button>
    </fieldset>
  );
}

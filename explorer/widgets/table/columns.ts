// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a table shows, read straight from columns: no object is made for a row. A column of the engine's frames fits `Values`
// as it is; this folder knows neither frames nor the server.
import type { ColumnHint } from "@/base/panel";
import { decimal, inUnit, significant, type Unit, unitOf } from "@/base/units";

export interface Values {
  name: string;
  type: string;
  storage: string;
  values: ArrayLike<number>;
  dictionary: readonly string[] | null;
  list: ArrayLike<number> | null;
}

export interface Source {
  name: string;
  rows: number;
  columns: readonly Values[];
}

const NULL_CODE = 0xffffffff;
const NULL_I32 = -2147483648;

export interface TableColumn {
  name: string;
  title: string;
  about: string;
  type: string;
  numeric: boolean;
  // Sums of it mean something: totals of groups and of the selection show them.
  additive: boolean;
  unit: Unit;
  // The largest magnitude, for bars.
  largest: number;
  bar: boolean;
  mixed: boolean;
  width: number;
  hidden: boolean;
  words: Readonly<Record<string, string>>;
  values: Values;
}

const NUMERIC = new Set(["count", "ns", "ps", "bytes", "real"]);
// Names of columns whose sum over rows means nothing.
const NO_SUM =
  /(min|max|mean|median|p95|longest|largest|smallest|first|last|peak|start|end|share|per_s|depth|skew|begin|whole|slack|average|capacity|deviation|line|ratio|wall|^a_|^b_|lateness)/;

// The columns of `source` in the order of the hints; those without a hint follow, hidden, unless there are no hints at all.
export function columnsOf(source: Source, hints: readonly ColumnHint[]): TableColumn[] {
  const byName = new Map(source.columns.map((column) => [column.name, column]));
  const hinted = hints.flatMap((hint) => {
    const values = byName.get(hint.name);
    byName.delete(hint.name);
    return values ? [columnOf(source, values, hint)] : [];
  });
  const rest = [...byName.values()].map((values) =>
    columnOf(source, values, { name: values.name, hidden: hints.length > 0 }),
  );
  return [...hinted, ...rest];
}

function columnOf(source: Source, values: Values, hint: ColumnHint): TableColumn {
  const numeric = NUMERIC.has(values.type) && values.storage !== "dict" && values.storage !== "lists";
  let largest = 0;
  let sum = 0;
  let whole = true;
  if (numeric) {
    for (let row = 0; row < source.rows; row++) {
      const value = numberAt(values, row);
      if (Number.isNaN(value)) continue;
      largest = Math.max(largest, Math.abs(value));
      sum += value;
      whole &&= Number.isInteger(value);
    }
  }
  const unit = unitOf(values.type === "real" && whole ? "count" : values.type, largest);
  const title = hint.title ?? titleOf(values.name);
  const additive = (hint.sum ?? true) && numeric && values.type !== "real" && !NO_SUM.test(values.name);
  return {
    name: values.name,
    title,
    about: hint.about ?? "",
    type: values.type,
    numeric,
    additive,
    unit,
    largest,
    bar: hint.bar ?? false,
    mixed: hint.mixed ?? false,
    width: hint.width ?? widthOf(values, title, unit, additive ? Math.max(largest, Math.abs(sum)) : largest, numeric),
    hidden: hint.hidden ?? false,
    words: hint.words ?? {},
    values,
  };
}

// "self_device_ns" is "self device": the unit stands beside it.
export function titleOf(name: string): string {
  return name
    .replace(/^(causes|reasons)\./, "")
    .replace(/_(ns|ps|bytes)$/, "")
    .replaceAll("_", " ");
}

function widthOf(values: Values, title: string, unit: Unit, widest: number, numeric: boolean): number {
  if (numeric) {
    // The header holds the unit and, when it is sorted, an arrow.
    const digits = Math.max(inUnit(widest, unit).length, title.length + (unit.label ? unit.label.length + 2 : 0) + 2);
    return Math.min(200, 28 + 7.2 * digits);
  }
  if (values.type === "flag") return 34 + 7.2 * title.length;
  let longest = title.length + 2;
  if (values.dictionary) for (const text of values.dictionary) longest = Math.max(longest, text.length);
  else longest = Math.max(longest, 10);
  return Math.max(70, Math.min(360, 28 + 6.6 * longest));
}

// NaN when there is none.
export function numberAt(values: Values, row: number): number {
  const value = values.values[row];
  if (value === undefined) return Number.NaN;
  return values.storage === "i32" && value === NULL_I32 ? Number.NaN : value;
}

export function textAt(values: Values, row: number): string | null {
  const code = values.values[row];
  if (code === undefined || code === NULL_CODE) return null;
  return values.dictionary?.[code] ?? null;
}

export function listAt(values: Values, row: number): number[] {
  const end = values.values[row] ?? 0;
  const begin = row === 0 ? 0 : (values.values[row - 1] ?? 0);
  const list: number[] = [];
  for (let i = begin; i < end; i++) list.push(values.list?.[i] ?? Number.NaN);
  return list;
}

export function listLength(values: Values, row: number): number {
  return (values.values[row] ?? 0) - (row === 0 ? 0 : (values.values[row - 1] ?? 0));
}

// "part:ordinal" of an id in a column.
export function idText(packed: number): string {
  const part = Math.floor(packed / 4294967296);
  const ordinal = packed - part * 4294967296;
  return part === 0 ? String(ordinal) : `${part}:${ordinal}`;
}

// The cell as people read it.
export function shown(column: TableColumn, row: number): string {
  return format(column, row, true);
}

// The cell as other programs read it: whole ns and bytes, no separators, empty for null.
export function plain(column: TableColumn, row: number): string {
  return format(column, row, false);
}

function format(column: TableColumn, row: number, pretty: boolean): string {
  const { values } = column;
  if (values.storage === "dict") {
    const text = textAt(values, row) ?? "";
    return pretty ? (column.words[text] ?? text) : text;
  }
  if (values.storage === "lists") {
    const list = listAt(values, row);
    const texts = list.map((value) => (values.type === "events" ? idText(value) : String(value)));
    return pretty && texts.length > 3 ? `${texts.slice(0, 3).join(" ")} … ${texts.length}` : texts.join(" ");
  }
  const value = numberAt(values, row);
  if (Number.isNaN(value)) return "";
  if (column.type === "event") return idText(value);
  if (column.type === "flag") return pretty ? (value ? "yes" : "") : value ? "true" : "false";
  if (!pretty) return String(value);
  if (column.mixed) return significant(value);
  if (column.numeric) return inUnit(value, column.unit);
  return decimal(value, Number.isInteger(value) ? 0 : 3).replaceAll(",", "");
}

export function rightAligned(column: TableColumn): boolean {
  return column.numeric || column.type === "integer";
}

// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The rows of a table: TanStack's row model (filter, group, sort, open groups, order of columns) over columns. The library knows
// a row by its number only; what it sorts, groups and adds up by is read from the columns, never through the library's cache of
// values, which costs more than the reading (sorting 200,000 rows: 0.25 s instead of 1.2 s).
import {
  type ColumnDef,
  columnFilteringFeature,
  columnGroupingFeature,
  columnOrderingFeature,
  columnVisibilityFeature,
  constructTable,
  createExpandedRowModel,
  createFilteredRowModel,
  createGroupedRowModel,
  createSortedRowModel,
  type ExpandedState,
  functionalUpdate,
  globalFilteringFeature,
  metaHelper,
  type Row,
  rowAggregationFeature,
  rowExpandingFeature,
  rowSortingFeature,
  tableFeatures,
} from "@tanstack/table-core";
import { storeReactivityBindings } from "@tanstack/table-core/store-reactivity-bindings";
import { numberAt, type Source, shown, type TableColumn, textAt } from "@/widgets/table/columns";
import { type Cut, cut, MOST_ROWS } from "@/widgets/table/cut";
import { type RowTest, rowTest } from "@/widgets/table/filter";
import { type SortKey, sortKey } from "@/widgets/table/sort_key";
import type { Order, TableLayout, TableView } from "@/widgets/table/view";

const features = tableFeatures({
  coreReactivityFeature: storeReactivityBindings(),
  columnFilteringFeature,
  globalFilteringFeature,
  filteredRowModel: createFilteredRowModel(),
  columnGroupingFeature,
  rowAggregationFeature,
  groupedRowModel: createGroupedRowModel(),
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  rowExpandingFeature,
  expandedRowModel: createExpandedRowModel(),
  columnVisibilityFeature,
  columnOrderingFeature,
  columnMeta: metaHelper<TableColumn>(),
});

// The library wants an object for each row; one for all of them will do.
type Datum = Record<string, never>;
const DATUM: Datum = {};
export type TableRow = Row<typeof features, Datum>;
type Definition = ColumnDef<typeof features, Datum>;

// Which groups are open.
export type Opened = ExpandedState;
// Smallest and largest.
type Range = [number, number];

export interface TableInputs {
  source: Source;
  columns: readonly TableColumn[];
  layout: TableLayout;
  // The order while the layout has none of its own.
  sort: Order | null;
  text: string;
  opened: Opened;
}

export class TableModel {
  constructor(private readonly most = MOST_ROWS) {}

  onSort: (order: Order | null) => void = () => undefined;
  onOpened: (opened: Opened) => void = () => undefined;

  private columns: readonly TableColumn[] = [];
  private definitions: Definition[] = [];
  private keys = new Map<string, SortKey>();
  private data: Datum[] = [];
  private from: unknown[] = [];
  private cut: Cut | null = null;
  private falling = false;
  private entries: readonly TableRow[] = [];
  // The library's state. A slice stays the same object as long as it says the same: a new one is worked through again.
  private state = {
    globalFilter: "",
    grouping: [] as string[],
    sorting: [] as { id: string; desc: boolean }[],
    expanded: {} as ExpandedState,
    columnOrder: [] as string[],
    columnVisibility: {} as Record<string, boolean>,
  };

  private table = this.empty();

  // What the table shows for these inputs.
  update(inputs: TableInputs): TableView {
    const { source, layout, opened } = inputs;
    if (inputs.columns !== this.columns) {
      this.columns = inputs.columns;
      this.keys = new Map();
      this.definitions = inputs.columns.map((column) => this.definition(column));
    }
    const order = layout.sort === undefined ? inputs.sort : layout.sort;
    const sort = order && this.column(order.column) ? order : null;
    this.falling = sort?.falling ?? false;
    const names = layout.columns ?? this.columns.filter((c) => !c.hidden).map((c) => c.name);
    const { state } = this;
    this.state = {
      globalFilter: inputs.text.trim(),
      grouping: kept(state.grouping, layout.group && this.column(layout.group) ? [layout.group] : []),
      sorting: kept(state.sorting, sort ? [{ id: sort.column, desc: sort.falling }] : []),
      expanded: opened,
      columnOrder: kept(state.columnOrder, names),
      columnVisibility: kept(
        state.columnVisibility,
        Object.fromEntries(this.columns.map((c) => [c.name, names.includes(c.name)])),
      ),
    };
    this.take(source, sort);
    this.table.setOptions((now) => ({ ...now, data: this.data, columns: this.definitions, state: this.state }));

    this.entries = this.table.getRowModel().rows;
    const filtered = this.table.getFilteredRowModel().rows.length;
    return {
      columns: this.table.getVisibleLeafColumns().flatMap((column) => column.columnDef.meta ?? []),
      entries: this.entries.length,
      held: filtered,
      passing: this.cut?.passing ?? filtered,
      sort,
    };
  }

  // What stands at a place of the view: a row or the head of a group.
  entry(index: number): TableRow | undefined {
    return this.entries[index];
  }

  // Lets go of all rows. A browser may keep an element that is gone, and with it whatever its listeners know: so those know the
  // model only, never its rows.
  release(): void {
    this.columns = [];
    this.from = [];
    this.data = [];
    this.cut = null;
    this.entries = [];
    this.table = this.empty();
  }

  // The number of a row that is no head of a group.
  numberOf(row: TableRow): number {
    return this.numberAt(row.index);
  }

  // All rows that pass the filter, in order, whether their group is open or not; or those of one group.
  rows(below?: TableRow): number[] {
    const rows = below ? [below] : this.table.getSortedRowModel().rows;
    return rows.flatMap((row) => (row.getIsGrouped() ? row.subRows : [row])).map((row) => this.numberOf(row));
  }

  // Over all rows that pass the filter, or over those of one group.
  sum(column: TableColumn, below?: TableRow): number {
    // The head of a group answers with the value that its rows share, in the column by which they are grouped.
    if (below?.groupingColumnId === column.name) return this.sumOf(column, below.subRows);
    return below ? below.getValue(column.name) : Number(this.table.getColumn(column.name)?.getAggregationValue() ?? 0);
  }

  // Numbers fall first, texts rise first, the third time gives the table's own order back.
  sortNext(column: TableColumn): void {
    this.table.getColumn(column.name)?.toggleSorting();
  }

  private empty() {
    return constructTable({
      features,
      data: [] as Datum[],
      columns: [] as Definition[],
      // What is filtered is a row, by all of its columns at once; so the library asks for one column only.
      getColumnCanGlobalFilter: (column) => column.id === this.columns[0]?.name,
      globalFilterFn: Object.assign((row: TableRow, _column: string, test: RowTest) => test(this.numberAt(row.index)), {
        resolveFilterValue: (text: string) => rowTest(this.columns, text),
      }),
      groupedColumnMode: false,
      enableMultiSort: false,
      autoResetAll: false,
      onSortingChange: (change) => {
        const [first] = functionalUpdate(change, this.state.sorting);
        this.onSort(first ? { column: first.id, falling: first.desc } : null);
      },
      onExpandedChange: (change) => this.onOpened(functionalUpdate(change, this.state.expanded)),
    });
  }

  private numberAt(index: number): number {
    return this.cut?.rows[index] ?? index;
  }

  private column(name: string): TableColumn | undefined {
    return this.columns.find((column) => column.name === name);
  }

  private key(column: TableColumn): SortKey {
    const known = this.keys.get(column.name);
    if (known) return known;
    const made = sortKey(column);
    this.keys.set(column.name, made);
    return made;
  }

  private take(source: Source, sort: Order | null): void {
    const long = source.rows > this.most;
    const from: unknown[] = long ? [source, this.state.globalFilter, this.state.sorting] : [source];
    if (from.length === this.from.length && from.every((one, i) => one === this.from[i])) return;
    this.from = from;
    const column = sort && this.column(sort.column);
    const test = rowTest(this.columns, this.state.globalFilter);
    this.cut = long ? cut(source.rows, test, column ? this.key(column) : null, this.falling, this.most) : null;
    this.data = new Array<Datum>(this.cut?.rows.length ?? source.rows).fill(DATUM);
  }

  private definition(column: TableColumn): Definition {
    return {
      id: column.name,
      meta: column,
      accessorFn: (_datum, index) => this.key(column)(this.numberAt(index)),
      getGroupingValue: (_datum, index) => groupText(column, this.numberAt(index)),
      aggregationFn: {
        aggregate: ({ rows }) => (column.additive ? this.sumOf(column, rows) : this.rangeOf(column, rows)),
      },
      sortFn: (a, b) => {
        const x = this.place(a, column);
        const y = this.place(b, column);
        if (x === y) return 0;
        // What has no value stands last either way; the library turns the answer round for a falling order.
        if (Number.isNaN(x)) return Number.isNaN(y) ? 0 : this.falling ? -1 : 1;
        if (Number.isNaN(y)) return this.falling ? 1 : -1;
        return x < y ? -1 : 1;
      },
      sortUndefined: false,
      sortDescFirst: column.numeric,
    };
  }

  // A group stands where its sum is or, where sums mean nothing, its first row.
  private place(row: TableRow, column: TableColumn): number {
    if (row.groupingColumnId === undefined) return this.key(column)(this.numberAt(row.index));
    const value = row.getValue<number | Range>(column.name);
    return Array.isArray(value) ? value[this.falling ? 1 : 0] : value;
  }

  private sumOf(column: TableColumn, rows: readonly TableRow[]): number {
    let sum = 0;
    for (const row of rows) {
      const value = numberAt(column.values, this.numberOf(row));
      if (!Number.isNaN(value)) sum += value;
    }
    return sum;
  }

  private rangeOf(column: TableColumn, rows: readonly TableRow[]): Range {
    const key = this.key(column);
    let range: Range = [Number.NaN, Number.NaN];
    for (const row of rows) {
      const value = key(this.numberOf(row));
      if (Number.isNaN(value)) continue;
      range = Number.isNaN(range[0]) ? [value, value] : [Math.min(range[0], value), Math.max(range[1], value)];
    }
    return range;
  }
}

function groupText(column: TableColumn, row: number): string {
  return column.values.storage === "dict" ? (textAt(column.values, row) ?? "") : shown(column, row);
}

// The same object as long as it says the same.
function kept<T>(before: T, next: T): T {
  return JSON.stringify(before) === JSON.stringify(next) ? before : next;
}

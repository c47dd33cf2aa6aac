# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""A table of an analysis: Arrow for libraries, rows for loops, HTML for notebooks."""

from __future__ import annotations

import html
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from lanewise._trace import Batches

_SHOWN = 20  # rows of a notebook view and of repr
_CHUNK = 4096  # rows made into Python objects at a time


class Table:
    """Immutable. ``pyarrow.table(t)``, ``polars.DataFrame(t)`` and DuckDB take it as it is, without a copy of the numbers."""

    def __init__(self, name: str, batches: Batches) -> None:
        self.name = name
        self._batches = batches

    @property
    def columns(self) -> list[str]:
        return self._batches.names

    @property
    def units(self) -> dict[str, str]:
        """Unit of each column that has one: ns, bytes, or event (an event id)."""
        return {name: unit for name, unit in zip(self._batches.names, self._batches.units) if unit}

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self.columns
        for begin in range(0, len(self), _CHUNK):
            for row in self._batches.rows(begin, begin + _CHUNK):
                yield dict(zip(names, row))

    @overload
    def __getitem__(self, which: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, which: str) -> list[Any]: ...
    @overload
    def __getitem__(self, which: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, which):
        """A row by its number, rows by a slice, the values of a column by its name."""
        if isinstance(which, str):
            return self._column(which)
        if isinstance(which, slice):
            return [self[at] for at in range(*which.indices(len(self)))]
        try:
            row = operator.index(which)
        except TypeError:
            raise TypeError(f"a table takes a row number, a slice of rows or a column's name, not {type(which).__name__}; for more: to_pandas() or to_arrow()") from None
        at = row + len(self) if row < 0 else row
        if not 0 <= at < len(self):
            raise IndexError(f"table {self.name} has {rows_text(len(self))}, no row {row}")
        return dict(zip(self.columns, self._batches.rows(at, at + 1)[0]))

    def _column(self, name: str) -> list[Any]:
        names = self.columns
        if name not in names:
            raise LookupError(f"table {self.name} has no column {name!r}; it has {', '.join(names)}")
        at = names.index(name)
        return [row[at] for begin in range(0, len(self), _CHUNK) for row in self._batches.rows(begin, begin + _CHUNK)]

    def __arrow_c_schema__(self) -> object:
        return self._batches.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._batches.__arrow_c_stream__(requested_schema)

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self._batches.__arrow_c_array__(requested_schema)

    def to_arrow(self):
        """A ``pyarrow.Table`` over the same memory."""
        pyarrow = _need("pyarrow")
        return pyarrow.RecordBatchReader.from_stream(self).read_all()  # pyarrow.table() would import pandas first

    def to_pandas(self):
        """A ``pandas.DataFrame``; texts are categories, numbers that can be missing are pandas' own nullable integers."""
        pandas = _need("pandas")
        pyarrow = _need("pyarrow")
        nullable = {pyarrow.int64(): pandas.Int64Dtype(), pyarrow.bool_(): pandas.BooleanDtype()}
        table = self.to_arrow()
        holes = {column.type for column in table.columns if column.null_count > 0}
        return table.to_pandas(types_mapper=lambda kind: nullable.get(kind) if kind in holes else None)

    def __repr__(self) -> str:
        rows = [self.columns, *([_text(value) for value in row] for row in self._batches.rows(0, _SHOWN))]
        widths = [min(60, max(len(row[i]) for row in rows)) for i in range(len(self.columns))]
        lines = ["  ".join(value[:width].ljust(width) for value, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([f"{self.name}: {rows_text(len(self))}", *lines, *(["..."] if len(self) > _SHOWN else [])])

    def _repr_html_(self) -> str:
        units = self._batches.units
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = []
        for row in self._batches.rows(0, _SHOWN):
            cells = (
                f"<td style='text-align:{'left' if isinstance(value, str) else 'right'}'>{html.escape(_shown(value, unit))}</td>"
                for value, unit in zip(row, units)
            )
            body.append("<tr>" + "".join(cells) + "</tr>")
        more = f"<p>{len(self)} rows, the first {_SHOWN} are shown</p>" if len(self) > _SHOWN else f"<p>{rows_text(len(self))}</p>"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>{more}"


def rows_text(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _text(value: object) -> str:
    return "-" if value is None else str(value)


def _shown(value: object, unit: str) -> str:
    """Spans as people read them; the table itself keeps nanoseconds."""
    if unit == "ns" and isinstance(value, int):
        for name, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
            if abs(value) >= size:
                return f"{value / size:.3f} {name}"
        return f"{value} ns"
    text = _text(value)
    return text if len(text) <= 200 else text[:197] + "..."


def _need(module: str):
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"this needs {module}: pip install 'lanewise[trace]'") from None

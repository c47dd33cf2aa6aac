# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Open a trace and ask it questions. No PyTorch in here.

    import lanewise
    t = lanewise.open("trace.json.gz")
    t.ops().to_pandas()
    t.gaps(table="devices")
    t.sql("select name, sum(dur_ns) from events where role = 'kernel' group by 1 order by 2 desc")
"""

from __future__ import annotations

import inspect
import os
import sys
import time
from collections.abc import Iterable
from typing import Any

from lanewise import _trace
from lanewise.trace.table import Table

__all__ = ["Table", "Trace", "event_text", "open"]

# What a question is asked with beside its own options.
_DEFAULTS: dict[str, Any] = {
    "steps": (), "rank": None, "device": "", "between": None, "name": "", "by": (), "event": "", "nth": 1, "thread": "", "bottom_up": False,
}  # fmt: skip


def open(path, *, producers=None, progress=None, threads: int = 0) -> Trace:
    """Opens a trace file, a capture folder, a folder of ranks, or a list of those as one session.

    ``producers``: a text file that adds accelerators. ``progress``: called with (bytes done, bytes total, bytes of text, events) about ten
    times a second; left out, a line on a terminal shows imports that take over a second; False: nothing. Ctrl-C stops.
    FileNotFoundError: no such file. ValueError: nothing in it can be read, several traces that are not ranks of one run, or the producers file is wrong.
    A trace is a context manager too (``with lanewise.open(path) as t:``).
    """
    paths = [os.fspath(path)] if isinstance(path, (str, os.PathLike)) else [os.fspath(p) for p in path]
    if not paths:
        raise ValueError("no file to open")
    line = _ProgressLine() if progress is None and sys.stderr.isatty() else None
    try:
        return Trace(_trace.open(paths, os.fspath(producers) if producers else "", line or progress or None, threads))
    finally:
        if line:
            line.end()


def event_text(event: int) -> str:
    """An event id as command line and JSON write it: ``ordinal``, or ``part:ordinal``."""
    return _trace.event_text(event)


_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def _moment(value) -> int:
    """A time from the start of the trace in ns: a number, or a text with its unit."""
    if isinstance(value, str):
        number = value.strip().rstrip("nums")
        scale = _UNITS.get(value.strip()[len(number) :])
        try:
            return round(float(number) * scale)
        except (TypeError, ValueError, OverflowError):
            pass
    else:
        try:
            return round(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise ValueError(f"cannot read the time {value!r}: a number of ns from the start of the trace, or a text with its unit (ns, us, ms, s) such as '12.5ms'")


def _between(value) -> tuple[int, int]:
    ends = value.split(",") if isinstance(value, str) else list(value) if isinstance(value, Iterable) else []
    if len(ends) != 2:
        raise ValueError(f"between takes two times, such as (0, 1e6) in ns or '0ms,1ms', not {value!r}")
    begin, end = (_moment(end) for end in ends)
    if begin >= end:
        raise ValueError(f"between {value!r} is empty")
    return begin, end


class Trace:
    """An open trace. Each analysis is a method; all return a ``Table``."""

    def __init__(self, native: _trace.Trace) -> None:
        self._native = native

    @property
    def files(self) -> list[dict[str, Any]]:
        """Each file with its format, rank, clock offset and import ledger."""
        return self._native.files()

    @property
    def unread(self) -> list[dict[str, str]]:
        """Files of the folder that could not be read, each with its ``path`` and ``reason``: the numbers are without them."""
        return self._native.unread()

    @property
    def origin_ns(self) -> int:
        """Unix time of session time 0, or 0 when the files do not say."""
        return self._native.origin_ns

    @property
    def begin_ns(self) -> int:
        """Session time of the first event: the ``start`` columns of the analyses count from here."""
        return self._native.begin_ns

    def events(self, columns: list[str] | None = None) -> Table:
        """The raw events, one row an event of the files, or only these columns of them."""
        return Table("events", self._native.events(list(columns or ())))

    def id_text(self, id: int) -> str:
        """What an id of the events table stands for: its number, or the text of a text id."""
        return self._native.id_text(id)

    def ask(self, question: str, **options) -> dict[str, Table]:
        """Every table of one analysis by its name."""
        known = _QUESTIONS.get(question)
        if known is None:
            raise LookupError(f"no analysis {question!r}; there are {', '.join(_QUESTIONS)}")
        for option in options:
            if option not in known.options:
                raise TypeError(f"{question} takes no {option!r}; it takes {', '.join(known.options)}")
        if isinstance(options.get("event"), int):
            options["event"] = event_text(options["event"])
        for option in ("steps", "by"):
            value = options.get(option)
            if isinstance(value, (int, str)):
                options[option] = [value]
        if options.get("between") is not None:
            options["between"] = _between(options["between"])
        tables = self._native.ask(question, **options)
        return {name: Table(name, batches) for name, batches in tables.items()}

    def sql(self, query: str):
        """Runs SQL over the tables and gives DuckDB's relation (``.df()``, ``.pl()``, ``.fetchall()``, Arrow).

        Tables: ``events``, every analysis by its name (``ops``, ``gaps``), its other tables as ``gaps_devices``.
        """
        from lanewise.trace import sql

        return sql.run(self, query)

    def export_parquet(self, folder) -> dict[str, Any]:
        """Writes every table as a Parquet file; returns what was written and which public columns stayed empty."""
        from lanewise.trace import parquet

        return parquet.export(self, folder)

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_) -> None:
        """Nothing is left open: files are read and closed by then, memory goes with the last table or trace that uses it."""

    def __repr__(self) -> str:
        files = self.files
        events = sum(file["events"] for file in files)
        return f"<lanewise trace {files[0]['path']}{f' and {len(files) - 1} more' if len(files) > 1 else ''}: {events} events>"


class _Question:
    """One row of the engine's list, as a method of Trace."""

    def __init__(self, name: str, text: str, main: str, options: tuple[str, ...]) -> None:
        self.name, self.text, self.main, self.options = name, text, main, options

    @property
    def about_one_event(self) -> bool:
        return "event" in self.options

    def method(self):
        def answer(self_: Trace, table: str | None = None, **options) -> Table:
            tables = self_.ask(self.name, **options)
            if (table or self.main) not in tables:
                raise LookupError(f"{self.name} has no table {table!r}; it has {', '.join(tables)}")
            return tables[table or self.main]

        kind = inspect.Parameter
        parameters = [kind("self", kind.POSITIONAL_ONLY), kind("table", kind.KEYWORD_ONLY, default=None)]
        parameters += [kind(option, kind.KEYWORD_ONLY, default=_DEFAULTS[option]) for option in self.options]
        answer.__signature__ = inspect.Signature(parameters, return_annotation=Table)  # what help() and completion show
        answer.__name__ = self.name
        answer.__qualname__ = f"Trace.{self.name}"
        answer.__doc__ = f"{self.text}. Main table: {self.main}."
        return answer


_QUESTIONS = {name: _Question(name, text, main, options) for name, text, main, options in _trace.questions()}
for _question in _QUESTIONS.values():
    setattr(Trace, _question.name, _question.method())


class _ProgressLine:
    def __init__(self) -> None:
        self._start = time.monotonic()
        self._drawn = False

    def __call__(self, done: int, total: int, text: int, events: int) -> None:
        seconds = time.monotonic() - self._start
        if seconds < 1:
            return
        share = min(1.0, done / total) if total else 1.0
        left = seconds * (1 - share) / share if share else 0
        print(f"\rreading: {share:4.0%}, {text / 1e6 / seconds:.0f} MB/s, {events / 1e6:.1f} M events, {left:.0f} s left   ", end="", file=sys.stderr, flush=True)
        self._drawn = True

    def end(self) -> None:
        if self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

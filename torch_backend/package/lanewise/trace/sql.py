# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""SQL over the tables of a trace, by DuckDB. A table is made when a query names it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lanewise.trace import Trace
    from lanewise.trace.table import Table


def tables_of(trace: Trace) -> dict[str, tuple[str, str] | None]:
    """Name in SQL -> (analysis, table), None for the raw events. Only analyses of the trace as a whole."""
    from lanewise.trace import _QUESTIONS

    names: dict[str, tuple[str, str] | None] = {"events": None}
    for question in _QUESTIONS.values():
        if question.about_one_event:
            continue
        names[question.name] = (question.name, question.main)
    return names


def table_names(trace: Trace) -> list[str]:
    """Every table a query can name. Asks every question."""
    names = ["events"]
    for question in tables_of(trace).values():
        if question is not None:
            names += [question[0] if part == question[1] else f"{question[0]}_{part}" for part in trace.ask(question[0])]
    return names


_SHOW = re.compile(r"\s*show\s+(all\s+)?tables\s*;?\s*", re.IGNORECASE)


def _may_be_a_file(name: str) -> bool:
    return any(c in name for c in "./\\:*")


def run(trace: Trace, query: str, *, closed: bool = False):
    """DuckDB's relation. ``closed``: the query reaches the tables of the trace and nothing else, no file, no network, no setting."""
    try:
        import duckdb
        import pyarrow  # noqa: F401  DuckDB reads Arrow through it
    except ImportError as missing:
        raise ImportError(f"SQL needs {missing.name}: pip install duckdb pyarrow") from None

    connection = duckdb.connect()
    known = tables_of(trace)
    if _SHOW.fullmatch(query):
        return connection.sql("select unnest($names) as name", params={"names": table_names(trace)})
    answers: dict[str, dict[str, Table]] = {}
    for name in sorted(connection.get_table_names(query)):
        if name == "events":
            table = trace.events()
        else:
            question, _, part = name.partition("_")
            if known.get(question) is None:
                if closed or not _may_be_a_file(name):
                    raise LookupError(f"no table {name!r}; there are {', '.join(known)}, and other tables of these; 'show tables' lists all")
                continue  # DuckDB reads it
            if question not in answers:
                answers[question] = trace.ask(question)
            table = answers[question].get(part or known[question][1])
            if table is None:
                raise LookupError(f"{question} has no table {part!r}; it has {', '.join(answers[question])}")
        connection.register(name, table.to_arrow())
    if closed:
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
    relation = connection.sql(query)
    if relation is None:
        raise ValueError("this statement gives no rows")
    return relation

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Every table of a trace as Parquet files: the public system-profile tables where they fit, ours beside them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lanewise.trace import Trace


def named_tables(trace: Trace):
    """(name, table) of every answer that needs no event, as files are called."""
    from lanewise.trace import _QUESTIONS

    for question in _QUESTIONS.values():
        if question.about_one_event:
            continue
        for name, table in trace.ask(question.name).items():
            yield question.name if name == question.main else f"{question.name}_{name}", table


def export(trace: Trace, folder) -> dict[str, Any]:
    """``files``: name -> rows. ``empty``: public table -> its columns that nothing filled. ``left_out``: public table -> why."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as parquet
    except ImportError:
        raise ImportError("Parquet needs pyarrow: pip install pyarrow") from None
    from lanewise.trace import system_profile

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, int] = {}

    def write(name: str, table) -> None:
        """Under its name only when all of it is written."""
        path = folder / f"{name}.parquet"
        partial = path.with_suffix(".parquet.part")
        try:
            with pa.RecordBatchReader.from_stream(table) as batches, parquet.ParquetWriter(partial, batches.schema, compression="zstd") as writer:
                for batch in batches:
                    writer.write_batch(batch)
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
        files[path.name] = len(table)

    write("events", trace.events())
    for name, table in named_tables(trace):
        write(name, table)
    events = system_profile.events(trace)
    metadata = system_profile.metadata(trace, events)
    write("SystemProfileEvents", events)
    write("SystemProfileMetadata", metadata)
    empty = {"SystemProfileEvents": system_profile.empty_columns(events), "SystemProfileMetadata": system_profile.empty_columns(metadata)}
    return {"files": files, "empty": {name: columns for name, columns in empty.items() if columns}, "left_out": dict(system_profile.LEFT_OUT)}

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Device profiles: one execution of one program inside a core.

    d = lanewise.trace.device.open("output/i-.../20261130_163816_840650", nth=1)
    d.ask("stalls")["engines"].to_pandas()
    d.roofline()
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from lanewise import _trace
from lanewise.trace.table import Table

__all__ = ["Device", "export_parquet", "open", "pairs", "public_schema"]

_MAIN = {name: main for name, _, main in _trace.device_questions()}


def open(path, ntff=None, *, program: str = "", event: str | int = "", nth: int = 0, machine: str = "", whole: bool = False) -> Device:
    """Opens a .neff (with its .ntff beside it, or given), an .ntff, or a program or execution of a capture folder.

    ``program``: a hash or name; ``event``: an event id of the trace in the folder; ``nth``: the nth execution in order of time.
    ``machine``: other numbers for peaks and hops than the capture's. ``whole``: of a real capture, with the runtime's prologue and epilogue. FileNotFoundError, ValueError: as the command ``lanewise device`` says.
    """
    if isinstance(event, int):
        event = _trace.event_text(event)
    return Device(_trace.open_device(os.fspath(path), os.fspath(ntff) if ntff else "", program, event, nth, machine, whole))


def pairs(folder) -> list[dict[str, Any]]:
    """Every .neff with its .ntff below a folder."""
    return _trace.device_pairs(os.fspath(folder))


def public_schema() -> dict[str, list[tuple[str, str, str, bool]]]:
    """The public tables of device profiles: table -> (column, type, unit, required)."""
    return _trace.public_schema()


class Device:
    """One device profile. Each question of ``lanewise device`` is a method; all return a ``Table``."""

    def __init__(self, native: _trace.Device) -> None:
        self._native = native

    @property
    def info(self) -> dict[str, Any]:
        """Program, files, machine, duration, overheads, and what was wrong with the files."""
        return self._native.info()

    def ask(self, question: str, between: tuple[int, int] | None = None) -> dict[str, Table]:
        """Every table of one question by its name. ``between``: only from..to, in ps from the begin of the program (not of summary and roofline)."""
        if question not in _MAIN:
            raise LookupError(f"no question {question!r} about a device profile; there are {', '.join(_MAIN)}")
        return {name: Table(name, batches) for name, batches in self._native.ask(question, between).items()}

    def public_tables(self) -> tuple[dict[str, Table], dict[str, list[str]], dict[str, str]]:
        """The tables of the public schema, the columns of each that nothing filled, and the tables without rows with the reason."""
        tables, empty, left_out = self._native.public_tables()
        return {name: Table(name, batches) for name, batches in tables.items()}, empty, left_out

    def __getattr__(self, name: str):
        question = name.replace("_", "-")
        if question not in _MAIN:
            raise AttributeError(name)
        return lambda table=_MAIN[question], between=None: self.ask(question, between)[table]

    def __repr__(self) -> str:
        info = self.info
        return f"<lanewise device profile {info['program']}: {info['duration_ps'] / 1e6:.3f} us>"


def export_parquet(device: Device, folder) -> dict[str, Any]:
    """Writes the public tables, one file each, with the public column names and types. ``files``, ``empty``, ``left_out``."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as parquet
    except ImportError:
        raise ImportError("Parquet needs pyarrow: pip install pyarrow") from None
    types = {"i64": pa.int64(), "i32": pa.int32(), "f32": pa.float32(), "f64": pa.float64(), "str": pa.string(), "bool": pa.bool_(), "i64[]": pa.list_(pa.int64())}
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tables, empty, left_out = device.public_tables()
    schema = public_schema()
    files = {}
    for name, table in tables.items():
        fields = [pa.field(column, types[kind], metadata={"unit": unit} if unit else None) for column, kind, unit, _ in schema[name]]
        with pa.RecordBatchReader.from_stream(table) as batches:
            public = batches.read_all().cast(pa.schema(fields))
        path = folder / f"{name}.parquet"
        partial = path.with_suffix(".parquet.part")
        try:
            parquet.write_table(public, partial, compression="zstd")
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
        files[path.name] = len(table)
    return {"files": files, "empty": empty, "left_out": left_out}

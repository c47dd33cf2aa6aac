# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Tables that an earlier run left in a folder which is written again: they go, or they would be read as this run's. Only files under the
names of tables that are written here; what else lies there is somebody's own."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

SYSTEM_PROFILE = ("SystemProfileEvents", "SystemProfileMetadata", "DeviceProfileList")


@cache
def system_tables() -> frozenset[str]:
    """Names of all tables of a trace: those of the smallest one, since every question gives all of its tables."""
    import lanewise
    from lanewise.trace.parquet import named_tables

    with tempfile.TemporaryDirectory() as folder:
        smallest = Path(folder) / "trace.json"
        smallest.write_text(json.dumps({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 0, "dur": 1}]}))
        trace = lanewise.open(smallest, progress=False)
        return frozenset(["events", *SYSTEM_PROFILE, *(name for name, _ in named_tables(trace))])


@cache
def device_tables() -> frozenset[str]:
    from lanewise.trace import device

    return frozenset(device.public_schema())


def remove(folder, tables: Iterable[str], written: Iterable[str] = ()) -> list[str]:
    """Removes files of these tables that were not written now (file names). The names of those that went."""
    kept, gone = set(written), []
    for table in sorted(tables):
        path = Path(folder) / f"{table}.parquet"
        if path.name not in kept and path.is_file():
            path.unlink()
            gone.append(path.name)
    return gone


def remove_profile(folder, within) -> None:
    """The device tables of a profile's folder, and the folders that are empty then, up to ``within``."""
    folder, within = Path(folder).resolve(), Path(within).resolve()
    if within not in folder.parents or not folder.is_dir():
        return
    remove(folder, device_tables())
    while folder != within and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def listed(folder) -> set[str]:
    """Folders of device profiles that an earlier run named in DeviceProfileList."""
    path = Path(folder) / "DeviceProfileList.parquet"
    if not path.is_file():
        return set()
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        names = parquet.read_table(path, columns=["device_profile_name"])["device_profile_name"].to_pylist()
    except (pa.ArrowException, KeyError, OSError):
        return set()   # not one of ours, or half of one: it names nothing
    return {name for name in names if name}


def replace(target: Path, tables: Iterable[str], write_into: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    """Writes into a folder of its own first, so that a failure leaves the tables of the earlier run whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f"{target.name}.", suffix=".part", dir=target.parent))
    try:
        done = write_into(partial)
        target.mkdir(exist_ok=True)
        for path in sorted(partial.iterdir()):
            os.replace(path, target / path.name)
        remove(target, tables, done["files"])
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return {"folder": str(target), **done}


def stale_profiles(root: Path, name: str, written: Iterable[str]) -> list[Path]:
    """``<name>_n_<hash>@latest`` of an earlier run under this name: device profiles that this run did not write."""
    ours = re.compile(re.escape(name) + r"_n_\d+(_\d+)?(_vnc_\d+)?(_\d+)?@latest")
    kept = {Path(folder).name for folder in written}
    return sorted(path for path in root.glob("*@latest") if path.is_dir() and ours.fullmatch(path.name) and path.name not in kept)

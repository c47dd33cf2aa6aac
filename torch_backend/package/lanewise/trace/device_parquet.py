# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The device profiles of a path as Parquet: what ``lanewise export --parquet`` writes beside the system tables.

A pair (a ``.neff`` or ``.ntff`` with its other half beside it): its public tables in the folder itself. A capture folder, or a folder of them: each
profile in a folder of its own, ``n_<hash>`` as in summaries, below the folder of its capture; ``DeviceProfileList`` names them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lanewise import _trace
from lanewise.trace import device, former


def is_pair(path) -> bool:
    return _trace.device_file_kind(os.fspath(path)) != "other"


def pairs_below(path) -> list[dict[str, Any]]:
    """Every pair below a folder, none below anything else."""
    if not Path(path).is_dir():
        return []
    try:
        return device.pairs(path)
    except (FileNotFoundError, LookupError):
        return []


def distinct_names(names: Iterable[str]) -> list[str]:
    """A folder per profile: captures of one program have one hash, so of equal names the later ones get a number."""
    done: list[str] = []
    for name in names:
        free, number = name, 1
        while free in done:
            number += 1
            free = f"{name}_{number}"
        done.append(free)
    return done


def block_name(pair: dict[str, Any]) -> str:
    """``n_<hash>`` with instance and core where they are not 0, as ``lanewise view`` names the profile; without a hash the file's own name."""
    name = f"n_{pair['hash'] or Path(pair['neff']).stem}"
    return name + (f"_{pair['instance']}" if pair["instance"] else "") + (f"_vnc_{pair['nc']}" if pair["nc"] else "")


def folder_names(path, pairs: list[dict[str, Any]]) -> list[str]:
    """Where the tables of each pair go, relative to the export's folder."""
    return distinct_names((Path(os.path.relpath(Path(pair["neff"]).parent, path)) / block_name(pair)).as_posix() for pair in pairs)


def export_pairs(path, folder, pairs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Writes each pair. ``name``, ``pair``, ``damage``, and ``files``, ``empty``, ``left_out``; of one that cannot be read ``failure`` instead of the last three."""
    for pair, name in zip(pairs, folder_names(path, pairs)):
        try:
            opened = device.open(pair["neff"], pair["ntff"])
        except (LookupError, OSError, ValueError) as failure:
            yield {"name": name, "pair": pair, "damage": [], "failure": str(failure)}
            continue
        done = device.export_parquet(opened, Path(folder) / name)
        former.remove(Path(folder) / name, former.device_tables(), done["files"])
        yield {"name": name, "pair": pair, "damage": opened.info["damage"], **done}


def unpaired(path, pairs: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Captures below a folder that are in no pair, each with the reason: without its program, of 0 bytes, no .ntff at all."""
    taken = {os.path.abspath(pair["ntff"]) for pair in pairs}
    for ntff in sorted(Path(path).rglob("*")) if Path(path).is_dir() else ():
        if os.path.abspath(ntff) in taken or _trace.device_file_kind(str(ntff)) != "ntff":
            continue
        try:
            device.open(ntff)
        except (LookupError, OSError, ValueError) as failure:
            yield str(ntff), str(failure)
        else:
            yield str(ntff), "it lies too deep below the folder; name the folder that holds it"


def export_pair(path, folder) -> dict[str, Any]:
    """Writes one pair into the folder itself: ``damage``, ``files``, ``empty``, ``left_out``."""
    opened = device.open(path)
    return {"damage": opened.info["damage"], **device.export_parquet(opened, folder)}


def export_list(written: list[dict[str, Any]], folder) -> tuple[int, list[str]]:
    """DeviceProfileList: the profiles that were written, with what the names of the capture's folders say (``i-<instance>_pid_<pid>/``). How many rows, and the columns that nothing filled."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    from lanewise.trace.system_profile import empty_columns

    schema = pa.schema([
        ("device_profile_name", pa.string()), ("instance_id", pa.string()), ("process_id", pa.int64()), ("nc_id", pa.int64()),
        ("session_id", pa.int64()), ("model_id", pa.int64()),
    ])  # fmt: skip
    rows = []
    for done in written:
        folders = Path(done["pair"]["neff"]).resolve().parent.parts
        found = next((match for part in reversed(folders) if (match := re.fullmatch(r"(i-[^/]+)_pid_(\d{1,18})", part))), None)
        rows.append({"device_profile_name": done["name"], "instance_id": found[1] if found else None, "process_id": int(found[2]) if found else None, "nc_id": done["pair"]["nc"]})
    table = pa.Table.from_pylist(rows, schema=schema)
    parquet.write_table(table, Path(folder) / "DeviceProfileList.parquet", compression="zstd")
    return len(table), empty_columns(table)

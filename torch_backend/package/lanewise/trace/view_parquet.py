# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""What ``lanewise view --output-format parquet`` and ``--ingest-only`` write: the store layout of the public tool.

``<store>/profiles/global/<name>@latest/`` holds the system tables of a capture folder; each device profile of it lies beside it as
``<name>_n_<hash>@latest/`` (with a number where captures share a program). One device pair alone is ``<name>@latest/`` itself. A later run under the same name replaces it.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any


def write(store, name: str, *, neff: str = "", ntff: str = "", folder: str = "", devices: bool = True, system: bool = True) -> list[dict[str, Any]]:
    """What was written: ``folder``, ``files``, ``empty``, ``left_out`` of each profile. LookupError: there is nothing to write."""
    from lanewise.trace import device, device_parquet

    if name in ("", ".", "..") or "/" in name:
        raise ValueError(f"the name of a profile is that of one folder in the store, so {name!r} will not do; give another --display-name")
    root = Path(store) / "profiles" / "global"
    written = []
    if neff:
        opened = device.open(neff, ntff or None)
        written.append(_replace(root / f"{name}@latest", lambda target: device.export_parquet(opened, target)))
        return written
    pairs = device_parquet.pairs_below(folder) if devices else []
    if system:
        try:
            written.append(_replace(root / f"{name}@latest", lambda target: _system(folder, target)))
        except FileNotFoundError:  # a folder of device pairs alone has no trace
            if not pairs:
                raise
    if pairs:
        for pair, block in zip(pairs, device_parquet.distinct_names(map(device_parquet.block_name, pairs))):
            opened = device.open(pair["neff"], pair["ntff"])
            written.append(_replace(root / f"{name}_{block}@latest", lambda at, opened=opened: device.export_parquet(opened, at)))
    if not written:
        raise LookupError(f"no profile in {folder} that could be written")
    return written


def _replace(target: Path, write_into) -> dict[str, Any]:
    """The tables of an earlier run do not stay among those of this one; of several processes that write one name, one wins as a whole."""
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        done = write_into(partial)
        for attempt in range(100):
            shutil.rmtree(target, ignore_errors=True)
            try:
                os.replace(partial, target)
                break
            except OSError as error:  # another process was quicker
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or attempt == 99:
                    raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return {"folder": str(target), **done}


def _system(folder: str, target: Path) -> dict[str, Any]:
    import pyarrow.parquet as parquet

    import lanewise
    from lanewise.trace import system_profile

    trace = lanewise.open(folder, progress=False)
    events = system_profile.events(trace)
    metadata = system_profile.metadata(trace, events)
    target.mkdir(parents=True, exist_ok=True)
    files, empty = {}, {}
    for table, content in (("SystemProfileEvents", events), ("SystemProfileMetadata", metadata)):
        parquet.write_table(content, target / f"{table}.parquet", compression="zstd")
        files[f"{table}.parquet"] = content.num_rows
        if columns := system_profile.empty_columns(content):
            empty[table] = columns
    return {"files": files, "empty": empty, "left_out": dict(system_profile.LEFT_OUT)}

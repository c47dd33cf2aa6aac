# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""What ``lanewise view --output-format parquet`` and ``--ingest-only`` write: the store layout of the public tool.

``<store>/profiles/global/<name>@latest/`` holds the system tables of a capture folder; each device profile of it lies beside it as
``<name>_n_<hash>@latest/`` (with a number where captures share a program). One device pair alone is ``<name>@latest/`` itself. A later run under the same name replaces it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lanewise.trace import former


def write(store, name: str, *, neff: str = "", ntff: str = "", folder: str = "", devices: bool = True, system: bool = True) -> tuple[list[dict[str, Any]], list[tuple[str, str]], list[str]]:
    """What was written: ``folder``, ``files``, ``empty``, ``left_out`` of each profile; and what could not be read, each path with the reason; and notes.

    LookupError: there is nothing to write. Of an earlier run under the same name no table stays; files that are no tables do.
    """
    from lanewise.trace import device, device_parquet

    if name in ("", ".", "..") or "/" in name:
        raise ValueError(f"the name of a profile is that of one folder in the store, so {name!r} will not do; give another --display-name")
    root = Path(store) / "profiles" / "global"
    if neff:
        opened = device.open(neff, ntff or None)
        return [former.replace(root / f"{name}@latest", _ALL, lambda target: device.export_parquet(opened, target))], [], []
    written, failures, notes = [], [], []
    pairs = device_parquet.pairs_below(folder) if devices else []
    if system:
        try:
            written.append(former.replace(root / f"{name}@latest", _ALL, lambda target: _system(folder, target)))
        except (LookupError, OSError, ValueError) as failure:
            if not pairs:
                raise
            # A folder of pairs needs no trace.
            if isinstance(failure, (LookupError, FileNotFoundError)):
                notes.append(f"device profiles only: {failure}")
            else:
                failures.append((folder, str(failure)))
            former.remove(root / f"{name}@latest", _ALL)
    for pair, block in zip(pairs, device_parquet.distinct_names(map(device_parquet.block_name, pairs))):
        try:
            opened = device.open(pair["neff"], pair["ntff"])
        except (LookupError, OSError, ValueError) as failure:
            failures.append((pair["ntff"], str(failure)))
            continue
        written.append(former.replace(root / f"{name}_{block}@latest", _ALL, lambda at, opened=opened: device.export_parquet(opened, at)))
    if devices:
        failures += device_parquet.unpaired(folder, pairs) if pairs else []
        for stale in former.stale_profiles(root, name, (done["folder"] for done in written)):
            former.remove_profile(stale, root)
    if not written and not failures:
        raise LookupError(f"no profile in {folder} that could be written")
    return written, failures, notes


# What a folder of the store may hold of an earlier run.
_ALL = former.device_tables() | set(former.SYSTEM_PROFILE)


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

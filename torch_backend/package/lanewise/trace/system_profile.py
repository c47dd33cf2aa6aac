# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The system-profile tables of the Neuron Explorer schema (names, columns, types), as far as a framework trace fills them."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from lanewise.trace import Trace

EVENTS = pa.schema([
    ("id", pa.int64()), ("name", pa.string()), ("start_ts", pa.int64()), ("end_ts", pa.int64()), ("duration_ns", pa.int64()),
    ("trace_event_source", pa.string()), ("instance_id", pa.string()), ("process_id", pa.int64()), ("thread_id", pa.int64()),
    ("nc_idx", pa.int64()), ("pcore_idx", pa.int64()), ("worker_gid", pa.int64()), ("flow_id", pa.list_(pa.string())),
    ("framework_stream_id", pa.string()), ("extra_attributes_json", pa.string()),
])  # fmt: skip
METADATA = pa.schema([
    ("first_ts", pa.string()), ("last_ts", pa.string()), ("first_ts_ns", pa.string()), ("last_ts_ns", pa.string()),
    ("ntff_version", pa.int64()), ("hbm_capacity_bytes", pa.int64()),
])  # fmt: skip
# What these tables hold is in no trace file.
LEFT_OUT = {
    "SystemProfileHbmUsage": "a trace holds no samples of HBM use by class",
    "CpuUsage": "samples of CPU load (cpu_util.pb of a capture folder) are not read",
    "HostMemUsage": "samples of host memory (host_mem.pb of a capture folder) are not read",
    "DeviceProfileList": "no device profile (a .neff with its .ntff) lies beside the trace",
}

# Where an event comes from, in the three words of the schema. Roles that are not here are no events of a system profile.
_SOURCES = {
    "cpu_op": "framework", "annotation": "framework", "python": "framework", "runtime": "neuron_rt", "sync": "neuron_rt",
    "kernel": "neuron_hw", "memcpy": "neuron_hw", "memset": "neuron_hw",
}  # fmt: skip
_COLUMNS = ["event", "part", "start_ns", "dur_ns", "name", "category", "phase", "role", "pid", "tid", "correlation", "external_id", "device", "stream", "bytes", "program"]


def events(trace: Trace) -> pa.Table:
    """SystemProfileEvents: complete events of framework, runtime and device. Times: Unix ns where the files say it, else session time.

    Also of other vendors' traces: then neuron_rt reads as the runtime, neuron_hw as the device.
    """
    rows = pa.table(trace.events(_COLUMNS))
    roles = pc.cast(rows["role"], pa.string())
    keep = pc.and_(pc.is_in(roles, value_set=pa.array(list(_SOURCES))), pc.is_valid(rows["start_ns"]))
    keep = pc.and_(keep, pc.is_in(pc.cast(rows["phase"], pa.string()), value_set=pa.array(["X", "B"])))
    rows = rows.filter(keep)
    roles = pc.cast(rows["role"], pa.string())
    start = pc.add(rows["start_ns"], trace.origin_ns)
    ranks = {file["part"]: file["rank"] for file in trace.files}
    parts = rows["part"].to_pylist()
    paths = {file["part"]: file["path"].rsplit("/", 1)[-1] for file in trace.files}
    flow = pc.coalesce(rows["correlation"], rows["external_id"])
    columns = {
        "id": rows["event"],
        "name": pc.cast(rows["name"], pa.string()),
        "start_ts": start,
        "end_ts": pc.add(start, rows["dur_ns"]),
        "duration_ns": rows["dur_ns"],
        "trace_event_source": _mapped(roles),
        "instance_id": pa.array([paths[part] for part in parts], pa.string()),
        "process_id": _numbers(rows["pid"]),
        "thread_id": _numbers(rows["tid"]),
        "nc_idx": rows["device"],
        "pcore_idx": pa.nulls(len(rows), pa.int64()),
        "worker_gid": pa.array([ranks[part] for part in parts], pa.int64()),
        "flow_id": pa.array([None if id is None else [trace.id_text(id)] for id in flow.to_pylist()], pa.list_(pa.string())),
        "framework_stream_id": pa.array([None if id is None else trace.id_text(id) for id in rows["stream"].to_pylist()], pa.string()),
        "extra_attributes_json": pa.array(_attributes(trace, rows), pa.string()),
    }
    return pa.table([columns[field.name] for field in EVENTS], schema=EVENTS)


def metadata(trace: Trace, events: pa.Table) -> pa.Table:
    """SystemProfileMetadata: one row, of the events given; none without events."""
    if len(events) == 0:
        return METADATA.empty_table()
    first, last = pc.min(events["start_ts"]).as_py(), pc.max(events["end_ts"]).as_py()
    known = trace.origin_ns != 0  # else these are no Unix times
    row = [_utc(first) if known else None, _utc(last) if known else None, str(first), str(last), None, None]
    return pa.table([pa.array([value], field.type) for value, field in zip(row, METADATA)], schema=METADATA)


def empty_columns(table: pa.Table) -> list[str]:
    """Columns without one value, of a table that has rows."""
    return [name for name in table.column_names if len(table) and table[name].null_count == len(table)]


def _mapped(roles: pa.ChunkedArray) -> pa.ChunkedArray:
    at = pc.index_in(roles, value_set=pa.array(list(_SOURCES)))
    return pc.take(pa.array(list(_SOURCES.values())), at)


def _numbers(texts: pa.ChunkedArray) -> pa.Array:
    """pid and tid may be any text; those that are numbers."""

    def number(text: str | None) -> int | None:
        try:
            value = int(text or "")
        except ValueError:
            return None
        return value if -(2**63) <= value < 2**63 else None

    known = {text: number(text) for text in pc.unique(pc.cast(texts, pa.string())).to_pylist()}
    return pa.array([known[text] for text in texts.to_pylist()], pa.int64())


def _attributes(trace: Trace, rows: pa.Table) -> list[str]:
    """What has no column of its own."""
    names = ("category", "correlation", "external_id", "bytes", "program", "pid", "tid")
    texts = []
    for values in zip(*(rows[name].to_pylist() for name in names)):
        held = {name: value for name, value in zip(names, values) if value is not None}
        for name in ("correlation", "external_id"):
            if name in held:
                held[name] = trace.id_text(held[name])
        texts.append(json.dumps(held, ensure_ascii=False))
    return texts


def _utc(ns: int) -> str:
    seconds, rest = divmod(ns, 10**9)
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + f".{rest:09d}Z"

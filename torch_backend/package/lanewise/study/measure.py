# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of one profiled variant, exact: device times come from the trace file, not from the rounded table."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path


@dataclass
class Row:
    """One operator of the profile. Times are *self* times in ns."""

    name: str
    calls: int
    device_ns: int
    self_cpu_ns: int


@dataclass
class Variant:
    """One way to write the function. `device_ns` is the sum over its launches, overheads included, copies apart."""

    name: str
    launches: int = 0
    device_ns: int = 0
    overhead_ns: int = 0
    capture_overhead_ns: int = 0
    copy_ns: int = 0
    h2d_copies: int = 0
    self_cpu_ns: int = 0
    sim_lag_ns: int = 0
    rows: list[Row] = field(default_factory=list)
    capture: Path = Path()
    table: str = ""

    @property
    def work_ns(self) -> int:
        """Device time that is neither the execution overhead nor the cost of being watched."""
        return self.device_ns - self.overhead_ns

    def to_json(self) -> dict:
        return {
            "name": self.name,
            "launches": self.launches,
            "device_ns": self.device_ns,
            "overhead_ns": self.overhead_ns,
            "copy_ns": self.copy_ns,
            "self_cpu_ns": self.self_cpu_ns,
            "h2d_copies": self.h2d_copies,
            "rows": [vars(row) for row in self.rows],
            "capture": str(self.capture),
        }


def to_ns(microseconds: Decimal) -> int:
    """Trace times are decimals of a microsecond with three places: exact in ns."""
    return int((microseconds * 1000).to_integral_value())


def measure(name: str, prof, capture: Path) -> Variant:
    """Reads a finished `torch.profiler.profile` and the trace.json in its capture folder."""
    with open(capture / "trace.json") as file:
        trace = json.load(file, parse_float=Decimal, parse_int=Decimal)
    variant = Variant(name, capture=capture.resolve(), sim_lag_ns=int(trace["neuron_sim_lag_ns"]),
                      table=prof.key_averages().table(sort_by="self_privateuse1_time_total", row_limit=12))
    operators = set()
    for event in trace["traceEvents"]:
        category, args = event.get("cat"), event.get("args", {})
        if category == "kernel":
            variant.launches += 1
            variant.device_ns += to_ns(event["dur"])
            overhead = int(args["exec overhead ns"]) + int(args["capture overhead ns"])
            variant.overhead_ns += overhead
            variant.capture_overhead_ns += int(args["capture overhead ns"])
        elif category == "gpu_memcpy":
            variant.copy_ns += to_ns(event["dur"])
            variant.h2d_copies += "HtoD" in event["name"]
        elif category == "cpu_op":
            operators.add(event["name"])
    for average in prof.key_averages():
        if average.key not in operators or average.device_type.name != "CPU":
            continue
        variant.rows.append(Row(average.key, average.count, round(average.self_device_time_total * 1000),
                                round(average.self_cpu_time_total * 1000)))
    variant.rows.sort(key=lambda row: (-row.device_ns, -row.self_cpu_ns, row.name))
    variant.self_cpu_ns = sum(row.self_cpu_ns for row in variant.rows)
    return variant

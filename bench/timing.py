# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Timing for the benchmarks: CPU time of the calling thread, medians over interleaved rounds.

Machines are shared: rounds of all subjects alternate, so that a slow minute hits every one of them, and what is
printed is a ratio inside one run.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def thread_ns(function: Callable[[], None], count: int) -> float:
    """CPU ns of this thread per call."""
    start = time.thread_time_ns()
    for _ in range(count):
        function()
    return (time.thread_time_ns() - start) / count


def wall_ns(function: Callable[[], None], count: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(count):
        function()
    return (time.perf_counter_ns() - start) / count


def interleaved(subjects: dict[str, Callable[[], float]], rounds: int = 9) -> dict[str, float]:
    """Median of each subject's measurement over `rounds` alternating rounds, after one that is not counted."""
    samples: dict[str, list[float]] = {name: [] for name in subjects}
    for index in range(rounds + 1):
        for name, measure in subjects.items():
            value = measure()
            if index:
                samples[name].append(value)
    return {name: statistics.median(values) for name, values in samples.items()}

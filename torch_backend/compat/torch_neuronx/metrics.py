# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Counters since the start or the last ``clear_all``. TORCH_NEURONX_METRICS_ENABLED is not needed: they cost nothing."""

from lanewise import _C
from lanewise.compile_metrics import get_dynamo_metrics

_cleared: dict[str, int] = {}


def _totals() -> dict[str, int]:
    cache = _C.program_cache_stats()
    return {
        "CompilationCache.InMemoryHits": cache["hits"],
        "CompilationCache.Misses": cache["misses"],
        "CompilationCache.Evictions": cache["evictions"],
        "Dynamo.CompiledGraphs": len(get_dynamo_metrics()),
        "Ops.Fallback": len(_C.fallback_ops()),
    }


def _counters() -> dict[str, int]:
    # A tracker that was emptied on its own counts from nothing again.
    return {name: max(0, total - _cleared.get(name, 0)) for name, total in _totals().items()}


def get_counter_value(name: str) -> int:
    """A counter such as ``CompilationCache.InMemoryHits``; ValueError lists the names."""
    values = _counters()
    if name not in values:
        raise ValueError(f"no counter {name!r}; there are {', '.join(values)}")
    return values[name]


def report() -> str:
    """All counters, one a line."""
    return "\n".join(f"{name}: {value}" for name, value in _counters().items())


def clear_all() -> None:
    _cleared.update(_totals())

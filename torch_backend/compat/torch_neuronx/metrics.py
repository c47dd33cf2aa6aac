# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Counters. TORCH_NEURONX_METRICS_ENABLED is not needed: they cost nothing."""

from lanewise import counters


def get_counter_value(name: str) -> int:
    """A counter such as ``CompilationCache.InMemoryHits``; ValueError lists the names."""
    values = counters.read()
    if name not in values:
        raise ValueError(f"no counter {name!r}; there are {', '.join(sorted(values))}")
    return values[name]


def report() -> str:
    """All counters, one a line."""
    return "\n".join(f"{name}: {value}" for name, value in sorted(counters.read().items()))


def clear_all() -> None:
    counters.clear()

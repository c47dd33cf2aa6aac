# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""What ``torch.compile(backend="neuron")`` did, one entry a graph. Knows no Dynamo, so asking costs nothing."""

from __future__ import annotations

import itertools
import threading
from typing import Any

_KEPT = 10_000  # a process that recompiles for ever must not grow for ever

_lock = threading.Lock()
_graphs: list[dict[str, Any]] = []
_ids = itertools.count()
_model_name = ""


def new_graph_id() -> int:
    return next(_ids)


def record(entry: dict[str, Any]) -> None:
    with _lock:
        _graphs.append(entry)
        del _graphs[:-_KEPT]


def get_dynamo_metrics() -> list[dict[str, Any]]:
    """One dictionary a compiled graph, oldest first.

    graph_id, graph_name, model_name, has_collectives, graph_node_count, timestamp (s since the epoch),
    torch_neuronx_fx_passes_us, torch_neuronx_lower_us, torch_neuronx_compile_us; and of ours: programs, the number of
    launches of one call, and eager_nodes, the names of the ops that run outside them.
    """
    with _lock:
        return [dict(entry) for entry in _graphs]


def reset_dynamo_metrics() -> None:
    with _lock:
        _graphs.clear()


def set_model_name(name: str) -> None:
    """Label of the graphs compiled from now on."""
    if not isinstance(name, str):
        raise TypeError(f"a model name is a str, not {type(name).__name__}")
    global _model_name
    _model_name = name


def model_name() -> str:
    return _model_name

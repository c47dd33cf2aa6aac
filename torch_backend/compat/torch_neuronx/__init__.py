# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Names that scripts written for Trainium import, for Lanewise's simulated device. Every one is Lanewise's own."""

import torch.neuron
from torch.neuron import (
    Event,
    Stream,
    clear_op_tracking,
    current_device,
    current_stream,
    default_stream,
    device_count,
    empty_cache,
    get_executed_ops,
    get_fallback_ops,
    is_available,
    max_memory_allocated,
    memory_allocated,
    memory_stats,
    set_device,
    set_stream,
    stream,
    synchronize,
)

from lanewise import __version__
from lanewise.compile_metrics import get_dynamo_metrics, reset_dynamo_metrics
from torch_neuronx import metrics, neuron_dynamo_backend, profiling

__all__ = [
    "Event",
    "Stream",
    "__version__",
    "clear_op_tracking",
    "current_device",
    "current_stream",
    "default_stream",
    "device_count",
    "empty_cache",
    "get_dynamo_metrics",
    "get_executed_ops",
    "get_fallback_ops",
    "is_available",
    "max_memory_allocated",
    "memory_allocated",
    "memory_stats",
    "metrics",
    "neuron_dynamo_backend",
    "profiling",
    "reset_dynamo_metrics",
    "set_device",
    "set_stream",
    "stream",
    "synchronize",
]


def __getattr__(name: str):
    # What the device module has beyond these; its AttributeError would name the wrong module.
    try:
        return getattr(torch.neuron, name)
    except AttributeError:
        raise AttributeError(f"module 'torch_neuronx' (Lanewise) has no attribute {name!r}") from None

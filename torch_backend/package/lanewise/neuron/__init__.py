# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""``torch.neuron``: devices, streams, memory and random numbers of device ``neuron``.

``neuron:N`` is one physical core of the simulated chip. The environment (LANEWISE_MACHINE, LANEWISE_DEVICES,
NEURON_RT_VISIBLE_CORES ...) is read at the first use of the device, not at import.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import torch

from lanewise import _C
from lanewise.neuron import amp, memory, random, streams
from lanewise.neuron._index import device_index
from lanewise.neuron.amp import get_amp_supported_dtype
from lanewise.neuron.memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
)
from lanewise.neuron.random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from lanewise.neuron.streams import Event, Stream, current_stream, default_stream, set_stream, stream


def is_available() -> bool:
    """Whether there is a device; never raises, makes nothing."""
    return _C.device_count() > 0


def device_count() -> int:
    return _C.device_count()


def current_device() -> int:
    return _C.current_device()


def set_device(device) -> None:
    """ValueError when the index is out of range."""
    _C.set_device(device_index(device))


def init() -> None:
    _C.init()


def is_initialized() -> bool:
    return _C.is_initialized() and not _C.is_in_bad_fork()


def _lazy_init() -> None:
    _C.init()


def _lazy_call(function, **_) -> None:
    function()


def _is_in_bad_fork() -> bool:
    return _C.is_in_bad_fork()


def synchronize(device=None) -> None:
    """Waits for the work of a device, or of all devices in use; raises the first failure of a launch."""
    if device is None:
        # PyTorch's profiler calls this on its way to stop. What is still open then, the script left open.
        if sys._getframe(1).f_globals.get("__name__") == "torch.autograd.profiler":
            _C.note_open_launches()
        _C.synchronize_all()
    else:
        torch.accelerator.synchronize(torch.device("neuron", device_index(device)))


class device:
    """Context manager that changes the current device; None or a negative index changes nothing."""

    def __init__(self, device):
        self.idx = -1 if device is None else device_index(device)
        self.prev_idx = -1

    def __enter__(self):
        self.prev_idx = _C.current_device()
        if self.idx >= 0:
            _C.set_device(self.idx)
        return self

    def __exit__(self, *_):
        _C.set_device(self.prev_idx)
        return False


class device_of(device):
    """Context manager: the device of a tensor or storage, if that is a neuron device."""

    def __init__(self, obj):
        super().__init__(obj.get_device() if obj.device.type == "neuron" else -1)


def get_device_properties(device=None) -> SimpleNamespace:
    """name, total_memory (bytes) and what the simulated machine has."""
    return SimpleNamespace(**_C.device_properties(device_index(device)))


def get_device_name(device=None) -> str:
    return f"neuron:{device_index(device)}"


def get_device_capability(device=None) -> dict:
    return dict(_C.device_properties(device_index(device)))


def machine_info() -> dict:
    """Preset, spec, overheads and versions behind every simulated number."""
    return _C.machine_info()


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return True


def get_fallback_ops() -> list[str]:
    """Ops that ran on the host, one entry per call, since the last clear_op_tracking()."""
    return _C.fallback_ops()


def get_executed_ops() -> list[str]:
    """Ops that ran on the device, one entry per launch, grouped by op."""
    return _C.executed_ops()


def clear_op_tracking() -> None:
    _C.clear_op_tracking()


def program_cache_stats() -> dict:
    """hits, misses, evictions, entries, capacity of the cache of eager programs."""
    return _C.program_cache_stats()


def _inductor_backend_init() -> None:
    from lanewise.compile_default import refuse_inductor

    refuse_inductor()


def __getattr__(name: str):
    if name == "default_generators":
        return random.default_generators()
    raise AttributeError(f"module 'torch.neuron' has no attribute {name!r}")


__all__ = [
    "Event",
    "Stream",
    "amp",
    "clear_op_tracking",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "get_amp_supported_dtype",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_executed_ops",
    "get_fallback_ops",
    "get_rng_state",
    "get_rng_state_all",
    "init",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "machine_info",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "program_cache_stats",
    "random",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "stream",
    "streams",
    "synchronize",
]

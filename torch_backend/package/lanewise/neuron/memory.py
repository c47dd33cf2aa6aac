# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Device memory: what the caching allocator has, in bytes."""

from __future__ import annotations

import torch

from lanewise import _C
from lanewise.neuron._index import device_index


def _on(device) -> torch.device:
    return torch.device("neuron", device_index(device))


def memory_stats(device=None) -> dict:
    """Statistics in both layouts that are in use: ``["allocated_bytes.all.current"]`` as PyTorch's, and nested
    ``["allocated_bytes"]["current"]`` as TorchNeuron's."""
    if not _C.is_initialized():
        return {}
    return {**torch.accelerator.memory_stats(_on(device)), **_C.memory_stats(device_index(device))}


def _bytes(kind: str, what: str, device) -> int:
    return _C.memory_stats(device_index(device))[kind][what] if _C.is_initialized() else 0


def memory_allocated(device=None) -> int:
    return _bytes("allocated_bytes", "current", device)


def max_memory_allocated(device=None) -> int:
    return _bytes("allocated_bytes", "peak", device)


def memory_reserved(device=None) -> int:
    return _bytes("reserved_bytes", "current", device)


def max_memory_reserved(device=None) -> int:
    return _bytes("reserved_bytes", "peak", device)


def reset_peak_memory_stats(device=None) -> None:
    torch.accelerator.reset_peak_memory_stats(_on(device))


def reset_accumulated_memory_stats(device=None) -> None:
    torch.accelerator.reset_accumulated_memory_stats(_on(device))


def empty_cache() -> None:
    """Gives cached blocks of all devices back."""
    if _C.is_initialized():
        torch.accelerator.empty_cache()


def mem_get_info(device=None) -> tuple[int, int]:
    """Free and total bytes of the device."""
    return torch.accelerator.get_memory_info(_on(device))


def memory_summary(device=None, abbreviated: bool = False) -> str:
    stats = _C.memory_stats(device_index(device))
    free, total = mem_get_info(device)
    lines = [f"memory of neuron:{device_index(device)}: {free:,} of {total:,} bytes free", f"{'':18}{'current':>16}{'peak':>16}{'total made':>16}{'total freed':>16}"]
    for key in ("allocated_bytes", "reserved_bytes", "allocation", "segment"):
        row = stats[key]
        lines.append(f"{key:18}{row['current']:16,}{row['peak']:16,}{row['allocated']:16,}{row['freed']:16,}")
    if not abbreviated:
        lines.append(f"out of memory {stats['num_ooms']} times, retried {stats['num_alloc_retries']} times, largest free block {stats['largest_free_block']:,} bytes")
    return "\n".join(lines)

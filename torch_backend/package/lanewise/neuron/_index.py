# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Everything that a caller may use to name a device."""

from __future__ import annotations

import torch

from lanewise import _C


def device_index(device=None) -> int:
    """Index of an int, "neuron:1", torch.device or None (the current device). ValueError for another kind of device."""
    if device is None:
        return _C.current_device()
    if isinstance(device, int):
        return device
    device = torch.device(device)
    if device.type != "neuron":
        raise ValueError(f"expected a neuron device, got {device}")
    return _C.current_device() if device.index is None else device.index

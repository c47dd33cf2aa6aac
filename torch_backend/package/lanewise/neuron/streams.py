# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Streams and events. ``Event.elapsed_time`` is simulated device time, not host time."""

from __future__ import annotations

import torch

from lanewise.neuron._index import device_index


def _on(device) -> torch.device:
    return torch.device("neuron", device_index(device))


class Stream(torch.Stream):
    """Work in one stream runs in order; streams of one device share its core."""

    def __new__(cls, device=None, priority: int = 0, **ids):
        if ids:
            return super().__new__(cls, **ids)
        return super().__new__(cls, device=_on(device), priority=priority)


def Event(enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> torch.Event:  # noqa: N802
    """A point in a stream. Only events with enable_timing have a time.

    A function with the name of CUDA's class: ``elapsed_time`` takes torch.Event itself and no class derived from it.
    """
    return torch.Event(device=torch.device("neuron"), enable_timing=enable_timing, blocking=blocking, interprocess=interprocess)


def _as_stream(stream: torch.Stream) -> Stream:
    return Stream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type)


def current_stream(device=None) -> Stream:
    return _as_stream(torch.accelerator.current_stream(_on(device)))


def default_stream(device=None) -> Stream:
    like = torch.accelerator.current_stream(_on(device))
    return Stream(stream_id=0, device_index=like.device_index, device_type=like.device_type)


def set_stream(stream: torch.Stream) -> None:
    if stream is not None:
        torch.accelerator.set_stream(stream)


class stream:
    """Context manager that makes a stream (or none) the current one."""

    def __init__(self, stream):
        self._stream = stream

    def __enter__(self):
        if self._stream is not None:
            self._stream.__enter__()

    def __exit__(self, *raised):
        if self._stream is not None:
            self._stream.__exit__(*raised)

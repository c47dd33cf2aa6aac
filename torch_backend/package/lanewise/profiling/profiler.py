# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Puts PyTorch's own trace beside the runtime and device files of a capture."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Iterable

import torch.profiler

from lanewise.profiling.config import NeuronConfig


class NeuronProfiler:
    """Two forms are in use, and both work.

    ``NeuronProfiler(config)`` is the current one; give its ``export_trace`` to ``torch.profiler.profile`` as
    ``on_trace_ready``, or let ``profile()`` do that. The runtime and device files do not depend on it: they are
    written for the config alone.

    ``NeuronProfiler(pytorch_activities=..., neuron_output_dir=...)`` is the older one: a profile of its own, used as a
    context manager or by ``start`` and ``stop``. Starting twice, or stopping when idle, is a RuntimeError.
    """

    def __init__(
        self,
        config: NeuronConfig | None = None,
        *,
        pytorch_activities: Iterable | None = None,
        record_shapes: bool = False,
        pytorch_trace_file: str | os.PathLike[str] = "pytorch_trace.json",
        neuron_output_dir: str | os.PathLike[str] = "./output",
        event_filters: dict[str, list] | None = None,
    ):
        if config is not None and not isinstance(config, NeuronConfig):
            raise TypeError(f"NeuronProfiler takes a NeuronConfig, not {type(config).__name__}")
        self.config = config or NeuronConfig(
            profile_output_dir=neuron_output_dir, capture_enabled_for_nc=_filtered_cores(event_filters)
        )
        self._activities = None if pytorch_activities is None else list(pytorch_activities)
        self._record_shapes = record_shapes
        # The older form names the file of the framework's trace; the current one has it in the session folder.
        self._trace_file = None if config else os.fspath(pytorch_trace_file)
        self._running: torch.profiler.profile | None = None

    def export_trace(self, prof: torch.profiler.profile, path: str | os.PathLike[str] | None = None) -> str:
        """Writes the trace of ``prof`` and returns the path.

        Without ``path`` that is ``trace.json`` in the session folder of this config's last capture, or in
        ``profile_output_dir`` with a warning when no capture was made.
        """
        if path is None:
            folder = self.config.get_session_dir()
            if folder is None:
                folder = os.path.abspath(self.config.profile_output_dir)
                os.makedirs(folder, exist_ok=True)
                warnings.warn(
                    "no capture was made with this NeuronConfig, so there is only the framework's trace: give it to the "
                    "profile as experimental_config, with ProfilerActivity.PrivateUse1 among the activities",
                    stacklevel=2,
                )
            path = _free_name(folder)
        path = os.fspath(path)
        if _changed_by_kineto(path):
            with tempfile.TemporaryDirectory() as folder:
                plain = os.path.join(folder, "trace.json")
                prof.export_chrome_trace(plain)
                shutil.move(plain, path)
        else:
            prof.export_chrome_trace(path)
        return path

    def profile(self, **options) -> torch.profiler.profile:
        """A ``torch.profiler.profile`` with this config and exporter; ``options`` are those of PyTorch."""
        options.setdefault("on_trace_ready", self.export_trace)
        return torch.profiler.profile(experimental_config=self.config, **options)

    def start(self) -> None:
        if self._running is not None:
            raise RuntimeError("this NeuronProfiler is already running")
        activities = self._activities
        if activities == []:
            activities = [torch.profiler.ProfilerActivity.PrivateUse1]
        running = self.profile(activities=activities, record_shapes=self._record_shapes, on_trace_ready=self._export)
        running.start()
        self._running = running

    def stop(self) -> None:
        if self._running is None:
            raise RuntimeError("this NeuronProfiler is not running")
        running, self._running = self._running, None
        running.stop()

    def __enter__(self) -> NeuronProfiler:
        self.start()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb) -> None:
        self.stop()

    def is_active(self) -> bool:
        return self._running is not None

    def has_pytorch_profiling(self) -> bool:
        """Whether PyTorch's own events are part of it; an empty list of activities leaves the device's alone."""
        return self._activities is None or bool(self._activities)

    def get_nrt_output_directory(self) -> str | None:
        return self.config.get_session_dir()

    def _export(self, prof: torch.profiler.profile) -> None:
        written = self.export_trace(prof)
        if self._trace_file is not None:
            shutil.copyfile(written, self._trace_file)  # PyTorch saves a trace once


def _free_name(folder: str) -> str:
    """``trace.json``, or ``trace_2.json`` and so on: a cycle in which nothing ran has no folder of its own."""
    path, number = os.path.join(folder, "trace.json"), 2
    while os.path.exists(path):
        path, number = os.path.join(folder, f"trace_{number}.json"), number + 1
    return path


def _changed_by_kineto(path: str) -> bool:
    """Kineto writes to another file when the name has a backslash or what it does not call printable."""
    return "\\" in path or not (path.isascii() and path.isprintable())


def _filtered_cores(filters: dict[str, list] | None) -> list[int] | None:
    """The cores of ``{"nc": [...], "types": [...]}``."""
    if filters is None:
        return None
    unknown = sorted(set(filters) - {"nc", "types"})
    if unknown:
        raise ValueError(f"event_filters has no key {unknown[0]!r}; it has 'nc' and 'types'")
    if filters.get("types"):
        raise NotImplementedError("event_filters['types'] is not served: capture all types and filter when reading")
    return filters.get("nc") or None

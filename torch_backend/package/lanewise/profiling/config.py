# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""What to capture: the object given to ``torch.profiler.profile`` as ``experimental_config``."""

from __future__ import annotations

import enum
import functools
import os
import warnings
from collections.abc import Iterable
from pathlib import Path

from torch._C._profiler import _ExperimentalConfig

from lanewise.profiling import encoding


class ProfileMode(enum.Enum):
    """One stream of a capture."""

    DEVICE = "DEVICE"  # .neff and .ntff of every program; each execution then costs the capture overhead too
    RUNTIME = "RUNTIME"  # ntrace.pb, trace_info.pb
    CPU_UTIL = "CPU_UTIL"  # cpu_util.pb, one sample a second
    HOST_MEMORY = "HOST_MEMORY"  # host_mem.pb, one sample a second


# Options of PyTorch's own class that may be given beside ours.
_TORCH_OPTIONS = (
    "profiler_metrics",
    "profiler_measure_per_kernel",
    "verbose",
    "performance_events",
    "enable_cuda_sync_events",
    "adjust_profiler_step",
    "disable_external_correlation",
    "profile_all_threads",
    "capture_overload_names",
    "record_python_gc_info",
    "expose_kineto_event_metadata",
    "trace_only",
    "adjust_timestamps",
)


class NeuronConfig(_ExperimentalConfig):
    """Settings of one capture.

    PyTorch copies this object into C++ and keeps only its text, and ``copy`` or ``pickle`` drop Python attributes; so
    the text is the only state and every property reads it.

    Raises TypeError for an unknown parameter or a wrong type, ValueError for a wrong value, OSError for an output
    folder that cannot be made.
    """

    def __init__(
        self,
        modes: Iterable[ProfileMode | str] | ProfileMode | None = None,
        max_events_per_nc: int = 1_000_000,
        capture_enabled_for_nc: str | int | Iterable[int] | None = None,
        profile_output_dir: str | os.PathLike[str] = "./output",
        neff_cache_dir: str | os.PathLike[str] | None = None,
        precache_node_info: bool = True,
        correlate_device_time: bool = True,
        **torch_options,
    ):
        for name in torch_options:
            if name not in _TORCH_OPTIONS:
                known = ", ".join((*_OWN_PARAMETERS, *_TORCH_OPTIONS))
                raise TypeError(f"NeuronConfig has no parameter {name!r}; it has {known}")
        if torch_options.get("disable_external_correlation") and correlate_device_time:
            warnings.warn("disable_external_correlation=True: no operator gets device time in the table; device rows stay in the trace", stacklevel=2)
        output_dir = _path("profile_output_dir", profile_output_dir)
        _check_output_dir(output_dir)
        fields = {
            "modes": ",".join(mode.value for mode in _modes(modes)),
            "max_events_per_nc": str(_event_count(max_events_per_nc)),
            "capture_enabled_for_nc": _cores(capture_enabled_for_nc),
            "profile_output_dir": output_dir,
            "neff_cache_dir": "" if neff_cache_dir is None else _path("neff_cache_dir", neff_cache_dir),
            "precache_node_info": _flag("precache_node_info", precache_node_info),
            "correlate_device_time": _flag("correlate_device_time", correlate_device_time),
        }
        text = encoding.encode({key: value for key, value in fields.items() if value})
        super().__init__(custom_profiler_config=text, **torch_options)

    @property
    def modes(self) -> list[ProfileMode]:
        return [ProfileMode(name) for name in self._fields["modes"].split(",")]

    @property
    def max_events_per_nc(self) -> int:
        return int(self._fields["max_events_per_nc"])

    @property
    def capture_enabled_for_nc(self) -> str | None:
        """Cores as text such as ``0-2,5``; None when all are captured."""
        return self._fields.get("capture_enabled_for_nc")

    @property
    def profile_output_dir(self) -> str:
        return self._fields["profile_output_dir"]

    @property
    def neff_cache_dir(self) -> str | None:
        return self._fields.get("neff_cache_dir")

    @property
    def precache_node_info(self) -> bool:
        return self._fields["precache_node_info"] == "1"

    @property
    def correlate_device_time(self) -> bool:
        return self._fields["correlate_device_time"] == "1"

    def get_session_dir(self) -> str | None:
        """Absolute folder of the last capture made with these settings in this process, or None."""
        from lanewise import _C

        return _C.session_directory(self.custom_profiler_config) or None

    @property
    def _fields(self) -> dict[str, str]:
        return _decoded(self.custom_profiler_config)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NeuronConfig):
            return NotImplemented
        return self.custom_profiler_config == other.custom_profiler_config

    def __hash__(self) -> int:
        return hash(self.custom_profiler_config)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in _OWN_PARAMETERS)
        return f"NeuronConfig({shown})"


_OWN_PARAMETERS = (
    "modes",
    "max_events_per_nc",
    "capture_enabled_for_nc",
    "profile_output_dir",
    "neff_cache_dir",
    "precache_node_info",
    "correlate_device_time",
)

_decoded = functools.lru_cache(maxsize=64)(encoding.decode)


def _modes(value) -> list[ProfileMode]:
    if value is None:
        return [ProfileMode.DEVICE, ProfileMode.RUNTIME]
    if isinstance(value, (ProfileMode, str)):
        value = [value]
    if not isinstance(value, Iterable):
        raise TypeError(f"modes must be a list of ProfileMode, not {type(value).__name__}")
    wanted = {_mode(item) for item in value}
    if not wanted:
        raise ValueError("modes is empty; without a mode there is nothing to capture")
    return [mode for mode in ProfileMode if mode in wanted]  # one order, so that equal settings are equal texts


def _mode(item) -> ProfileMode:
    if isinstance(item, ProfileMode):
        return item
    if isinstance(item, str):
        name = item.upper()
        if name in ProfileMode.__members__:
            return ProfileMode[name]
        raise ValueError(f"modes: {item!r} is none of {', '.join(ProfileMode.__members__)}")
    raise TypeError(f"modes must hold ProfileMode, not {type(item).__name__}")


def _event_count(value) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"max_events_per_nc must be an int, not {type(value).__name__}")
    if not 0 < value < 2**63:
        raise ValueError(f"max_events_per_nc must be between 1 and 2**63 - 1, not {value}")
    return value


def _cores(value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        raise TypeError("capture_enabled_for_nc must be text or a list of int, not bool")
    if isinstance(value, int):
        value = [value]
    if isinstance(value, str):
        return encoding.core_text(encoding.core_list(value))
    if not isinstance(value, Iterable):
        raise TypeError(f"capture_enabled_for_nc must be text or a list of int, not {type(value).__name__}")
    cores = list(value)
    for core in cores:
        if isinstance(core, bool) or not isinstance(core, int):
            raise TypeError(f"capture_enabled_for_nc must hold int, not {type(core).__name__}")
    if not cores:
        raise ValueError("capture_enabled_for_nc is empty; leave it out to capture all cores")
    return encoding.core_text(encoding.core_list(",".join(map(str, cores))))


def _flag(name: str, value) -> str:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a bool, not {type(value).__name__}")
    return "1" if value else "0"


def _path(name: str, value) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} must be a str or a Path, not {type(value).__name__}")
    text = os.fspath(value)
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a text path, not bytes")
    if not text or "\0" in text:
        raise ValueError(f"{name} is {text!r}, which cannot be a path")
    return text


def _check_output_dir(text: str) -> None:
    """Finds out now, and not at the end of a long run, that the folder cannot be made."""
    path = Path(os.path.abspath(text))
    existing = next(p for p in (path, *path.parents) if os.path.lexists(p))
    if not existing.is_dir():
        raise NotADirectoryError(f"profile_output_dir {text!r}: {str(existing)!r} is not a folder")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise PermissionError(f"profile_output_dir {text!r}: no permission to write in {str(existing)!r}")

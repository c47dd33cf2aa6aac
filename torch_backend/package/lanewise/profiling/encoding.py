# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The text in which a configuration travels through Kineto: ``key:value;key:value``, values percent-encoded.

Kineto reads configuration by lines, cuts them at ``#`` and wants exactly one ``=``; a text with any of these loses the
profile (torch 2.14+) or ends the process (2.13). So nothing outside a small alphabet is ever sent raw. The reader of
this form in C++ is ``torch_backend/csrc/profile_text.cc``.
"""

from urllib.parse import quote, unquote

_SAFE = ".-_,/"


def encode(fields: dict[str, str]) -> str:
    """Text of ``fields`` in their order."""
    return ";".join(f"{key}:{quote(value, safe=_SAFE)}" for key, value in fields.items())


def decode(text: str) -> dict[str, str]:
    """Inverse of :func:`encode`; a part without ``:`` is a ValueError that shows it."""
    fields = {}
    for part in text.split(";"):
        if not part:
            continue
        key, colon, value = part.partition(":")
        if not colon:
            raise ValueError(f"{part!r} in a profiler configuration is not of the form key:value")
        fields[key] = unquote(value)
    return fields


def core_text(cores: list[int]) -> str:
    """``[0, 1, 2, 5]`` as ``0-2,5``."""
    runs: list[list[int]] = []
    for core in sorted(set(cores)):
        if runs and core == runs[-1][1] + 1:
            runs[-1][1] = core
        else:
            runs.append([core, core])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def core_list(text: str) -> list[int]:
    """``"0,1,2-5"`` as a list of core numbers; ValueError names the part that is not one."""
    cores: list[int] = []
    for part in text.split(","):
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f"capture_enabled_for_nc: {part!r} is neither a core number nor a range such as 2-5")
        begin, end = int(first), int(last if dash else first)
        if end < begin or end > _LAST_CORE:
            raise ValueError(f"capture_enabled_for_nc: {part!r} is not a range within 0-{_LAST_CORE}")
        cores.extend(range(begin, end + 1))
    return cores


_LAST_CORE = 4095  # as kMaxCores of trace/record/capture.h

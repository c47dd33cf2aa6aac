# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""For tests: real pairs edited so that they show what the given ones do not. docs/formats/neff.md and ntff.md have the fields.

`program` and `both_cores`: a pair whose two cores both work. The second core, which does nothing in the real ones, gets the
first one's program and records, on the sixteen DMA engines after its own.
`without`: a capture that lost records.
"""

from __future__ import annotations

import io
import struct
import tarfile
from collections.abc import Callable

Field = list  # number, wire type, value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _fields(data: bytes) -> list[Field]:
    at, out = 0, []
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            value, at = _varint(data, at)
        else:
            size, at = _varint(data, at) if key & 7 == 2 else (8 if key & 7 == 1 else 4, at)
            value, at = data[at : at + size], at + size
        out.append([key >> 3, key & 7, value])
    return out


def _encoded(value: int) -> bytes:
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def _message(fields: list[Field]) -> bytes:
    out = bytearray()
    for number, wire, value in fields:
        out += _encoded(number << 3 | wire)
        out += _encoded(value) if wire == 0 else (_encoded(len(value)) if wire == 2 else b"") + value
    return bytes(out)


def members(neff: bytes) -> dict[str, bytes]:
    """The files in the archive of a NEFF."""
    with tarfile.open(fileobj=io.BytesIO(neff[1024:])) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar.getmembers() if m.isfile()}


def with_members(neff: bytes, content: dict[str, bytes]) -> bytes:
    """The NEFF with these files instead."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        for name, data in content.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    header = bytearray(neff[:1024])
    struct.pack_into("<Q", header, 16, archive.tell())
    return bytes(header) + archive.getvalue()


def program(neff: bytes) -> bytes:
    content = {name: data for name, data in members(neff).items() if "sg01/" not in name}
    content |= {name.replace("sg00/", "sg01/"): data for name, data in content.items() if "sg00/" in name}
    return with_members(neff, content)


def _edited(ntff: bytes, edit: Callable[[list[bytes], bytes], tuple[list[bytes], bytes]]) -> bytes:
    """`edit` gets the messages of the cores and the records, and gives both back."""
    size = struct.unpack_from("<Q", ntff)[0] >> 8
    metadata, records = _fields(ntff[128 : 128 + size]), ntff[128 + size :]
    run = next(f for f in metadata if f[0] == 4)
    outer = _fields(run[2])
    entry = next(f for f in outer if f[0] == 4)
    cores = _fields(entry[2])
    messages = [c for c in cores if c[0] == 1]
    edited, records = edit([c[2] for c in messages], records)
    for core, value in zip(messages, edited, strict=True):
        core[2] = value
    entry[2] = _message(cores)
    run[2] = _message(outer)
    encoded = _message(metadata)
    header = bytearray(ntff[:128])
    struct.pack_into("<Q", header, 0, ntff[0] | len(encoded) << 8)
    return bytes(header) + encoded + records


def _numbers(message: bytes) -> dict[int, int]:
    return {number: value for number, wire, value in _fields(message) if wire == 0}


def _placed(section: bytes, offset: int, size: int) -> bytes:
    rest = [f for f in _fields(section) if f[0] not in (5, 6)]
    return _message(sorted([*rest, [5, 0, offset], [6, 0, size]], key=lambda f: f[0]))


def both_cores(ntff: bytes) -> bytes:
    def edit(cores: list[bytes], records: bytes) -> tuple[list[bytes], bytes]:
        first = _fields(cores[0])
        places = [_numbers(value) for number, _, value in first if number == 6]
        end = max(p.get(5, 0) + p.get(6, 0) for p in places)
        names = {number: value for number, _, value in _fields(cores[1]) if number in (1, 3)}
        second, twin = bytearray(), []
        for number, wire, value in first:
            if number in names:
                value = names[number]
            elif number == 6:
                place = _numbers(value)
                part = bytearray(records[place.get(5, 0) :][: place.get(6, 0)])
                if place.get(3, 0) == 1:  # DMA: the kind has the engine
                    part[3::16] = bytes(kind + 16 for kind in part[3::16])
                value = _placed(value, end + len(second), len(part))
                second += part
            elif number == 7:
                value = _message([[n, w, v + 16 if n == 1 else v] for n, w, v in _fields(value)])
            twin.append([number, wire, value])
        return [cores[0], _message(twin), *cores[2:]], records[:end] + bytes(second)

    return _edited(ntff, edit)


def without(ntff: bytes, content: int, begin: int, count: int) -> bytes:
    """Records `begin` to `begin + count` of the first core's section of `content` are gone; the next one says so."""

    def edit(cores: list[bytes], records: bytes) -> tuple[list[bytes], bytes]:
        sections = [_numbers(value) for number, _, value in _fields(cores[0]) if number == 6]
        start = next(s.get(5, 0) for s in sections if s.get(1, 0) == content and s.get(6, 0) > 0)
        gone = range(start + 16 * begin, start + 16 * (begin + count))
        out = []
        for core in cores:
            edited = []
            for number, wire, value in _fields(core):
                place = _numbers(value) if number == 6 else {}
                if number == 6 and place.get(5, 0) > start:
                    value = _placed(value, place[5] - len(gone), place.get(6, 0))
                elif number == 6 and place.get(5, 0) == start and place.get(1, 0) == content:
                    value = _placed(value, start, place[6] - len(gone))
                edited.append([number, wire, value])
            out.append(_message(edited))
        kept = bytearray(records)
        kept[gone.stop + 3] |= 64
        return out, bytes(kept[: gone.start] + kept[gone.stop :])

    return _edited(ntff, edit)

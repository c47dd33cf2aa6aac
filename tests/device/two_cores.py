# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""For tests: a pair whose two cores both work, made of a real one whose second core does nothing.

The second core gets the first one's program and records, on the sixteen DMA engines after its own.
docs/formats/neff.md and ntff.md have the fields.
"""

from __future__ import annotations

import io
import struct
import tarfile

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


def program(neff: bytes) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(neff[1024:])) as tar:
        members = {m.name: tar.extractfile(m).read() for m in tar.getmembers() if m.isfile()}
    members = {name: data for name, data in members.items() if "sg01/" not in name}
    members |= {name.replace("sg00/", "sg01/"): data for name, data in members.items() if "sg00/" in name}
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    header = bytearray(neff[:1024])
    struct.pack_into("<Q", header, 16, archive.tell())
    return bytes(header) + archive.getvalue()


def capture(ntff: bytes) -> bytes:
    size = struct.unpack_from("<Q", ntff)[0] >> 8
    metadata, records = _fields(ntff[128 : 128 + size]), ntff[128 + size :]
    second = bytearray()

    def numbers(message: bytes) -> dict[int, int]:
        return {number: value for number, wire, value in _fields(message) if wire == 0}

    def section(message: bytes, first_bytes: int) -> bytes:
        place = numbers(message)
        part = bytearray(records[place.get(5, 0) :][: place.get(6, 0)])
        if place.get(3, 0) == 1:  # DMA: the kind has the engine
            part[3::16] = bytes(kind + 16 for kind in part[3::16])
        moved = [f for f in _fields(message) if f[0] != 5] + [[5, 0, first_bytes + len(second)]]
        second.extend(part)
        return _message(sorted(moved, key=lambda f: f[0]))

    def twin(first: bytes, own: bytes) -> bytes:
        sections = [numbers(value) for number, _, value in _fields(first) if number == 6]
        first_bytes = max(s.get(5, 0) + s.get(6, 0) for s in sections)
        names = {number: value for number, _, value in _fields(own) if number in (1, 3)}
        out = []
        for number, wire, value in _fields(first):
            if number in names:
                value = names[number]
            elif number == 6:
                value = section(value, first_bytes)
            elif number == 7:
                value = _message([[n, w, v + 16 if n == 1 else v] for n, w, v in _fields(value)])
            out.append([number, wire, value])
        twin.first_bytes = first_bytes
        return _message(out)

    for top in metadata:
        if top[0] != 4:
            continue
        run = _fields(top[2])
        for entry in run:
            if entry[0] != 4:
                continue
            cores = _fields(entry[2])
            at = [i for i, core in enumerate(cores) if core[0] == 1]
            cores[at[1]][2] = twin(cores[at[0]][2], cores[at[1]][2])
            entry[2] = _message(cores)
        top[2] = _message(run)
    encoded = _message(metadata)
    header = bytearray(ntff[:128])
    struct.pack_into("<Q", header, 0, ntff[0] | len(encoded) << 8)
    return bytes(header) + encoded + records[: twin.first_bytes] + bytes(second)

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a trace is opened: one command of ours beside Python's `json.load`, on the same files, in the same run.

    python bench/import.py [--command "build/tools/lanewise info --json"] [--repeat 3] [--generate GB ...] FILE...

Every program runs in a process of its own, start included, with the file in the cache of the system. Printed per file: size
of the text, events, and per program the median wall time, CPU time, MB of text per second, events per second, and peak
memory; then the ratios that matter. `--generate` also makes files of about that many GB from the first FILE: its events
repeated, each copy later by the span of the file and with ids of its own. Nothing is asserted: numbers are for reading.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

JSON_LOAD = """
import gzip, json, sys
opener = gzip.open if open(sys.argv[1], "rb").read(2) == b"\\x1f\\x8b" else open
with opener(sys.argv[1], "rt", encoding="utf-8", errors="replace") as f:
    d = json.load(f)
print(len(d if isinstance(d, list) else d["traceEvents"]))
"""


def measure(command: list[str], repeat: int) -> dict | None:
    """Median wall seconds, CPU seconds and peak MB over `repeat` runs; None when the command fails."""
    runs = []
    for _ in range(repeat):
        started = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        error = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            print(f"    FAILED ({child.returncode}): {' '.join(command[:3])} ... {error.decode(errors='replace')[-200:].strip()}")
            return None
        runs.append((wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
    wall, cpu, memory = (statistics.median(column) for column in zip(*runs))
    return {"wall": wall, "cpu": cpu, "memory": memory}


def text_of(path: Path) -> bytes:
    raw = path.read_bytes()
    return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw


def generate(source: Path, gigabytes: float, folder: Path) -> Path:
    """About that much text: the events of `source` again and again, with times and ids that move on."""
    out = folder / f"{source.name.split('.')[0]}_{gigabytes:g}GB.json.gz"
    text = text_of(source)
    begin = text.index(b"[", text.index(b'"traceEvents"')) + 1 if text.lstrip()[:1] == b"{" else text.index(b"[") + 1
    # The last event ends where the last `}` before a `]` of the array stands: the longest prefix that ends an event.
    end = max(m.end() - 1 for m in re.finditer(rb"\}\s*\]", text) if text[m.end():m.end() + 40].lstrip()[:1] in (b",", b"}", b""))
    body = text[begin:end].rstrip()
    stamps = [float(m) for m in re.findall(rb'"ts":\s*"?(\d+(?:\.\d+)?)', body)]
    usual = statistics.median(stamps)
    span = int(max(s for s in stamps if s < usual + 1e9) - min(s for s in stamps if s > usual - 1e9)) + 1000
    moving = re.compile(rb'("(?:ts|id|correlation|External id|external id)":\s*)(\d+)')
    copies = max(1, round(gigabytes * 1e9 / len(body)))
    with gzip.open(out, "wb", compresslevel=1) as file:
        file.write(text[:begin])
        for copy in range(copies):
            shift = {b'"ts"': copy * span}

            def moved(m: re.Match, shift=shift, ids=copy * 10_000_000) -> bytes:
                return m[1] + str(int(m[2]) + shift.get(m[1][:4], ids)).encode()

            file.write((b"," if copy else b"") + (moving.sub(moved, body) if copy else body))
        file.write(text[end:])
    return out


def report(path: Path, command: list[str], repeat: int) -> None:
    size = 0
    with gzip.open(path) if path.open("rb").read(2) == b"\x1f\x8b" else path.open("rb") as file:
        while block := file.read(1 << 24):
            size += len(block)
    counted = subprocess.run([sys.executable, "-c", JSON_LOAD, str(path)], capture_output=True, text=True)
    events = int(counted.stdout or 0)
    print(f"\n{path.name}: {path.stat().st_size / 1e6:.1f} MB stored, {size / 1e6:.1f} MB of text, {events:,} events")
    print(f"    {'':12}{'wall s':>9}{'CPU s':>9}{'MB/s':>9}{'M events/s':>12}{'peak MB':>9}{'peak/text':>11}")
    rows = {"ours": measure([*command, str(path)], repeat), "json.load": measure([sys.executable, "-c", JSON_LOAD, str(path)], repeat)}
    for name, row in rows.items():
        if row:
            print(f"    {name:12}{row['wall']:9.3f}{row['cpu']:9.3f}{size / 1e6 / row['wall']:9.0f}{events / 1e6 / row['wall']:12.2f}"
                  f"{row['memory']:9.0f}{row['memory'] * 1048576 / size:11.2f}")
    if rows["ours"] and rows["json.load"]:
        ours, load = rows["ours"], rows["json.load"]
        print(f"    ours / json.load: CPU {ours['cpu'] / load['cpu']:.3f}, wall {ours['wall'] / load['wall']:.3f}, memory {ours['memory'] / load['memory']:.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/tools/lanewise info --json")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--generate", type=float, nargs="*", default=[], metavar="GB")
    parser.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    print(f"{os.cpu_count()} CPUs, load average {load}")
    command = shlex.split(options.command)
    for path in options.files:
        report(path, command, options.repeat)
    with tempfile.TemporaryDirectory(prefix="lanewise_bench_") as folder:
        for gigabytes in options.generate:
            report(generate(options.files[0], gigabytes, Path(folder)), command, options.repeat)
    return 0


if __name__ == "__main__":
    sys.exit(main())

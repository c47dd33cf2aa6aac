# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""What the given captures do not show: both cores of a pair at work, sharing their HBM stack; records lost in the middle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import edited_captures  # noqa: E402

LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))
HARDWARE = Path(os.environ.get("LANEWISE_SHARED", Path(__file__).resolve().parents[2].parent / "shared")) / "hardware"


def asked(*arguments: str | Path) -> dict:
    done = subprocess.run([LANEWISE, *map(str, arguments), "--json"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    real = HARDWARE / "stream_256k_fd1k.neff"
    if not real.exists():
        pytest.skip(f"{real} is not there: two working cores are not tested")
    both = tmp_path_factory.mktemp("two") / real.name
    both.write_bytes(edited_captures.program(real.read_bytes()))
    both.with_suffix(".ntff").write_bytes(edited_captures.both_cores(real.with_suffix(".ntff").read_bytes()))
    return real, both


def test_counts_double_and_times_stay(pair: tuple[Path, Path]) -> None:
    one, two = (asked("device", "dma", p) for p in pair)
    assert {q["core"] for q in two["queues"]} == {0, 1}
    assert sum(q["bytes"] for q in two["queues"]) == 2 * sum(q["bytes"] for q in one["queues"])
    first, second = ([{k: v for k, v in q.items() if k != "core"} for q in two["queues"] if q["core"] == core] for core in (0, 1))
    assert first == second == [{k: v for k, v in q.items() if k != "core"} for q in one["queues"]]
    metrics = [{m["metric"]: m["value"] for m in asked("device", "summary", p)["metrics"]} for p in pair]
    assert metrics[1]["total_time"] == metrics[0]["total_time"]
    assert metrics[1]["vector_active_time"] == metrics[0]["vector_active_time"]  # a mean over cores
    engines = asked("device", "stalls", pair[1])["engines"]
    assert {(e["core"], e["engine"]) for e in engines if e["busy_ps"] > 0} == {(c, e) for c in (0, 1) for e in ("vector", "gpsimd", "sync")}


def test_cores_share_the_hbm_stack_in_the_replay(pair: tuple[Path, Path]) -> None:
    alone, both = (asked("validate", p, p.with_suffix(".ntff")) for p in pair)
    assert [k["name"].split()[-1] for k in both["kernels"][1:]] == ["0", "1"]
    assert both["ledger"]["unknown"] == 0
    assert both["ledger"]["records"] > alone["ledger"]["records"]
    # Sixteen DMA engines of one core draw less than a stack gives, thirty-two of two cores more.
    assert both["kernels"][0]["ours_ns"] > 1.05 * alone["kernels"][0]["ours_ns"]
    roomy = asked("validate", pair[1], pair[1].with_suffix(".ntff"), "--machine", "trn2,dma.hbm_bytes_per_second=3680000000000")
    assert roomy["kernels"][0]["ours_ns"] < 1.05 * alone["kernels"][0]["ours_ns"]


def test_the_public_summary_counts_both_cores(pair: tuple[Path, Path]) -> None:
    blocks = []
    for neff in pair:
        done = subprocess.run([LANEWISE, "view", "-n", neff, "-s", neff.with_suffix(".ntff"), "--output-format", "summary-json"],
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        blocks.append(next(iter(json.loads(done.stdout).values())))
    assert blocks[1]["nc_idx"] == 0  # the logical core, which the two physical ones are
    # The other core of the real capture only sets up and winds down.
    assert blocks[1]["vector_engine_instruction_count"] == blocks[0]["vector_engine_instruction_count"] + 2
    assert blocks[1]["total_exec_time"] == blocks[0]["total_exec_time"]


def test_both_cores_run_for_values(pair: tuple[Path, Path], tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    a, b = (random.standard_normal(256000).astype(np.float32) for _ in range(2))
    np.savez(tmp_path / "x.npz", a_vec=a, b_vec=b)
    done = subprocess.run([LANEWISE, "device", "run", pair[1], "--inputs", tmp_path / "x.npz", "--outputs", tmp_path / "y.npz"],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "y.npz") as y:
        assert np.array_equal(y["out"], a + b)


@pytest.mark.parametrize("name", ["stream_256k_fd1k", "transpose_1024", "conv2d_4_float16_smaller"])
@pytest.mark.parametrize(("content", "begin", "count"), [(4, 300, 1), (4, 687, 100), (4, 1170, 3), (0, 400, 40), (1, 300, 50)])
def test_lost_records_spoil_only_what_they_were_of(name: str, content: int, begin: int, count: int, tmp_path: Path) -> None:
    real = HARDWARE / f"{name}.neff"
    if not real.exists():
        pytest.skip(f"{real} is not there: lost records are not tested")
    lossy = tmp_path / f"{name}.ntff"
    lossy.write_bytes(edited_captures.without(real.with_suffix(".ntff").read_bytes(), content, begin, count))
    whole, rest = (asked("validate", real, ntff) for ntff in (real.with_suffix(".ntff"), lossy))
    assert rest["ledger"]["records"] == whole["ledger"]["records"] - count
    assert abs(rest["kernels"][0]["error"]) < 0.1
    before, after = ({k["kind"]: k for k in v["kernels"][0]["kinds"]} for v in (whole, rest))
    for kind in ("DMA_OCCUPANCY", "DMA_LATENCY"):
        assert after[kind]["n"] >= before[kind]["n"] - count
        assert after[kind]["mae_pct"] < 2 * before[kind]["mae_pct"], kind

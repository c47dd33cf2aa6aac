# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The study says what the article says, from machine parameters, and nothing in it is special-cased."""

import json
import subprocess

import pytest

from pathlib import Path
import sys

LANEWISE = Path(sys.executable).parent / "lanewise"
SILICON = "trn2,exec_overhead_ns=0,device_capture_overhead_ns=0"


def device_rows(variant):
    return {r["name"]: r for r in variant["rows"] if r["device_ns"] and "copy" not in r["name"]}


def test_eager_is_six_launches_of_four_operators(study, by_name):
    eager = by_name(study())["eager"]
    rows = device_rows(eager)
    assert {name: r["calls"] for name, r in rows.items()} == {"aten::mul": 3, "aten::add": 1, "aten::rsqrt": 1, "aten::mean": 1}
    assert eager["launches"] == 6
    assert sum(r["device_ns"] for r in rows.values()) == eager["device_ns"]


def test_the_copy_of_eps_is_its_own_cost(study, by_name):
    eager = by_name(study())["eager"]
    assert eager["h2d_copies"] == 1 and eager["copy_ns"] > 0
    copies = [r for r in eager["rows"] if "copy" in r["name"] and r["device_ns"]]
    assert sum(r["device_ns"] for r in copies) == eager["copy_ns"]


def test_fused_and_compiled_are_one_launch_each(study, by_name):
    variants = by_name(study())
    assert variants["fused"]["launches"] == variants["compiled"]["launches"] == 1
    assert list(device_rows(variants["fused"])) == ["aten::_fused_rms_norm"]
    (name,) = device_rows(variants["compiled"])
    assert name.startswith("Torch-Compiled Region")


@pytest.mark.parametrize("name,article_ns", [("eager", 2_355_000), ("fused", 403_300), ("compiled", 375_500)])
def test_device_time_is_within_a_tenth_of_the_article(study, by_name, name, article_ns):
    assert by_name(study())[name]["device_ns"] == pytest.approx(article_ns, rel=0.10)


def test_shares_and_ratio_are_the_articles(study, by_name):
    variants = by_name(study())
    eager = variants["eager"]
    rows = device_rows(eager)
    for name, share in {"aten::mul": 49.5, "aten::add": 18.5, "aten::rsqrt": 17.6, "aten::mean": 14.5}.items():
        assert 100 * rows[name]["device_ns"] / eager["device_ns"] == pytest.approx(share, abs=5), name
    assert 5.5 <= eager["device_ns"] / variants["compiled"]["device_ns"] <= 6.5


def test_runtime_only_shows_the_floor_and_a_little_arithmetic(study, by_name):
    result = study("--modes", "runtime")
    eager = by_name(result)["eager"]
    assert eager["overhead_ns"] == 6 * result["machine"]["exec_overhead_ns"]
    for row in device_rows(eager).values():
        assert 15_000 < row["device_ns"] / row["calls"] < 30_000


def test_the_captures_own_cost_is_the_difference(study, by_name):
    watched, unwatched = study(), study("--modes", "runtime")
    per_launch = watched["machine"]["device_capture_overhead_ns"]
    for name, variant in by_name(watched).items():
        assert variant["device_ns"] - by_name(unwatched)[name]["device_ns"] == variant["launches"] * per_launch


def test_without_overheads_the_silicon_takes_microseconds(study, by_name):
    for variant in study("--machine", SILICON)["variants"]:
        assert variant["overhead_ns"] == 0
        assert 0 < variant["device_ns"] / variant["launches"] < 15_000


@pytest.mark.parametrize("change,slower", [("dma.clock_khz=85000", 1.2), ("dma.start_ps=7900000", 1.5),
                                           ("vector.clock_khz=96000", 1.1)])   # other engines take part of its work
def test_a_slower_machine_is_slower(study, by_name, change, slower):
    fast, slow = study("--machine", SILICON), study("--machine", f"{SILICON},{change}")
    assert by_name(slow)["eager"]["device_ns"] > slower * by_name(fast)["eager"]["device_ns"]


def test_exec_overhead_is_paid_once_a_launch(study, by_name):
    silicon = study("--machine", SILICON)
    charged = study("--machine", "trn2,exec_overhead_ns=1000,device_capture_overhead_ns=0")
    for name, variant in by_name(charged).items():
        assert variant["device_ns"] - by_name(silicon)[name]["device_ns"] == 1000 * variant["launches"]


def test_device_times_do_not_change_from_run_to_run(study, by_name, tmp_path):
    again = json.loads(subprocess.run([LANEWISE, "study", "rmsnorm", "--json", "--output", tmp_path],
                                      capture_output=True, text=True, check=True).stdout)
    for name, variant in by_name(again).items():
        assert variant["device_ns"] == by_name(study())[name]["device_ns"]


def test_json_has_the_promised_shape(study):
    result = study()
    assert set(result) == {"schema", "machine", "variants"} and result["schema"] == 1
    assert set(result["machine"]) == {"preset", "exec_overhead_ns", "device_capture_overhead_ns", "simulator_version"}
    for variant in result["variants"]:
        assert set(variant) == {"name", "launches", "device_ns", "overhead_ns", "copy_ns", "self_cpu_ns", "h2d_copies", "rows", "capture"}
        assert all(type(variant[k]) is int for k in ("launches", "device_ns", "overhead_ns", "copy_ns", "self_cpu_ns", "h2d_copies"))
        assert variant["self_cpu_ns"] == sum(r["self_cpu_ns"] for r in variant["rows"])
        assert Path(variant["capture"]).is_absolute() and (Path(variant["capture"]) / "trace.json").exists()
        assert len({r["name"] for r in variant["rows"]}) == len(variant["rows"])


def test_a_capture_holds_the_promised_files(study, by_name):
    folder = Path(by_name(study())["eager"]["capture"])
    assert folder.parent.name.startswith("i-") and "_pid_" in folder.parent.name
    assert {"trace.json", "ntrace.pb", "trace_info.pb"} <= {p.name for p in folder.iterdir()}
    neffs, ntffs = list(folder.glob("neff_*_vnc_0.neff")), list(folder.glob("*_instid_*_vnc_0.ntff"))
    assert neffs and {p.name.split("_")[1] for p in neffs} == {p.name.split("_")[0] for p in ntffs}


def test_big_shapes_take_bytes_over_bandwidth(study, by_name):
    small = by_name(study("--machine", SILICON, "--shape", "1024x4096"))
    large = by_name(study("--machine", SILICON, "--shape", "4096x4096"))
    moved = 2 * 4096 * 4096 * 2   # read and written once, bf16
    for name in ("fused", "compiled"):
        assert large[name]["device_ns"] > 2 * small[name]["device_ns"]
        assert 0.6 * 368e9 < moved / (large[name]["device_ns"] * 1e-9) < 368e9   # hbm_bytes_per_second of trn2


def test_hbm_bandwidth_bounds_big_shapes(study, by_name):
    full = by_name(study("--machine", SILICON, "--shape", "4096x4096"))
    half = by_name(study("--machine", SILICON + ",dma.hbm_bytes_per_second=184000000000", "--shape", "4096x4096"))
    assert half["compiled"]["device_ns"] > 1.4 * full["compiled"]["device_ns"]


@pytest.mark.parametrize("options,reason", [
    (["--machine", "trn9"], "trn9"), (["--machine", "trn2,exec_overhead=1"], "exec_overhead_ns"), (["--shape", "4xx"], "4x512"),
    (["--dtype", "f64"], "bf16"), (["--modes", "gpu"], "device and runtime"),
])
def test_bad_options_are_refused_with_a_sentence(options, reason):
    result = subprocess.run([LANEWISE, "study", "rmsnorm", *options], capture_output=True, text=True)
    assert result.returncode in (1, 2) and reason in result.stderr and not result.stdout
    assert "Traceback" not in result.stderr

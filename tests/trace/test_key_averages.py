# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""`lanewise ops` of an exported trace equals PyTorch's own table of the same profile, key by key, within 1e-3 us.

A key is (name, device type, annotation flag). PyTorch adds annotation ranges on the device to the device time of the annotation
on the host; no profile here has such ranges, so nothing is left out of the comparison.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
from torch.profiler import ProfilerActivity, profile, record_function, schedule  # noqa: E402

LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))
COLUMNS = {"self_cpu_ns": "self_cpu_time_total", "cpu_ns": "cpu_time_total",
           "self_device_ns": "self_device_time_total", "device_ns": "device_time_total"}


def model_and_input(device: str):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)).to(device)
    return model, torch.randn(8, 16).to(device)


def pytorch_table(prof) -> dict[tuple[str, str, bool], dict[str, float]]:
    """The printed table's rows; times in us."""
    # The enum's own name of PrivateUse1 changes when a backend renames it.
    names = {torch.autograd.DeviceType.PrivateUse1: "PrivateUse1"}
    table = {}
    for row in prof.key_averages():
        key = (row.key, names.get(row.device_type, row.device_type.name), bool(row.is_user_annotation))
        assert key not in table
        table[key] = {"calls": row.count} | {ours: getattr(row, theirs) for ours, theirs in COLUMNS.items()}
    return table


def our_table(trace: Path) -> dict[tuple[str, str, bool], dict[str, float]]:
    done = subprocess.run([LANEWISE, "ops", "--json", trace], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["schema"] == 1
    table = {}
    for row in answer["rows"]:
        key = (row["name"], row["device_type"], row["annotation"])
        assert key not in table
        table[key] = {"calls": row["calls"]} | {name: row[name] / 1000 for name in COLUMNS}
    return table


def assert_equal_tables(prof, trace: Path) -> dict:
    theirs, ours = pytorch_table(prof), our_table(trace)
    assert set(ours) == set(theirs)
    for key, row in theirs.items():
        assert ours[key]["calls"] == row["calls"], key
        for column in COLUMNS:
            assert ours[key][column] == pytest.approx(row[column], abs=1e-3, rel=0), (key, column)
    return ours


@pytest.mark.parametrize("with_stack", [False, True], ids=["plain", "with_stack"])
def test_training_on_the_cpu(tmp_path: Path, with_stack: bool) -> None:
    model, x = model_and_input("cpu")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    path = tmp_path / "trace.json"
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=2), with_stack=with_stack,
                 record_shapes=True, on_trace_ready=lambda p: p.export_chrome_trace(str(path))) as prof:
        for _ in range(4):
            with record_function("forward"):
                loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            prof.step()
    ours = assert_equal_tables(prof, path)
    # The comparison saw what it is about: nesting, annotations, steps, a backward thread's operators.
    assert ours["ProfilerStep*", "CPU", True]["calls"] == 2
    assert ours["aten::linear", "CPU", False]["self_cpu_ns"] < ours["aten::linear", "CPU", False]["cpu_ns"]
    assert ("AddmmBackward0", "CPU", False) in ours


def test_operators_inside_operators_of_the_same_name(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        with record_function("range"), record_function("range"):
            with record_function("range"):
                torch.ones(4).add_(1)
            torch.ones(4)
    prof.export_chrome_trace(str(path))
    assert_equal_tables(prof, path)


def test_device_time_on_neuron(tmp_path: Path) -> None:
    pytest.importorskip("lanewise", reason="the device neuron is not built into this environment")
    model, x = model_and_input("neuron")
    path = tmp_path / "trace.json"
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]) as prof, torch.no_grad():
        for _ in range(2):
            with record_function("forward"):
                y = model(x)
        y.cpu()
        torch.neuron.synchronize()
    prof.export_chrome_trace(str(path))
    ours = assert_equal_tables(prof, path)
    device = [row for key, row in ours.items() if key[1] == "PrivateUse1"]
    host = [row for key, row in ours.items() if key[1] == "CPU"]
    assert device and all(row["cpu_ns"] == 0 for row in device)
    assert sum(row["self_device_ns"] for row in host) == pytest.approx(sum(row["self_device_ns"] for row in device), abs=1e-3)
    # Of a capture of ours nearly all idle time has a cause.
    done = subprocess.run([LANEWISE, "gaps", "--json", path], capture_output=True, text=True, timeout=300)
    (gaps,) = json.loads(done.stdout)["devices"]
    assert gaps["device"] == "neuron:0"
    assert gaps["busy_ns"] + sum(gaps["causes"].values()) == gaps["wall_ns"]
    assert gaps["causes"]["overhead"] > 0 and gaps["causes"]["unknown"] <= 0.1 * gaps["wall_ns"]

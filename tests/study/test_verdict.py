# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The study's own captures through the second half of the analyses: the copy of eps is found with its line, and the captures compare."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))
SOURCE = Path(__file__).parents[2] / "examples" / "rmsnorm.py"


def ask(*words, code=0):
    result = subprocess.run([LANEWISE, *words], capture_output=True, text=True, timeout=120)
    assert result.returncode == code, result.stderr
    return json.loads(result.stdout) if "--json" in words else result


@pytest.fixture(scope="module")
def captures(study, by_name):
    return {name: v["capture"] for name, v in by_name(study()).items()}


def lines_of(function):
    """First and last line of a function of the example."""
    lines = SOURCE.read_text().splitlines()
    first = next(i for i, line in enumerate(lines, 1) if line.startswith(f"def {function}("))
    last = next((i - 1 for i, line in enumerate(lines[first:], first + 1) if line and not line.startswith(" ")), len(lines))
    return first, last


def test_the_eps_copy_is_the_first_finding_of_its_kind(captures):
    findings = ask("verdict", captures["eager"], "--json")["findings"]
    copies = [f for f in findings if f["kind"] == "h2d_copy"]
    assert copies, [f["kind"] for f in findings]
    finding = copies[0]
    assert finding["file"].endswith("examples/rmsnorm.py")
    first, last = lines_of("separate")
    assert first <= finding["line"] <= last
    assert "aten::add copies 4 bytes from host to device" in finding["text"]
    (copy,) = [r for r in ask("copies", captures["eager"], "--json")["rows"] if r["kind"] == "HtoD"]
    assert copy["event"] in finding["evidence"] and finding["gain_ns"] >= copy["sum_ns"]
    assert (copy["bytes"], copy["op"], copy["inside"]) == (4, "aten::add", "aten::add")


def test_no_gain_holds_the_overhead_of_the_watching(captures):
    findings = ask("verdict", captures["eager"], "--json")["findings"]
    # Six executions of 15 us overhead each, and one has to stay; the capture's 370 us of each are in no finding.
    (overhead,) = [f for f in findings if f["kind"] == "execution_overhead"]
    assert overhead["gain_ns"] == 5 * 15_000
    assert any(f["kind"] == "cannot_tell" and "capture's own overhead" in f["text"] for f in findings)
    assert [f["rank"] for f in findings] == list(range(1, len(findings) + 1))


def test_the_fused_variant_has_no_copy(captures):
    assert not [f for f in ask("verdict", captures["fused"], "--json")["findings"] if f["kind"] == "h2d_copy"]
    assert ask("copies", captures["fused"], "--json")["rows"] == []


def test_compare_says_which_kernels_replaced_which(captures):
    answer = ask("compare", *captures.values(), "--json")
    assert [s["side"] for s in answer["sides"]] == ["A", "B", "C"]
    replaced = {r["side"]: r for r in answer["rows"] if r["status"] == "replaced"}
    assert replaced["B"]["a_calls"] == 6 and replaced["B"]["b_ops"] == "aten::rms_norm"
    assert "Memcpy HtoD" in replaced["B"]["a_kernels"] and replaced["B"]["b_kernels"] == "_fused_rms_norm"
    for side in "BC":
        parts = [p for p in answer["explain"] if p["side"] == side]
        (step,) = [m for m in answer["metrics"] if m["side"] == side and m["metric"] == "step"]
        assert sum(p["delta_ns"] for p in parts) == step["delta"]


def test_compare_is_a_gate(captures):
    ask("compare", captures["eager"], captures["eager"], "--fail-if", "step>1.03x")
    result = ask("compare", captures["fused"], captures["eager"], "--fail-if", "launches>1.03x", code=1)
    assert "launches>1.03x" in result.stderr
    ask("compare", captures["fused"], captures["eager"], "--fail-if", "nonsense>1.03x", code=2)
    ask("compare", captures["fused"], code=2)


@pytest.mark.parametrize("command", ["copies", "launches", "hidden", "overlap", "memory", "annotations", "health", "ranks", "verdict"])
def test_every_command_reads_every_capture(captures, command):
    for capture in captures.values():
        answer = ask(command, capture, "--json")
        assert answer["schema"] == 1 and answer["command"] == command
        assert ask(command, capture).stdout


@pytest.mark.parametrize("variant", ["eager", "fused", "compiled"])
def test_key_averages_are_those_of_pytorch(study, by_name, variant):
    """The study's rows come from PyTorch's own table of the same profile; here from the trace file."""
    entry = by_name(study())[variant]
    ours = {r["name"]: r for r in ask("ops", entry["capture"], "--json")["rows"] if r["device_type"] == "CPU" and not r["annotation"]}
    for row in entry["rows"]:
        same = ours[row["name"]]
        assert (row["calls"], row["device_ns"], row["self_cpu_ns"]) == (same["calls"], same["self_device_ns"], same["self_cpu_ns"]), row["name"]

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The command `lanewise info`: machine answer, exit codes, what goes to stderr, Ctrl-C."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))
EVENT = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1.5, "dur": 2, "args": {"correlation": 4, "device": 0}}


def info(*arguments: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([LANEWISE, "info", *map(str, arguments)], capture_output=True, text=True, timeout=300)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.json"
    path.write_text(json.dumps({"traceEvents": [EVENT, {"ph": "M", "name": "process_name", "args": {"name": "x"}}]}))
    return path


def test_machine_answer(good: Path) -> None:
    done = info("--json", good)
    assert done.returncode == 0 and done.stderr == ""
    answer = json.loads(done.stdout)
    assert answer["schema"] == 1
    assert answer["events"] == {"total": 2, "by_phase": {"M": 1, "X": 1}, "by_category": {"kernel": 1}}
    assert answer["device"] == {"0": {"events": 1, "sum_ns": 2000, "busy_ns": 2000, "first_ns": 0, "last_ns": 2000}}
    ledger = answer["ledger"]
    assert (ledger["read"], ledger["kept"], ledger["dropped"], ledger["unattributed"]) == (2, 2, 0, 1)
    size = ledger["bytes"]
    assert size["input"] == good.stat().st_size == size["events"] + size["structure"] + size["skipped"]


def test_compressed_and_plain_give_the_same_answer(good: Path, tmp_path: Path) -> None:
    packed = tmp_path / "good.json.gz"
    packed.write_bytes(gzip.compress(good.read_bytes()))
    plain, unpacked = json.loads(info("--json", good).stdout), json.loads(info("--json", packed).stdout)
    assert unpacked.pop("file")["compression"] == "gzip"
    plain.pop("file")
    assert plain == unpacked


def test_damage_is_one_line_and_strict_makes_it_an_error(good: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.json"
    cut.write_bytes(good.read_bytes()[:-30])
    done = info("--json", cut)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1 and "cut.json is damaged" in done.stderr and "cut off" in done.stderr
    assert json.loads(done.stdout)["ledger"]["truncated"] == 1
    assert info("--strict", cut).returncode == 2
    assert info("--strict", good).returncode == 0


@pytest.mark.parametrize("content, reason", [(b"", "the file is empty"), (b"no trace", "holds no trace events"), (None, "no such file")])
def test_unreadable_input_is_two(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "bad.json"
    if content is not None:
        path.write_bytes(content)
    done = info(path)
    assert done.returncode == 2 and reason in done.stderr and done.stdout == ""


def test_wrong_usage_is_two() -> None:
    assert info().returncode == 2
    assert info("--nonsense", "x").returncode == 2


def test_a_folder_of_ranks(tmp_path: Path) -> None:
    for rank in (5, 0):
        document = {"distributedInfo": {"rank": rank, "world_size": 8}, "traceEvents": [EVENT]}
        (tmp_path / f"host{9 - rank}.json").write_text(json.dumps(document))
    answer = json.loads(info("--json", tmp_path).stdout)
    assert [f["file"]["rank"] for f in answer["files"]] == [0, 5]
    assert set(answer["device"]) == {"0:0", "1:0"}
    assert answer["events"]["total"] == 2


def test_an_accelerator_from_a_text_file(tmp_path: Path, good: Path) -> None:
    trace, table = tmp_path / "mine.json", tmp_path / "mine.txt"
    trace.write_text(json.dumps([dict(EVENT, cat="my kernel")]))
    table.write_text('producer mine\ncategory "my kernel" kernel\n')
    assert json.loads(info("--json", trace).stdout)["device"] == {}
    assert json.loads(info("--json", "--producers", table, trace).stdout)["device"]["0"]["events"] == 1
    table.write_text("producer mine\ncategory x boss\n")
    done = info("--producers", table, good)
    assert done.returncode == 2 and "line 2" in done.stderr


def test_ctrl_c_stops_cleanly(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("w") as file:
        file.write("[")
        block = (json.dumps(EVENT) + ",") * 10_000
        for _ in range(150):
            file.write(block)
        file.write(json.dumps(EVENT) + "]")
    child = subprocess.Popen([LANEWISE, "info", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # Not before it reads: until then nobody catches the signal.
    while child.poll() is None and not any(os.path.realpath(fd) == str(path) for fd in Path(f"/proc/{child.pid}/fd").iterdir()):
        time.sleep(0.002)
    child.send_signal(signal.SIGINT)
    out, error = child.communicate(timeout=120)
    if child.returncode == 0:
        pytest.skip("the file was read before the signal came")
    assert child.returncode == 130 and "interrupted" in error and out == ""

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The commands on a trace: one answer in three forms, selection, sorting, limits and exit codes."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))
COMMANDS = ["summary", "ops", "kernels", "links", "tree", "gaps", "steps", "copies", "launches", "hidden", "overlap", "memory", "ranks",
            "annotations", "health", "verdict"]


def event(cat: str, name: str, pid: int, tid: int, ts: float, dur: float, **args) -> dict:
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur,
            "args": {key.replace("_", " "): value for key, value in args.items()}}


def run(*arguments: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([LANEWISE, *map(str, arguments)], capture_output=True, text=True, timeout=300)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Two steps of 50 us; each calls aten::mm, whose kernel takes 10 us."""
    events = []
    for step in range(2):
        at, key = 50 * step, 10 + step
        events += [event("user_annotation", f"ProfilerStep#{step + 5}", 1, 1, at, 50),
                   event("cpu_op", "aten::mm", 1, 1, at + 5, 20, External_id=key),
                   event("cuda_runtime", "cudaLaunchKernel", 1, 1, at + 10, 5, correlation=key, External_id=key),
                   event("kernel", 'gemm<float, "x">', 0, 7, at + 30, 10, device=0, stream=7, correlation=key, External_id=key)]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def rows(*arguments: str | Path) -> list[dict]:
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["rows"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_answers_in_three_forms(trace: Path, command: str) -> None:
    answer = run(command, "--json", trace)
    assert answer.returncode == 0 and answer.stderr == ""
    parsed = json.loads(answer.stdout)
    assert parsed["schema"] == 1 and parsed["command"] == command
    text = run(command, trace)
    assert text.returncode == 0 and text.stdout and "\x1b" not in text.stdout
    table = list(csv.reader(io.StringIO(run(command, "--csv", trace).stdout)))
    assert len({len(row) for row in table}) == 1
    # No copies, allocations, hidden costs or communication in this trace: the header alone.
    assert len(table) > 1 or command in ("copies", "hidden", "memory", "overlap")


def test_gaps_add_up_and_are_named(trace: Path) -> None:
    answer = json.loads(run("gaps", "--json", trace).stdout)
    device = answer["devices"][0]
    assert device["device"] == "cuda:0" and device["wall_ns"] == 100_000 and device["busy_ns"] == 20_000
    causes = {cause: ns for cause, ns in device["causes"].items() if ns}
    assert causes == {"queue_empty_start": 10_000, "launch_latency": 40_000, "host_busy": 20_000, "queue_empty_end": 10_000}
    assert sum(gap["dur_ns"] for gap in answer["gaps"]) == 80_000
    assert [step["step"] for step in answer["steps"]] == [5, 6]


def test_csv_and_json_hold_the_same(trace: Path) -> None:
    table = list(csv.DictReader(io.StringIO(run("kernels", "--csv", trace).stdout)))
    assert [row["name"] for row in table] == ['gemm<float, "x">']
    assert int(table[0]["sum_ns"]) == rows("kernels", trace)[0]["sum_ns"] == 20_000
    steps = list(csv.DictReader(io.StringIO(run("gaps", "--csv", "--table", "steps", trace).stdout)))
    assert [row["step"] for row in steps] == ["5", "6"]


def test_selection(trace: Path) -> None:
    assert {row["name"]: row["calls"] for row in rows("ops", trace)}["aten::mm"] == 2
    assert {row["name"]: row["calls"] for row in rows("ops", "--step", "6", trace)}["aten::mm"] == 1
    assert [row["name"] for row in rows("ops", "--name", "aten::*", trace)] == ["aten::mm"]
    assert [row["name"] for row in rows("ops", "--between", "0us,20us", "--name", "aten", trace)] == ["aten::mm"]
    assert len(rows("ops", "--by", "step", "--name", "aten", trace)) == 2
    assert len(rows("links", "--device", "cuda:0", trace)) == 2
    for wrong in (["--step", "9"], ["--step", "x"], ["--device", "cuda:5"], ["--rank", "3"], ["--between", "5us"], ["--between", "9us,3us"]):
        done = run("ops", *wrong, trace)
        assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("lanewise: "), wrong


def test_sort_and_top(trace: Path) -> None:
    by_name = [row["name"] for row in rows("ops", "--sort", "name", trace)]
    assert by_name == sorted(by_name)
    by_calls = [row["cpu_ns"] for row in rows("ops", "--sort", "cpu_ns:asc", trace)]
    assert by_calls == sorted(by_calls)
    assert len(rows("ops", "--top", "1", trace)) > 1, "JSON is never cut"
    assert len(run("ops", "--csv", "--top", "1", trace).stdout.splitlines()) == 2
    assert "more rows" in run("ops", "--top", "1", trace).stdout
    assert run("ops", "--sort", "nothing", trace).returncode == 2


def test_what_newcomers_type(trace: Path, tmp_path: Path) -> None:
    done = run("sumary", trace)
    assert done.returncode == 2 and "no command 'sumary'; did you mean 'summary'?" in done.stderr and not done.stdout
    done = run(trace)
    assert done.returncode == 2 and f"did you mean `lanewise summary {trace}`?" in done.stderr
    done = run("zzzzzzz")
    assert done.returncode == 2 and "no command 'zzzzzzz'; `lanewise help` lists them" in done.stderr
    done = run("help")
    assert done.returncode == 0 and "summary" in done.stdout and done.stdout == run("--help").stdout
    assert "--bottom-up" in run("help", "tree").stdout
    done = run("verdict", trace, trace)
    assert done.returncode == 2 and "verdict takes one trace and was given 2" in done.stderr and f"the newest is {trace}" in done.stderr and "compare" in done.stderr
    for wrong in ("abc", "-3", "1.5"):
        done = run("ops", "--top", wrong, trace)
        assert done.returncode == 2 and "whole number, 0 for all" in done.stderr, done.stderr
    assert run("ops", "--top", "0", trace).stdout == run("ops", "--top", "1000", trace).stdout
    for form in ([], ["--json"]):
        done = run("gaps", "--table", "steps", *form, trace)
        assert done.returncode == 2 and "--csv" in done.stderr
    done = run("ops", "--between", "10,20", trace)
    assert done.returncode == 2 and "give each time its unit" in done.stderr
    assert run("ops", "--between", "0,20us", trace).returncode == 0


def test_two_runs_in_a_folder_are_not_joined(tmp_path: Path) -> None:
    paths = []
    for at in (1, 2):
        paths.append(tmp_path / "output" / f"i-0_pid_{at}" / f"2026{at}" / "trace.json")
        paths[-1].parent.mkdir(parents=True)
        paths[-1].write_text(json.dumps({"baseTimeNanoseconds": at * 10**12, "traceEvents": [event("cpu_op", "aten::mm", 1, 1, 0, 5)]}))
    done = run("summary", tmp_path / "output")
    assert done.returncode == 2 and not done.stdout
    assert all(str(path) in done.stderr for path in paths) and f"the newest is {paths[1]}" in done.stderr
    assert run("summary", paths[1].parent).returncode == 0


def test_chain(trace: Path) -> None:
    steps = json.loads(run("chain", "--name", 'gemm<float, "x">', "--nth", "2", "--json", trace).stdout)["steps"]
    assert [step["role"] for step in steps] == ["op", "call", "device"]
    assert [step["method"] for step in steps] == ["external_id", "correlation", None]
    assert [step["since_ns"] for step in steps] == [None, 5_000, 20_000]
    same = json.loads(run("chain", "--event", steps[2]["event"], "--json", trace).stdout)["steps"]
    assert same == steps
    for wrong in ([], ["--name", "nobody"], ["--event", "999"], ["--event", "x"], ["--name", "a", "--event", "1"]):
        assert run("chain", *wrong, trace).returncode == 2, wrong


def test_limits(trace: Path) -> None:
    assert run("gaps", "--fail-if", "causes.unknown>10%", trace).returncode == 0
    done = run("gaps", "--fail-if", "causes.launch_latency>10%", trace)
    assert done.returncode == 1 and "launch_latency" in done.stderr and done.stdout
    assert run("ops", "--fail-if", "self_device_ns>=20us", trace).returncode == 1
    assert run("ops", "--fail-if", "self_device_ns>20us", trace).returncode == 0
    assert run("gaps", "--fail-on", "unknown>0", trace).returncode == 0
    assert run("gaps", "--fail-on", "launch_latency>0", trace).returncode == 1
    for command, wrong, near in (("gaps", "host_bussy>0", "host_busy"), ("verdict", "d2hcopy>0", "d2h_copy"), ("health", "sim_lagg>0", "sim_lag")):
        done = run(command, "--fail-on", wrong, trace)
        assert done.returncode == 2 and f"did you mean {near}?" in done.stderr, done.stderr
    for wrong in ("nothing>1", "cause>1", "causes.unknown", "causes.unknown>1parsec"):
        assert run("gaps", "--fail-if", wrong, trace).returncode == 2, wrong


def test_damage_and_bad_input(trace: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.json"
    cut.write_bytes(trace.read_bytes()[:-40])
    done = run("summary", cut)
    assert done.returncode == 0 and "damaged" in done.stderr and "could not be read" in done.stdout
    assert run("summary", "--strict", cut).returncode == 2
    empty = tmp_path / "empty.json"
    empty.touch()
    assert run("ops", empty).returncode == 2
    assert run("ops", tmp_path / "absent.json").returncode == 2
    assert run("ops").returncode == 2


def test_a_bad_rank_is_named_and_the_others_are_read(trace: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ranks"
    folder.mkdir()
    (folder / "rank0.json").write_bytes(trace.read_bytes())
    (folder / "rank1.json").touch()
    (folder / "rank2.json").write_text('{"distributedInfo": {"rank": 2')
    done = run("info", "--json", folder)
    assert done.returncode == 0 and done.stderr.count("was not read") == 2
    unread = {Path(file["path"]).name: file["reason"] for file in json.loads(done.stdout)["unread"]}
    assert unread == {"rank1.json": "the file is empty", "rank2.json": "the file ends before its first event"}
    assert "2 of 3  files of the folder that could not be read" in run("summary", folder).stdout
    assert run("ops", "--strict", folder).returncode == 2
    assert json.loads(run("info", "--json", trace).stdout)["unread"] == []


@pytest.mark.parametrize("text", ["[]", '{"traceEvents": []}', '{"traceEvents": []}{"traceEvents": []}'])
def test_a_file_without_an_event_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.json").write_text(text)
    done = run("ops", tmp_path / "t.json")
    assert done.returncode == 2 and "no trace events" in done.stderr


@pytest.mark.parametrize("command", [["ops"], ["ops", "--json"], ["links", "--csv"], ["info"], ["summary"]])
def test_an_answer_that_a_full_disk_cut_is_no_success(trace: Path, command: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([LANEWISE, *command, trace], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == 2 and "cannot write the answer" in done.stderr


@pytest.mark.parametrize("form", [["export", "--perfetto"], ["bench", "generate", "--events", "10", "--like"], ["report", "--html"]])
def test_the_trace_is_not_written_over(trace: Path, tmp_path: Path, form: list[str]) -> None:
    before = trace.read_bytes()
    link = tmp_path / "link.json"
    link.symlink_to(trace)
    done = run(*form, trace if form[0] == "bench" else link, link if form[0] == "bench" else trace)
    assert done.returncode == 2 and "the trace itself" in done.stderr, done.stderr
    assert trace.read_bytes() == before
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = run(*form, *([trace, pipe] if form[0] == "bench" else [pipe, trace]))
    assert done.returncode == 2 and "no regular file" in done.stderr, done.stderr
    assert pipe.is_fifo()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "pipe", "trace.json"]


def test_ctrl_c_leaves_no_part_of_an_export(trace: Path, tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    assert run("bench", "generate", "--like", trace, "--events", "400000", large).returncode == 0
    folder = tmp_path / "out"
    process = subprocess.Popen([LANEWISE, "export", "--csv", folder, large], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    part = folder / "events.csv.part"
    end = time.monotonic() + 60
    while not part.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.001)
    assert part.exists(), "the export was over before it could be interrupted"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in said
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("words", "sentence"), [
    (["ops", "--fail-if", "cpu_ns>nan"], "cannot read the value"),
    (["ops", "--fail-if", "cpu_ns>inf"], "cannot read the value"),
    (["kernels", "--between", "0us,99999999999999999999us"], "beyond 292 years"),
    (["kernels", "--between", "nan,inf"], "cannot read the time"),
    (["ops", "--top", "-1"], "whole number, 0 for all"),
    (["chain", "--name", "aten::mul", "--nth", "0"], "whole number from 1 on, not '0'"),
    (["chain", "--name", "aten::mul", "--nth", "two"], "whole number from 1 on, not 'two'"),
    (["kernels", "--between", "5us,1us"], "is empty"),
    (["ops", "--json", "--csv"], "excludes"),
    (["info", "--producers", "."], "is a folder"),
    (["info", "--producers", "/dev/null"], "is empty"),
    (["info", "--producers", "/dev/zero"], "larger than 1 MiB"),
    (["nope"], "no command 'nope'"),
])
def test_a_wrong_word_is_named_in_a_line(trace: Path, words: list[str], sentence: str) -> None:
    done = run(*words, trace)
    assert done.returncode == 2 and sentence in done.stderr and done.stdout == "", done.stderr
    assert len(done.stderr) < 200


def test_names_cannot_cut_or_steer_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps([event("cpu_op", "a\0b", 1, 1, 0, 5), event("cpu_op", "last", 1, 1, 10, 5), event("own\x1b[31m", "c", 1, 1, 20, 5)]))
    done = run("compare", "--csv", path, path)
    assert done.returncode == 0 and any("last" in row for row in csv.reader(io.StringIO(done.stdout)))
    assert "\x1b" not in run("info", path).stdout
    assert "\0" not in run("info", path).stdout


def test_compare_takes_ranges_of_steps_and_rows(trace: Path) -> None:
    done = run("compare", trace, trace, "--step", "5-6", "--csv", "--top", "1")
    assert done.returncode == 0, done.stderr
    assert len(list(csv.reader(io.StringIO(done.stdout)))) == 2


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = run("info", tmp_path / "pipe")
    assert done.returncode == 2 and "no regular file" in done.stderr


def test_a_terminal_gets_colours_and_lines_that_fit(tmp_path: Path) -> None:
    long = tmp_path / "long.json"
    long.write_text(json.dumps({"traceEvents": [event("cpu_op", "begin" + "x" * 500 + "end", 1, 1, 0, 5)]}))
    main, side = pty.openpty()
    done = subprocess.run([LANEWISE, "ops", long], stdout=side, stderr=subprocess.PIPE, timeout=300,
                          env=os.environ | {"NO_COLOR": ""})
    os.close(side)
    out = ""
    while True:  # a terminal hands out what it holds in pieces; its end is an error
        try:
            piece = os.read(main, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        out += piece.decode()
    os.close(main)
    assert done.returncode == 0
    assert "\x1b[1m" in out
    plain = out.replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\r", "")
    assert "begin" in plain and "..." in plain and "end " in plain
    assert max(len(line) for line in plain.splitlines()) <= 80
    assert "x" * 500 in run("ops", long).stdout, "nothing is cut in a pipe"

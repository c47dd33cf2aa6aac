# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""lanewise device and lanewise view on captures of the study: what the commands say, in all forms, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))
QUESTIONS = {"summary": "metrics", "instructions": "opcodes", "dma": "sizes", "stalls": "engines", "memory": "tensors",
             "roofline": "points", "critical-path": "path"}


def run(*arguments: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([LANEWISE, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def answer(*arguments: str | Path) -> dict:
    done = run("device", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def captures(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    done = run("study", "rmsnorm", "--output", folder)
    assert done.returncode == 0, done.stderr
    return folder


def capture_folder(captures: Path, variant: str) -> Path:
    (folder,) = (captures / variant).glob("i-*_pid_*/*/")
    return folder


@pytest.fixture(scope="module")
def fused(captures: Path) -> Path:
    return capture_folder(captures, "fused")


@pytest.fixture(scope="module")
def eager(captures: Path) -> Path:
    return capture_folder(captures, "eager")


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_answers_in_three_forms(fused: Path, question: str) -> None:
    parsed = answer(question, fused)
    assert parsed["schema"] == 1 and parsed["command"] == f"device {question}"
    rows = parsed[QUESTIONS[question]]
    assert rows
    text = run("device", question, fused)
    assert text.returncode == 0 and text.stdout and text.stderr == ""
    table = list(csv.DictReader(io.StringIO(run("device", question, fused, "--csv").stdout)))
    assert len(table) == len(rows)
    ledger = parsed["ledger"]
    assert ledger["unknown"] == 0 and ledger["records"] == sum(ledger["kinds"].values())
    assert ledger["bytes"] == sum(ledger[part] for part in ("header", "metadata", "record_bytes", "padding", "skipped"))


def test_the_duration_is_that_of_the_system_trace(fused: Path) -> None:
    """nc_exec_running = overhead + program: the program is as long as the device profile, rounded up to ns."""
    parsed = answer("summary", fused, "--nth", "1")
    execution, profile = parsed["execution"], parsed["profile"]
    spent = execution["end_ns"] - execution["begin_ns"] - execution["overhead_before_ns"] - execution["overhead_after_ns"]
    assert spent == -(-profile["duration_ps"] // 1000)
    overhead = profile["exec_overhead_ns"] + profile["device_capture_overhead_ns"]
    assert execution["overhead_before_ns"] + execution["overhead_after_ns"] == overhead
    assert execution["program_begin_ns"] == execution["begin_ns"] + execution["overhead_before_ns"]
    again = answer("summary", fused, "--event", execution["event"])
    assert again["execution"] == execution


def test_six_eager_launches_lead_to_six_programs(eager: Path) -> None:
    hashes = [answer("summary", eager, "--nth", str(n))["profile"]["program_hash"] for n in range(1, 7)]
    names = {path.name for path in eager.glob("*.neff")}
    assert {f"neff_{h}_vnc_0.neff" for h in hashes} == names and len(set(hashes)) == 6
    refused = run("device", "summary", eager, "--nth", "7")
    assert refused.returncode == 2 and "it shows 6" in refused.stderr
    several = run("device", "summary", eager)
    assert several.returncode == 2 and all(h in several.stderr for h in hashes)


def test_the_parts_add_up(fused: Path) -> None:
    whole = answer("summary", fused)["profile"]["duration_ps"]
    path = answer("critical-path", fused)
    assert sum(piece["dur_ps"] for piece in path["path"]) == whole
    assert sum(kind["time_ps"] for kind in path["kinds"]) == whole
    for engine in answer("stalls", fused)["engines"]:
        assert engine["busy_ps"] + engine["stall_ps"] + engine["idle_ps"] == engine["whole_ps"] == whole
        assert sum(engine["reasons"].values()) == engine["stall_ps"]


def test_a_stall_names_semaphore_setter_and_operator(fused: Path) -> None:
    stalls = [s for s in answer("stalls", fused)["stalls"] if s["reason"] == "dma"]
    assert stalls
    for stall in stalls:
        assert re.fullmatch(r"s\d+>=\d+", stall["wait"]) and stall["set_by"].startswith("DMA of ")
    assert any(stall["aten_node"] for stall in stalls)


def test_why_eager_needs_longer(eager: Path, fused: Path) -> None:
    """Each program of both is bound by the overhead around it; no engine comes near a ceiling."""
    for folder, programs in ((eager, 6), (fused, 1)):
        for n in range(1, programs + 1):
            points = {p["level"]: p for p in answer("roofline", folder, "--nth", str(n))["points"] if p["level"].startswith("program")}
            assert points["program with overhead"]["bound"] == "overhead"
            assert points["program with overhead"]["headroom"] < 1.1
            assert points["program"]["bound"] == "latency"


def test_what_a_faster_part_saves(fused: Path) -> None:
    speedups = answer("critical-path", fused)["speedups"]
    assert speedups == sorted(speedups, key=lambda row: -row["saved_ps"])
    for row in speedups:
        assert 0 <= row["saved_ps"] <= row["on_path_ps"] and re.search(r"2x faster saves \d+\.\d %", row["sentence"])


def test_what_if(fused: Path) -> None:
    done = run("device", "whatif", fused, "--set", "dma.start_ps=0", "--json")
    assert done.returncode == 0, done.stderr
    parsed = json.loads(done.stdout)
    total = {row["metric"]: row for row in parsed["totals"]}["total_time"]
    assert total["after"] < total["before"]
    assert sum(part["delta_ps"] for part in parsed["parts"]) == round((total["after"] - total["before"]) * 1e6)
    assert parsed["after"].endswith("dma.start_ps=0")
    refused = run("device", "whatif", fused, "--set", "dma.nothing=0")
    assert refused.returncode == 2 and "dma.nothing" in refused.stderr


def test_view_prints_what_people_grep(captures: Path, fused: Path) -> None:
    text = run("view", "-d", captures, "--output-format", "summary-text")
    assert text.returncode == 0, text.stderr
    lines = text.stdout.splitlines()
    assert sum(line.startswith("n_") for line in lines) == 8 and sum(line.startswith("s_") for line in lines) == 3
    found = [line.split() for line in lines if re.search("engine_active_time_percent|dma_active_time_percent|matmul_instruction", line)]
    # Five engines, five kinds of DMA, matmuls.
    assert len(found) == 8 * 11 and all(len(words) == 2 and 0 <= float(words[1]) for words in found)
    assert all(float(words[1]) <= 1 for words in found if words[0].endswith("_percent"))
    assert [line.split() for line in lines].count(["nc_exec_running", "6"]) == 1

    (neff,) = fused.glob("*.neff")
    (ntff,) = fused.glob("*.ntff")
    done = run("view", "-n", neff, "-s", ntff, "--output-format", "summary-json")
    ((name, block),) = json.loads(done.stdout).items()
    assert name == "n_" + neff.name.split("_")[1]
    assert block["total_time"] == pytest.approx(answer("summary", fused)["profile"]["duration_ps"] * 1e-12)
    assert block["model_flops"] is None and block["nc_idx"] == 0
    assert block["hbm_read_bytes"] == 2 * 4 * 512 * 2   # the weight once for each row


def test_view_takes_the_public_flags_and_names_what_it_does_not_do(fused: Path) -> None:
    taken = run("view", "-d", fused, "--output-format", "summary-json", "--disable-ui", "--force", "--ignore-system-profile",
                "--ignore-dma-trace", "-v", "2", "-F", "ignore-nc-buf-usage=true", "--system-trace-primary-group", "instance_id")
    assert taken.returncode == 0, taken.stderr
    assert all(name.startswith("n_") for name in json.loads(taken.stdout))
    for arguments, word in ((["--output-format", "perfetto", "--ignore-device-profile", "--ignore-system-profile"], "nothing to write"), (["--output-format", "html"], "no output format"),
                            (["--output-format", "summary-json", "--output-file", "x"], "stdout")):
        refused = run("view", "-d", fused, *arguments)
        assert refused.returncode == 2 and word in refused.stderr and refused.stdout == ""


def slices_of(path: Path) -> list[dict]:
    import lanewise

    return [row for row in lanewise.open(path, progress=False).events() if row["phase"] in ("X", "B")]


def test_view_perfetto_writes_the_system_and_each_device_profile(eager: Path, fused: Path, tmp_path: Path) -> None:
    done = run("view", "-d", eager, "--output-format", "perfetto", "--output-file", tmp_path / "eager.pftrace")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    names = {"n_" + path.name.split("_")[1] for path in eager.glob("*.neff")}
    assert {path.name for path in tmp_path.iterdir()} == {"eager.pftrace"} | {f"eager_{name}.pftrace" for name in names}
    assert run("export", eager, "--perfetto", tmp_path / "exported.pftrace").returncode == 0
    assert (tmp_path / "eager.pftrace").read_bytes() == (tmp_path / "exported.pftrace").read_bytes()

    (neff,) = fused.glob("*.neff")
    (ntff,) = fused.glob("*.ntff")
    for word, arguments in (("view", ["view", "-n", neff, "-s", ntff, "--output-format", "perfetto", "--output-file"]), ("export", ["export", ntff, "--perfetto"])):
        out = tmp_path / f"{word}.pftrace"
        assert run(*arguments, out).returncode == 0
        slices = slices_of(out)
        parsed, transfers = answer("instructions", fused, "--whole"), answer("dma", fused, "--whole")["transfers"]
        instructions = [row for row in slices if row["category"] != "dma"]
        assert len(instructions) == sum(row["runs"] for row in parsed["instructions"])
        assert len(slices) - len(instructions) == len(transfers)
        # ns, begin and end each rounded down.
        begin = min(row["start_ns"] for row in slices)
        ends = max(row["start_ns"] + row["dur_ns"] for row in slices) - begin
        assert 0 <= parsed["profile"]["duration_ps"] // 1000 - ends <= 1000
        assert {row["tid"] for row in instructions} >= {"sync", "vector"}
    refused = run("view", "-n", neff, "-s", ntff, "--output-format", "perfetto", "--output-file", ntff)
    assert refused.returncode == 2 and "trace itself" in refused.stderr and ntff.stat().st_size > 0


def test_view_json_holds_the_public_tables(fused: Path, tmp_path: Path) -> None:
    out = tmp_path / "profile.json"
    done = run("view", "-d", fused, "--output-format", "json", "--output-file", out)
    assert done.returncode == 0 and done.stdout == "", done.stderr
    ((name, tables),) = json.loads(out.read_text()).items()
    parsed = answer("instructions", fused)
    assert name == "n_" + parsed["profile"]["program_hash"]
    assert len(tables["Instruction"]) == sum(row["runs"] for row in parsed["instructions"])
    assert {row["engine"] for row in tables["ActiveTime"]} >= {"vector", "sync", "dma"}
    (summary,) = tables["Summary"]
    assert summary["hbm_read_bytes"] == sum(row["hbm_read_bytes"] or 0 for row in tables["Instruction"])
    assert "DmaPacket" in tables["left_out"] and "model_flops" in tables["empty"]["Summary"]
    ids = {row["id"] for row in tables["Instruction"]}
    assert all(row["in_id"] in ids for row in tables["Flow"] if row["in_table"] == "instruction")
    nodes = {row["id"]: row for row in tables["FrameworkInstruction"]}
    assert {row["raw_framework_id"] for row in tables["Instruction"]} - {None} == set(nodes)
    for row in nodes.values():
        intervals = json.loads(row["time_intervals"])
        assert row["start_ts"] == intervals[0][0] and row["end_ts"] == intervals[-1][1]
        assert len(intervals) == len(row["element_count_per_interval"]) == len(row["transpose_element_count_per_interval"])
        assert sum(row["hbm_transfer_size_per_interval"]) == row["hbm_read_bytes"] + row["hbm_write_bytes"]
    of_nodes = [row for row in tables["Instruction"] if row["raw_framework_id"] is not None]   # the load of an input is of no node
    assert sum(row["hbm_read_bytes"] for row in nodes.values()) == sum(row["hbm_read_bytes"] or 0 for row in of_nodes) > 0


def test_ingest_only_writes_the_public_store(captures: Path, eager: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    done = run("view", "-d", eager, "--ingest-only", "--data-path", tmp_path, "--display-name", "eager", "--ignore-instruction-trace")
    assert done.returncode == 0, done.stderr
    root = tmp_path / "profiles" / "global"
    events = parquet.read_table(root / "eager@latest" / "SystemProfileEvents.parquet")
    assert events.column("name").to_pylist().count("nc_exec_running") == 6
    devices = sorted(root.glob("eager_n_*@latest"))
    assert len(devices) == 6
    from lanewise.trace import device

    schema = device.public_schema()
    kinds = {"i64": "int64", "i32": "int32", "f32": "float", "f64": "double", "str": "string", "bool": "bool", "i64[]": "list<element: int64>"}
    for folder in devices:
        for path in folder.glob("*.parquet"):
            table = parquet.read_table(path)
            assert [(f.name, str(f.type)) for f in table.schema] == [(name, kinds[kind]) for name, kind, _, _ in schema[path.stem]], path
    # A second run replaces the first.
    assert run("view", "-d", eager, "--ingest-only", "--data-path", tmp_path, "--display-name", "eager").returncode == 0


def tables_of(folder: Path) -> dict[str, list[dict]]:
    parquet = pytest.importorskip("pyarrow.parquet")
    return {path.stem: parquet.read_table(path).to_pylist() for path in folder.glob("*.parquet")}


def test_export_parquet_writes_the_device_profiles_of_a_capture(captures: Path, eager: Path, tmp_path: Path) -> None:
    from lanewise.trace import device

    done = run("export", eager, "--parquet", tmp_path / "out")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    system = tables_of(tmp_path / "out")
    assert {"events", "SystemProfileEvents", "DeviceProfileList"} <= set(system) and "DeviceProfileList: not written" not in done.stdout
    assert "DeviceProfileList: nothing in a trace fills session_id, model_id; null" in done.stdout
    names = {"n_" + path.name.split("_")[1] for path in eager.glob("*.neff")}
    assert len(names) == 6 and {row["device_profile_name"] for row in system["DeviceProfileList"]} == names
    instance, pid = eager.parent.name.split("_pid_")
    assert all((row["instance_id"], row["process_id"], row["nc_id"]) == (instance, int(pid), 0) for row in system["DeviceProfileList"])
    schema = device.public_schema()
    for name in names:
        tables = tables_of(tmp_path / "out" / name)
        opened = device.open(eager, program=name.removeprefix("n_"))
        public, empty, left_out = opened.public_tables()
        assert set(tables) == set(public) and set(tables) | set(left_out) >= set(schema)
        for table, rows in tables.items():
            assert all(list(row) == [column for column, *_ in schema[table]] for row in rows)
            assert len(rows) == len(public[table])
        ((summary,), (want,)) = tables["Summary"], public["Summary"]
        assert list(summary) == list(want)
        for column, value in dict(want).items():   # most columns of the public schema are float32
            assert summary[column] == (pytest.approx(value, rel=1e-6) if isinstance(value, float) else value), column
        assert tables["Instruction"] and f"{name}/" in done.stdout.splitlines()


def test_export_parquet_keeps_captures_apart(captures: Path, fused: Path, eager: Path, tmp_path: Path) -> None:
    done = run("export", captures, "--parquet", tmp_path)
    assert done.returncode == 0, done.stderr
    listed = tables_of(tmp_path)["DeviceProfileList"]
    assert len(listed) == 8 and all((tmp_path / row["device_profile_name"] / "Summary.parquet").exists() for row in listed)
    below = [row["device_profile_name"].rsplit("/", 1)[0] for row in listed]
    assert below.count(str(fused.relative_to(captures))) == 1 and below.count(str(eager.relative_to(captures))) == 6


def test_export_parquet_of_a_pair(fused: Path, tmp_path: Path) -> None:
    (neff,) = fused.glob("*.neff")
    (ntff,) = fused.glob("*.ntff")
    for path in (neff, ntff):
        done = run("export", path, "--parquet", tmp_path / path.suffix)
        assert done.returncode == 0 and done.stderr == "", done.stderr
    tables = tables_of(tmp_path / ".neff")
    assert tables == tables_of(tmp_path / ".ntff") and "events" not in tables
    shown = next(iter(json.loads(run("view", "-n", neff, "-s", ntff, "--output-format", "json").stdout).values()))
    assert {name: len(rows) for name, rows in tables.items()} == {name: len(shown[name]) for name in tables}


def test_export_parquet_names_what_it_could_not_read(fused: Path, tmp_path: Path) -> None:
    (neff,) = fused.glob("*.neff")
    (ntff,) = fused.glob("*.ntff")
    folder = tmp_path / "pairs"
    folder.mkdir()
    for file in (neff, ntff):
        (folder / file.name).write_bytes(file.read_bytes())
    alone = run("export", folder, "--parquet", tmp_path / "alone")   # as the folder of a real capture: pairs and no system trace
    assert alone.returncode == 0 and "device profiles only" in alone.stderr, alone.stderr
    assert [row["instance_id"] for row in tables_of(tmp_path / "alone")["DeviceProfileList"]] == [None]
    (folder / "7_instid_0_vnc_0.ntff").touch()
    named = run("export", folder, "--parquet", tmp_path / "named")
    assert named.returncode == 0 and "7_instid_0_vnc_0.ntff was not exported: " in named.stderr, named.stderr
    (folder / ntff.name).write_bytes(ntff.read_bytes()[:-200])
    cut = run("export", folder, "--parquet", tmp_path / "cut")
    assert cut.returncode == 0 and "the runs before it are shown" in cut.stderr, cut.stderr
    (folder / ntff.name).write_bytes(b"")
    nothing = run("export", folder, "--parquet", tmp_path / "nothing")
    assert nothing.returncode == 2 and nothing.stdout == "" and not (tmp_path / "nothing").exists(), nothing.stderr


def test_ranges_side_by_side_are_the_whole(fused: Path) -> None:
    from lanewise.trace import device

    opened = device.open(fused)
    cut = opened.info["duration_ps"] // 2 // 1000
    pieces = [f"0,{cut}ns", f"{cut}ns,1s"]
    for question, table, column in [("instructions", "opcodes", "runs"), ("dma", "transfers", "bytes"), ("stalls", "engines", "busy_ps"),
                                    ("memory", "tensors", "read_bytes"), ("critical-path", "path", "dur_ps")]:
        whole = sum(row[column] for row in answer(question, fused)[table])
        parts = [sum(row[column] for row in answer(question, fused, "--between", piece)[table]) for piece in pieces]
        assert sum(parts) == whole > 0, question
        assert sum(row[column] for row in opened.ask(question, (0, cut * 1000))[table]) == parts[0]
    with pytest.raises(ValueError, match="whole"):
        opened.ask("summary", (0, 1000))
    for wrong, sentence in [("5", "FROM,TO"), ("1us,2", "unit"), ("2us,1us", "empty")]:
        done = run("device", "dma", fused, "--between", wrong)
        assert done.returncode == 2 and sentence in done.stderr
    assert run("device", "roofline", fused, "--between", "0,1us").returncode == 2


def test_command_line_python_and_parquet_give_the_same_numbers(fused: Path) -> None:
    from lanewise.trace import device

    opened = device.open(fused)
    for question, main in QUESTIONS.items():
        rows = answer(question, fused)[main]
        table = opened.ask(question)[main]
        assert len(table) == len(rows)
        flat = [{k: v for k, v in row.items() if not isinstance(v, dict)} for row in rows]
        assert [{k: row[k] for k in flat[i]} for i, row in enumerate(table)] == flat
    (summary,) = opened.public_tables()[0]["Summary"]
    block = next(iter(json.loads(run("view", "-d", fused, "--output-format", "summary-json", "--ignore-system-profile").stdout).values()))
    assert {k: block[k] for k in summary} == dict(summary)
    with pytest.raises(FileNotFoundError):
        device.open(fused / "none.neff")
    with pytest.raises(LookupError):
        opened.ask("nothing")


def test_the_files_that_are_wrong_get_a_sentence(fused: Path, eager: Path, tmp_path: Path) -> None:
    (neff,) = fused.glob("*.neff")
    (ntff,) = fused.glob("*.ntff")
    other = next(eager.glob("*.ntff"))
    empty = tmp_path / "empty.ntff"
    empty.touch()
    cut = tmp_path / "cut.ntff"
    cut.write_bytes(ntff.read_bytes()[:-200])
    for arguments, word in (((neff, other), "two programs"), ((neff, empty), "0 bytes"), ((ntff, neff), "swapped"),
                            ((tmp_path,), "no device profile"), ((tmp_path / "none.neff",), "no such file")):
        refused = run("device", "summary", *arguments)
        assert refused.returncode == 2 and word in refused.stderr and refused.stderr.count("\n") == 1, refused.stderr
    damaged = run("device", "summary", neff, cut)
    assert damaged.returncode == 0 and "byte" in damaged.stderr
    assert run("device", "summary", neff, cut, "--strict").returncode == 2


def test_limits(fused: Path) -> None:
    assert run("device", "stalls", fused, "--fail-if", "stall_ps>1s").returncode == 0
    exceeded = run("device", "stalls", fused, "--fail-if", "stall_ps>100ns")
    assert exceeded.returncode == 1 and "limit exceeded" in exceeded.stderr


def copy_of_captures(captures: Path, to: Path) -> Path:
    """The study's captures in one folder of our own, to be damaged."""
    shutil.copytree(captures, to)
    return to


FORMATS = {
    "summary-text": lambda to: [],
    "summary-json": lambda to: [],
    "json": lambda to: ["--output-file", to / "out.json"],
    "perfetto": lambda to: ["--output-file", to / "out.pftrace"],
    "parquet": lambda to: ["--data-path", to / "store", "--display-name", "study"],
}


@pytest.mark.parametrize("form", FORMATS)
def test_one_unreadable_pair_does_not_stop_the_others(captures: Path, tmp_path: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow.parquet")
    folder = copy_of_captures(captures, tmp_path / "captures")
    eager = capture_folder(folder, "eager")
    broken, empty = sorted(eager.glob("*.ntff"))[:2]
    neff = next(eager.glob(f"neff_{broken.name.split('_')[0]}_*.neff"))
    neff.write_bytes(neff.read_bytes()[:1024])   # the header and no program
    empty.write_bytes(b"")
    to = tmp_path / "out"
    to.mkdir()
    done = run("view", "-d", eager, "--output-format", form, *FORMATS[form](to))
    assert done.returncode == 2, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 2 and all("was not read and is left out: " in line for line in lines), done.stderr
    assert any(broken.name in line for line in lines) and any(empty.name in line and "0 bytes" in line for line in lines)
    if form == "perfetto":
        assert len(list(to.glob("out_n_*.pftrace"))) == 4 and (to / "out.pftrace").exists()
    elif form == "json":
        assert len(json.loads((to / "out.json").read_text())) == 4
    elif form == "parquet":
        assert len(list((to / "store/profiles/global").glob("study_n_*@latest"))) == 4
    else:
        assert len(set(re.findall(r"\bn_\d+", done.stdout))) == 4 and re.search(r"\bs_\d+", done.stdout)
    # Nothing left to read: a sentence for each, and no answer.
    for path in eager.glob("*.neff"):
        path.write_bytes(path.read_bytes()[:1024])
    nothing = run("view", "-d", eager, "--output-format", form, "--ignore-system-profile", *FORMATS[form](tmp_path / "nothing"))
    assert nothing.returncode == 2 and nothing.stdout == "" and nothing.stderr.count("left out") == 6, nothing.stderr


def test_tables_of_an_earlier_run_go_and_files_of_others_stay(captures: Path, eager: Path, fused: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet")
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    assert run("export", eager, "--parquet", out).returncode == 0
    (eager_profile,) = list(out.glob("n_*"))[:1]
    own = [out / "mine.parquet", out / "notes.txt", eager_profile / "mine.parquet", out / "n_7" / "Instruction.parquet"]
    own[-1].parent.mkdir()
    for path in own:
        path.write_bytes(b"somebody's own")

    def names(folder: Path) -> set[str]:
        return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}

    # Another capture: the profiles of the first go, a folder that nobody listed and other files stay.
    for target in (out, fresh):
        assert run("export", fused, "--parquet", target).returncode == 0
    assert names(out) == names(fresh) | {str(path.relative_to(out)) for path in own}
    # A pair alone: the system tables go too.
    (neff,) = fused.glob("*.neff")
    for target in (out, tmp_path / "pair"):
        assert run("export", neff, "--parquet", target).returncode == 0
    assert names(out) == names(tmp_path / "pair") | {str(path.relative_to(out)) for path in own}
    assert all(path.read_bytes() == b"somebody's own" for path in own)

    store = ["--output-format", "parquet", "--data-path", tmp_path / "store", "--display-name", "x"]
    assert run("view", "-d", eager, *store).returncode == 0
    root = tmp_path / "store/profiles/global"
    kept = [root / "x@latest" / "notes.txt", next(root.glob("x_n_*")) / "mine.parquet", root / "x_n_other@latest" / "Summary.parquet"]
    kept[-1].parent.mkdir()
    for path in kept:
        path.write_bytes(b"somebody's own")
    for table in ("SystemProfileHbmUsage", "Instruction"):
        (root / "x@latest" / f"{table}.parquet").write_bytes(b"a former table" if table == "Instruction" else b"not one of ours")
    assert run("view", "-d", fused, *store).returncode == 0
    devices = {path.name for path in root.glob("x_n_*")}
    (ntff,) = fused.glob("*.ntff")
    assert devices == {f"x_n_{ntff.name.split('_')[0]}@latest", kept[1].parent.name, "x_n_other@latest"}
    assert names(kept[1].parent) == {"mine.parquet"}
    assert names(root / "x@latest") == {"SystemProfileEvents.parquet", "SystemProfileMetadata.parquet", "SystemProfileHbmUsage.parquet", "notes.txt"}
    assert all(path.read_bytes() == b"somebody's own" for path in kept)
    assert not list(root.glob("*.part"))

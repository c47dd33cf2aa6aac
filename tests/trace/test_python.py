# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""lanewise.open: tables for Python, the Arrow libraries on them, SQL, export, errors; all without PyTorch."""

from __future__ import annotations

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lanewise
from lanewise import _trace

LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))


def slice_(cat: str, name: str, pid, tid, ts: int, dur: int, **args) -> dict:
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """One op with a launch and its kernel: device busy 10 us of 50 us."""
    events = [
        slice_("cpu_op", "aten::add", 1, 1, 10, 30, **{"External id": 3}),
        slice_("cuda_runtime", "cudaLaunchKernel", 1, 1, 20, 10, correlation=77, **{"External id": 3}),
        slice_("kernel", "add<float>", 0, 7, 50, 10, correlation=77, device=0, stream=7),
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
    ]
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"baseTimeNanoseconds": 1_700_000_000_000_000_000, "traceEvents": events}))
    return path


def test_rows_and_columns(path: Path) -> None:
    ops = lanewise.open(path).ops()
    rows = {row["name"]: row for row in ops}
    assert rows["aten::add"]["cpu_ns"] == 30_000 and rows["aten::add"]["self_cpu_ns"] == 20_000
    assert rows["aten::add"]["self_device_ns"] == rows["add<float>"]["self_device_ns"] == 10_000
    assert len(ops) == len(rows) == 3 and ops[-1] == list(ops)[2] and ops.units["cpu_ns"] == "ns"
    with pytest.raises(IndexError):
        ops[3]
    assert ops["name"] == [row["name"] for row in ops] and ops[1:] == list(ops)[1:] and ops[::-1][0] == ops[-1]
    with pytest.raises(LookupError, match="has no column 'nmae'; it has name"):
        ops["nmae"]
    with pytest.raises(TypeError, match="a column's name"):
        ops[1.5]


def test_a_time_may_have_a_unit(path: Path) -> None:
    with lanewise.open(path) as trace:
        for between in ((0.0, 1.5e4), ("0us", "0.015ms"), ["0us", 15_000], "0ms,15us"):
            assert [row["name"] for row in trace.ops(between=between)] == [row["name"] for row in trace.ops(between=(0, 15_000))], between
        for wrong in (("10", "20"), (1,), "10ms", 5, ("a", "b"), (5, 5)):
            with pytest.raises(ValueError):
                trace.ops(between=wrong)


def test_the_module_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "lanewise", "--version"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout == subprocess.run([LANEWISE, "--version"], capture_output=True, text=True, timeout=120).stdout


def test_tables_of_an_answer_and_selection(path: Path) -> None:
    trace = lanewise.open([path])
    device = trace.gaps(table="devices")[0]
    assert (device["device"], device["wall_ns"], device["busy_ns"]) == ("cuda:0", 50_000, 10_000)
    assert sum(value for name, value in device.items() if name.startswith("causes.")) == 40_000
    assert set(trace.ask("gaps")) == {"devices", "gaps", "steps"}
    assert [row["name"] for row in trace.ops(name="*add")] == ["aten::add"]
    assert [row["role"] for row in trace.chain(event=2)] == ["op", "call", "device"] == [row["role"] for row in trace.chain(name="add<float>")]
    assert trace.origin_ns == 1_700_000_000_000_000_000 and trace.files[0]["kept"] == 4


def test_raw_events(path: Path) -> None:
    trace = lanewise.open(path)
    events = trace.events()
    assert events.columns == _trace.event_columns() and len(events) == 4
    assert [row["role"] for row in events] == ["cpu_op", "runtime", "kernel", "metadata"]
    kernel = events[2]
    assert (kernel["dur_ns"], kernel["correlation"], kernel["device"], kernel["stream"], kernel["pid"], kernel["tid"]) == (10_000, 77, 0, 7, "0", "7")
    assert events[3]["start_ns"] is None and events[3]["label"] == "python"
    assert trace.events(["name", "dur_ns"])[1] == {"name": "cudaLaunchKernel", "dur_ns": 10_000}


def test_notebook_view_escapes_names(path: Path) -> None:
    page = lanewise.open(path).kernels()._repr_html_()
    assert "add&lt;float&gt;" in page and "add<float>" not in page and "10.000 us" in page and "<p>1 row</p>" in page


def test_pyarrow_sees_the_same_memory(path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'lanewise[trace]'")
    trace = lanewise.open(path)
    for table in (trace.ops(), trace.events(), trace.summary(), trace.gaps(table="steps")):
        arrow = pyarrow.table(table)
        arrow.validate(full=True)
        assert arrow.column_names == table.columns and arrow.num_rows == len(table)
        assert arrow.to_pylist() == list(table)
    events = trace.events()
    addresses = [pyarrow.table(events)["dur_ns"].chunk(0).buffers()[1].address for _ in range(2)]
    assert addresses[0] == addresses[1]
    assert pyarrow.record_batch(trace.ops()).num_rows == 3
    assert pyarrow.table(trace.ops()).schema.field("cpu_ns").metadata == {b"unit": b"ns"}


def test_arrow_outlives_the_trace(path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'lanewise[trace]'")
    tables = [pyarrow.table(lanewise.open(path).ops()), pyarrow.table(lanewise.open(path).events())]
    assert tables[0]["name"].to_pylist()[0] == "aten::add" and tables[1]["name"].to_pylist()[2] == "add<float>"


def test_pandas_and_polars(path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'lanewise[trace]'")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    trace = lanewise.open(path)
    frame = trace.events().to_pandas()
    assert frame["dur_ns"].tolist() == [30_000, 10_000, 10_000, 0]
    assert frame["correlation"].dtype == pandas.Int64Dtype() and frame["correlation"].isna().tolist() == [True, False, False, True]
    polars = pytest.importorskip("polars", reason="polars is not installed")
    assert polars.DataFrame(trace.ops())["calls"].to_list() == [1, 1, 1]


def test_sql(path: Path) -> None:
    pytest.importorskip("duckdb", reason="duckdb is not installed: pip install 'lanewise[trace]'")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'lanewise[trace]'")
    trace = lanewise.open(path)
    assert trace.sql("select name, dur_ns from events where role = 'kernel'").fetchall() == [("add<float>", 10_000)]
    joined = "select o.calls, d.busy_ns from ops o, gaps_devices d where o.name = 'aten::add'"
    assert trace.sql(joined).fetchall() == [(1, 10_000)]
    with pytest.raises(LookupError, match="no table 'nope'"):
        trace.sql("select * from gaps_nope")
    done = run("sql", path, "select name from ops order by name", "--json")
    assert json.loads(done.stdout)["rows"] == [{"name": name} for name in ("add<float>", "aten::add", "cudaLaunchKernel")]
    assert run("sql", path, "select calls from ops limit 1", "--csv").stdout == "calls\n1\n"
    done = run("sql", path, "select nope from ops")
    assert done.returncode == 2 and "nope" in done.stderr and "Traceback" not in done.stderr


def run(*arguments: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([LANEWISE, *map(str, arguments)], capture_output=True, text=True, timeout=300, env={**os.environ, "LANEWISE_PYTHON": sys.executable})


def test_sql_names_its_tables(path: Path) -> None:
    pytest.importorskip("duckdb", reason="duckdb is not installed: pip install 'lanewise[trace]'")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'lanewise[trace]'")
    trace = lanewise.open(path)
    with pytest.raises(LookupError, match="no table 'opps'; there are events, summary, ops"):
        trace.sql("select * from opps")
    for query in ("show tables", "SHOW TABLES ;"):
        names = [name for name, in trace.sql(query).fetchall()]
        assert {"events", "ops", "gaps", "gaps_devices"} <= set(names)
        assert all(trace.sql(f"select count(*) from {name}").fetchall() for name in names)
    done = run("sql", path, "show tables", "--csv")
    assert done.returncode == 0 and "gaps_devices" in done.stdout.splitlines(), done.stderr


def test_export_parquet(path: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install 'lanewise[trace]'")
    folder = tmp_path / "out"
    done = run("export", path, "--parquet", folder)
    assert done.returncode == 0, done.stderr
    assert "SystemProfileEvents: nothing in a trace fills pcore_idx, worker_gid; null" in done.stdout and "CpuUsage: not written" in done.stdout
    rows = parquet.read_table(folder / "SystemProfileEvents.parquet").to_pylist()
    kernel = rows[2]
    assert [row["trace_event_source"] for row in rows] == ["framework", "neuron_rt", "neuron_hw"]
    assert kernel["start_ts"] == 1_700_000_000_000_050_000 and kernel["end_ts"] - kernel["start_ts"] == kernel["duration_ns"] == 10_000
    assert kernel["flow_id"] == rows[1]["flow_id"] == ["77"] and kernel["nc_idx"] == 0 and kernel["thread_id"] == 7
    assert parquet.read_table(folder / "SystemProfileMetadata.parquet").to_pylist()[0]["first_ts_ns"] == "1700000000000010000"
    assert parquet.read_table(folder / "events.parquet").to_pylist() == list(lanewise.open(path).events())
    assert parquet.read_table(folder / "gaps_devices.parquet")["busy_ns"].to_pylist() == [10_000]
    assert not list(folder.glob("*.part"))


def test_export_csv_and_perfetto(path: Path, tmp_path: Path) -> None:
    import csv

    done = run("export", path, "--csv", tmp_path / "csv")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "csv" / "events.csv").open() as file:
        rows = list(csv.DictReader(file))
    want = [{name: "" if value is None else str(value) for name, value in row.items()} for row in lanewise.open(path).events()]
    assert rows == want
    written = {file.stem for file in (tmp_path / "csv").iterdir()}
    assert {"events", "ops", "gaps", "gaps_devices", "kernels"} <= written
    out = tmp_path / "out.pftrace"
    done = run("export", path, "--perfetto", out)
    assert done.returncode == 0 and "3 slices" in done.stdout
    assert [row["name"] for row in lanewise.open(out).kernels()] == ["add<float>"]
    assert run("export", path).returncode == 2
    assert run("export", path, "--csv", path).returncode == 2


def test_errors(path: Path, tmp_path: Path) -> None:
    trace = lanewise.open(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        lanewise.open(tmp_path / "nowhere.json")
    (tmp_path / "empty.json").write_bytes(b"")
    with pytest.raises(ValueError, match="empty"):
        lanewise.open(tmp_path / "empty.json")
    for at in (1, 2):
        (tmp_path / f"run{at}.json").write_text(json.dumps({"baseTimeNanoseconds": at * 10**12, "traceEvents": [slice_("cpu_op", "a", 1, 1, 0, 1)]}))
    with pytest.raises(ValueError, match="not ranks of one run"):
        lanewise.open([tmp_path / "run1.json", tmp_path / "run2.json"])
    with pytest.raises(ValueError, match="no file"):
        lanewise.open([])
    (tmp_path / "bad.txt").write_text("producer x\ncategory y boss\n")
    with pytest.raises(ValueError, match="line 2"):
        lanewise.open(path, producers=tmp_path / "bad.txt")
    with pytest.raises(LookupError, match="rank 9"):
        trace.ops(rank=9)
    with pytest.raises(ValueError, match="cannot group"):
        trace.ops(by="colour")
    with pytest.raises(TypeError, match="takes no 'colour'"):
        trace.ops(colour=1)
    with pytest.raises(LookupError, match="no table"):
        trace.gaps(table="colour")
    with pytest.raises(ValueError, match="no column"):
        trace.events(["colour"])


def test_progress_and_its_errors(path: Path) -> None:
    with path.open("w") as file:
        block = ",".join([json.dumps(slice_("cpu_op", "x", 1, 1, 1, 1))] * 10_000)
        file.write("[" + ",".join([block] * 150) + "]")
    seen = []
    assert len(lanewise.open(path, progress=lambda *numbers: seen.append(numbers)).events()) == 1_500_000
    assert all(0 <= done <= total == path.stat().st_size for done, total, _, _ in seen)

    def stop(*_) -> None:
        raise RuntimeError("enough")

    if not seen:
        pytest.skip("the file was read before the first report")
    with pytest.raises(RuntimeError, match="enough"):
        lanewise.open(path, progress=stop)


def test_no_pytorch_is_loaded(path: Path) -> None:
    code = f"import sys, lanewise; t = lanewise.open({str(path)!r}); t.ops()[0]; print(sorted({{'torch', 'pyarrow', 'pandas', 'duckdb'}} & set(sys.modules)))"
    environment = {name: value for name, value in os.environ.items() if name != "TORCH_DEVICE_BACKEND_AUTOLOAD"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env=environment)
    assert done.stdout == "[]\n", done.stderr


def test_missing_packages_are_one_sentence(path: Path) -> None:
    code = f"import sys; sys.modules['duckdb'] = sys.modules['pyarrow'] = None; from lanewise.trace.command import main; sys.exit(main({{}}))"
    for words, package in ((["sql", str(path), "select 1"], "duckdb"), (["parquet", str(path), "x"], "pyarrow")):
        done = subprocess.run([sys.executable, "-c", code.format(words)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and f"pip install" in done.stderr and package in done.stderr


def test_commands_stubs_and_methods_are_one_list() -> None:
    questions = {name: options for name, _, _, options in _trace.questions()}
    stub = ast.parse((Path(inspect.getfile(lanewise.trace)).with_suffix(".pyi")).read_text())
    methods = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "Trace").body
    typed = {node.name: {argument.arg for argument in node.args.kwonlyargs} for node in methods if isinstance(node, ast.FunctionDef)}
    for name, options in questions.items():
        assert typed.get(name) == {"table", *options}, f"the stub of {name} is not what the engine takes"
        assert name in lanewise.trace.Trace.__dict__
    words = run("--help").stdout.split("\n")
    commands = {line.split()[0] for line in words[words.index(next(w for w in words if w.strip() in ("Subcommands:", "SUBCOMMANDS:"))) + 1 :] if line.strip() and line.startswith("  ") and line[2] != " "}
    tables = commands - {"study", "machine", "info", "bench", "export", "sql", "operators", "compare", "open", "report", "device", "view", "validate"}
    assert tables == set(questions), "a command on tables is missing in trace/analysis/questions.cc"


def test_a_bad_file_of_a_folder_is_named(path: Path) -> None:
    assert lanewise.open(path).unread == []
    (path.parent / "rank1.json").touch()
    trace = lanewise.open(path.parent)
    assert len(trace.files) == 1
    assert trace.unread == [{"path": str(path.parent / "rank1.json"), "reason": "the file is empty"}]


def test_sql_as_json_is_json_and_loses_no_column(path: Path, capsys: pytest.CaptureFixture) -> None:
    pytest.importorskip("duckdb")
    from lanewise.trace import command

    query = "select 1.0 / 0 as a, 'nan'::double as b, [1.5, 'inf'::double] as c, 1 as x, 2 as x, 3 as x_1, 4 as x from ops limit 1"
    assert command.main(["sql", "--json", str(path), query]) == 0

    def refuse(text: str) -> float:
        raise AssertionError(f"{text} is no JSON")

    (row,) = json.loads(capsys.readouterr().out, parse_constant=refuse)["rows"]
    assert row == {"a": None, "b": None, "c": [1.5, None], "x": 1, "x_2": 2, "x_1": 3, "x_3": 4}


def test_a_report_of_a_damaged_name(path: Path, tmp_path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"aten::add", b"aten::a\xffd"))
    page = tmp_path / "page.html"
    done = subprocess.run([LANEWISE, "report", "--html", page, path], capture_output=True, text=True, timeout=300)
    if "holds no report.html" in done.stderr:
        pytest.skip("the Explorer's page is not built")
    assert done.returncode == 0, done.stderr
    assert "aten::a\ufffdd" in page.read_text(encoding="utf-8")

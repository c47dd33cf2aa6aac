# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""ntrace.pb as Perfetto's own bindings see it: every event, its nesting, its flow; and files that were cut."""

import importlib.util
import os
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("LANEWISE_BUILD", "build") / "tests/capture/lw_write_capture"

spec = importlib.util.spec_from_file_location("perfetto_trace", Path(__file__).with_name("perfetto_trace.py"))
perfetto_trace = importlib.util.module_from_spec(spec)
spec.loader.exec_module(perfetto_trace)


def write(folder: Path, launches: int, limit: int = 1_000_000, end: str = "stop"):
    """Runs the program; gives the session folder, the events it returned, and how it ended."""
    assert PROGRAM.exists(), f"build the target lw_write_capture first ({PROGRAM} is missing)"
    result = subprocess.run([PROGRAM, folder, str(launches), str(limit), end], capture_output=True, timeout=120)
    directory, *lines = result.stdout.decode().splitlines()
    keys = ("kind", "nc", "thread", "start", "end", "launch_id", "external_id", "bytes", "program_hash", "name")
    events = []
    for line in lines:
        event = dict(zip(keys, line.split("\t"), strict=True))
        events.append({k: v if k in ("kind", "name") else int(v) for k, v in event.items()})
    return Path(directory), events, result


@pytest.fixture(scope="module")
def capture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("captures")
    directory, events, result = write(folder, 500)
    assert result.returncode == 0, result.stderr
    return folder, directory, events, perfetto_trace.Reader((directory / "ntrace.pb").read_bytes())


def test_scripts_find_exactly_one_trace(capture):
    folder, directory, _, _ = capture
    assert list(folder.glob("i-*_pid_*/*/ntrace.pb")) == [directory / "ntrace.pb"]
    assert {p.name for p in directory.iterdir()} == {"ntrace.pb", "trace_info.pb", "cpu_util.pb", "host_mem.pb"}


def test_every_event_is_there_once_with_its_values(capture):
    _, _, events, trace = capture
    assert trace.unmatched == 0
    hardware = ("nc_exec_running", "dma_h2d", "dma_fill")

    def key_of_event(e):
        return (e["kind"], e["nc"], e["start"], e["end"], e["launch_id"], e["external_id"], e["bytes"],
                e["program_hash"], e["name"], 0 if e["kind"] in hardware else e["thread"])

    def key_of_slice(s):
        thread = trace.tracks[s.track].thread.tid
        return (s.name, s.args["nc_idx"], s.start, s.end, s.args.get("launch_id", 0), s.args.get("external_id", 0),
                s.args.get("bytes", 0), s.args["program_hash"], s.args["name"], thread)

    top = [s for s in trace.slices if s.depth == 0]
    assert Counter(map(key_of_slice, top)) == Counter(map(key_of_event, events))
    assert len(events) == 2 * 500 * 3


def test_executions_hold_overhead_program_overhead(capture):
    _, _, _, trace = capture
    parts = [s for s in trace.slices if s.category == "neuron_hw_part"]
    runs = {(s.track, s.start): s for s in trace.named("nc_exec_running")}
    assert len(runs) == 1000 and len(parts) == 3000
    for run in runs.values():
        assert [run.args[k] for k in ("exec_before_ns", "capture_before_ns", "exec_after_ns", "capture_after_ns")] == \
            [1000, 500, 250, 250]
    for name, begin, end in (("overhead_before", 0, 1500), ("program", 1500, 2500), ("overhead_after", 2500, 3000)):
        found = [s for s in parts if s.name == name]
        assert len(found) == 1000
        for s in found:
            run = runs[s.track, s.start - begin]
            assert s.depth == 1 and s.end - run.start == end


def test_a_flow_leads_from_each_call_to_its_execution(capture):
    _, _, _, trace = capture
    sources = {s.flows[0]: s for s in trace.slices if s.flows}
    targets = {s.ending_flows[0]: s for s in trace.slices if s.ending_flows}
    assert len(sources) == 1000 and sources.keys() == targets.keys()
    for flow, call in sources.items():
        assert call.name == "nrta_execute_schedule" and targets[flow].name == "nc_exec_running"
        assert call.args["launch_id"] == targets[flow].args["launch_id"] == flow
        assert call.start <= targets[flow].start


def test_tracks_are_threads_and_cores(capture):
    _, _, events, trace = capture
    process = next(t for t in trace.tracks.values() if t.HasField("process"))
    assert process.process.process_name == "lw_write_captur"  # the kernel keeps 15 characters
    assert "simulated trn2" in process.process.process_labels
    paths = {tuple(trace.track_path(s.track)) for s in trace.slices}
    threads = {(f"thread {e['thread']}", "lw_write_captur") for e in events if e["kind"] == "nrta_execute_schedule"}
    assert len(threads) == 2
    cores = {(f"NC{n} {lane}", f"neuron:{n}", "lw_write_captur") for n in (0, 1) for lane in ("nc_exec_running", "dma")}
    assert paths == threads | cores


def test_times_are_unix_nanoseconds(capture):
    _, _, events, trace = capture
    assert trace.clocks.primary_trace_clock == perfetto_trace.REALTIME
    snapshot = {c.clock_id: c.timestamp for c in trace.clocks.clocks}
    assert set(snapshot) == {1, 3, 6}  # realtime, monotonic, boot time
    assert 0 <= min(e["start"] for e in events) - snapshot[perfetto_trace.REALTIME] < 60e9


def test_a_cut_file_reads_up_to_the_cut(capture):
    _, directory, _, whole = capture
    data = (directory / "ntrace.pb").read_bytes()
    for cut in range(1, len(data), len(data) // 40):
        kept = perfetto_trace.whole_packets(data[:cut])
        assert cut - len(kept) < 1000
        if kept:
            part = perfetto_trace.Reader(kept)
            assert part.packets == whole.packets[:len(part.packets)]
            assert all(s.args["launch_id"] for s in part.named("nc_exec_running"))


def test_an_overflow_shows_the_newest_and_the_count(tmp_path):
    directory, events, result = write(tmp_path, 400, limit=300)
    assert result.returncode == 0, result.stderr
    trace = perfetto_trace.Reader((directory / "ntrace.pb").read_bytes())
    assert trace.unmatched == 0
    lost = trace.named("events lost")
    assert {s.args["nc_idx"]: s.args["count"] for s in lost} == {0: 900, 1: 900}
    assert len(events) == 600
    assert len([s for s in trace.slices if s.depth == 0]) == 600 + len(lost)


def test_kill_nine_leaves_what_happened_before(tmp_path):
    directory, _, result = write(tmp_path, 300, end="kill")
    assert result.returncode == -signal.SIGKILL
    data = (directory / "ntrace.pb").read_bytes()
    trace = perfetto_trace.Reader(perfetto_trace.whole_packets(data))
    runs = trace.named("nc_exec_running")
    assert sum(s.end is not None for s in runs) >= 600
    assert len({s.args["launch_id"] for s in runs}) == len(runs)

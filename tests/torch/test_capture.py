# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""NeuronConfig, the folder that a capture writes, and the forms in which scripts ask for one."""

import copy
import importlib.util
import io
import json
import os
import pickle
import subprocess
import sys
import tarfile
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
import torch
from torch.profiler import ProfilerActivity, profile, schedule

from lanewise.profiling import NeuronConfig, NeuronProfiler, ProfileMode

BOTH = [ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]
NASTY = "a=b#c d;e:f\n\"g\\h%41\u00fc\t,"


def work():
    x = torch.ones(4, 8, device="neuron")
    (x * x).add_(1)
    torch.neuron.synchronize()


def one_folder(root):
    (folder,) = Path(root).glob("i-*_pid_*/*/")
    return folder


def test_defaults_are_those_of_the_documentation():
    config = NeuronConfig()
    assert config.modes == [ProfileMode.DEVICE, ProfileMode.RUNTIME]
    assert config.max_events_per_nc == 1_000_000
    assert config.capture_enabled_for_nc is None
    assert config.neff_cache_dir is None
    assert config.precache_node_info is True
    assert config.correlate_device_time is True


def test_settings_survive_copy_and_pickle(tmp_path):
    config = NeuronConfig([ProfileMode.HOST_MEMORY, ProfileMode.RUNTIME], 7, [3, 0, 1], tmp_path / NASTY, tmp_path, False, False)
    for other in (copy.copy(config), copy.deepcopy(config), pickle.loads(pickle.dumps(config))):
        assert type(other) is NeuronConfig
        assert other == config and hash(other) == hash(config)
        assert other.modes == [ProfileMode.RUNTIME, ProfileMode.HOST_MEMORY]
        assert other.max_events_per_nc == 7
        assert other.capture_enabled_for_nc == "0-1,3"
        assert other.profile_output_dir == str(tmp_path / NASTY)
        assert other.neff_cache_dir == str(tmp_path)
        assert other.precache_node_info is False and other.correlate_device_time is False


@pytest.mark.parametrize("cores", ["0,1,2-5", [0, 1, 2, 3, 4, 5], range(6), "5,4,3,0-2"])
def test_cores_are_text_or_numbers(cores):
    assert NeuronConfig(capture_enabled_for_nc=cores).capture_enabled_for_nc == "0-5"


@pytest.mark.parametrize(
    "wrong,error,named",
    [
        ({"modez": []}, TypeError, "modez"),
        ({"modes": []}, ValueError, "modes"),
        ({"modes": ["FAST"]}, ValueError, "FAST"),
        ({"modes": 3}, TypeError, "modes"),
        ({"modes": [3]}, TypeError, "modes"),
        ({"max_events_per_nc": 0}, ValueError, "max_events_per_nc"),
        ({"max_events_per_nc": "9"}, TypeError, "max_events_per_nc"),
        ({"max_events_per_nc": True}, TypeError, "max_events_per_nc"),
        ({"capture_enabled_for_nc": "0,x"}, ValueError, "x"),
        ({"capture_enabled_for_nc": "5-2"}, ValueError, "5-2"),
        ({"capture_enabled_for_nc": []}, ValueError, "capture_enabled_for_nc"),
        ({"capture_enabled_for_nc": [-1]}, ValueError, "-1"),
        ({"capture_enabled_for_nc": [1.0]}, TypeError, "capture_enabled_for_nc"),
        ({"profile_output_dir": ""}, ValueError, "profile_output_dir"),
        ({"profile_output_dir": b"x"}, TypeError, "profile_output_dir"),
        ({"profile_output_dir": "/etc/passwd/x"}, NotADirectoryError, "/etc/passwd"),
        ({"correlate_device_time": 1}, TypeError, "correlate_device_time"),
        ({"precache_node_info": "yes"}, TypeError, "precache_node_info"),
    ],
)
def test_wrong_settings_are_named(wrong, error, named):
    with pytest.raises(error, match=named):
        NeuronConfig(**wrong)


def test_options_of_pytorch_go_through(tmp_path):
    config = NeuronConfig(profile_output_dir=tmp_path, trace_only=True)
    assert config.trace_only is True


def test_folder_has_the_shape_that_scripts_glob(tmp_path):
    config = NeuronConfig(profile_output_dir=tmp_path / "captures")
    exporter = NeuronProfiler(config)
    with profile(activities=BOTH, experimental_config=config, on_trace_ready=exporter.export_trace):
        work()
    folder = one_folder(tmp_path / "captures")
    assert folder.parent.name.endswith(f"_pid_{os.getpid()}")
    assert Path(config.get_session_dir()) == folder and folder.is_absolute()
    assert exporter.get_nrt_output_directory() == str(folder)
    for name in ("trace.json", "ntrace.pb", "trace_info.pb"):
        assert (folder / name).stat().st_size > 0, name


def test_each_program_leaves_a_pair_with_one_hash(tmp_path):
    config = NeuronConfig(profile_output_dir=tmp_path)
    with profile(activities=BOTH, experimental_config=config):
        work()
    folder = one_folder(tmp_path)
    neffs = {path.name.split("_")[1] for path in folder.glob("neff_*_vnc_*.neff")}
    ntffs = {path.name.split("_")[0] for path in folder.glob("*_instid_*_vnc_*.ntff")}
    assert neffs and neffs == ntffs
    assert all(path.stat().st_size > 0 for path in folder.glob("*.n[et]ff"))


def test_runtime_alone_stores_no_program(tmp_path):
    config = NeuronConfig(modes=[ProfileMode.RUNTIME], profile_output_dir=tmp_path)
    with profile(activities=BOTH, experimental_config=config):
        work()
    folder = one_folder(tmp_path)
    assert (folder / "ntrace.pb").exists()
    assert not list(folder.glob("*.n[et]ff"))


def test_files_are_written_without_an_exporter(tmp_path):
    config = NeuronConfig(profile_output_dir=tmp_path)
    NeuronProfiler(config)  # built and never used, as many scripts do
    with profile(activities=BOTH, experimental_config=config):
        work()
    folder = one_folder(tmp_path)
    assert (folder / "ntrace.pb").exists() and not (folder / "trace.json").exists()


def test_exporter_without_a_capture_keeps_the_frameworks_trace(tmp_path):
    config = NeuronConfig(profile_output_dir=tmp_path / "out")
    with pytest.warns(UserWarning, match="PrivateUse1"):
        with profile(
            activities=[ProfilerActivity.CPU], experimental_config=config, on_trace_ready=NeuronProfiler(config).export_trace
        ):
            work()
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["trace.json"]


def test_no_config_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with profile(activities=BOTH) as prof:
        work()
    assert any(row.self_device_time_total > 0 for row in prof.key_averages())
    assert not list(tmp_path.iterdir())


def test_one_folder_a_cycle(tmp_path):
    config = NeuronConfig(profile_output_dir=tmp_path)
    folders = []
    with profile(
        activities=BOTH,
        experimental_config=config,
        schedule=schedule(wait=1, warmup=1, active=1, repeat=2),
        on_trace_ready=lambda prof: folders.append(NeuronProfiler(config).export_trace(prof)),
    ) as prof:
        for _ in range(6):
            work()
            prof.step()
    assert len(set(folders)) == 2
    assert sorted(Path(f).parent for f in folders) == sorted(tmp_path.glob("i-*_pid_*/*/"))


def test_entered_and_left_by_hand(tmp_path):
    config = NeuronConfig(profile_output_dir=tmp_path)
    prof = profile(activities=BOTH, experimental_config=config, on_trace_ready=NeuronProfiler(config).export_trace)
    prof.__enter__()
    work()
    prof.__exit__(None, None, None)
    assert (one_folder(tmp_path) / "trace.json").exists()


def test_step_without_a_schedule_is_one_cycle(tmp_path):
    config = NeuronConfig(profile_output_dir=tmp_path)
    with profile(activities=BOTH, experimental_config=config, on_trace_ready=NeuronProfiler(config).export_trace) as prof:
        for _ in range(3):
            work()
            prof.step()
    assert (one_folder(tmp_path) / "trace.json").exists()
    muls = [row for row in prof.key_averages() if row.key == "aten::mul"]
    assert muls[0].count == 3


def test_older_profiler_object(tmp_path):
    trace = tmp_path / "pytorch_trace.json"
    profiler = NeuronProfiler(
        pytorch_activities=BOTH, pytorch_trace_file=trace, neuron_output_dir=tmp_path / "out", event_filters={"nc": [0]}
    )
    assert not profiler.is_active() and profiler.has_pytorch_profiling()
    with pytest.raises(RuntimeError, match="not running"):
        profiler.stop()
    with profiler:
        assert profiler.is_active()
        with pytest.raises(RuntimeError, match="already running"):
            profiler.start()
        work()
    assert not profiler.is_active()
    assert trace.exists()
    assert Path(profiler.get_nrt_output_directory()) == one_folder(tmp_path / "out")


def test_profile_of_the_profiler_object(tmp_path):
    config = NeuronConfig(profile_output_dir=tmp_path)
    with NeuronProfiler(config).profile(activities=BOTH):
        work()
    assert (one_folder(tmp_path) / "trace.json").exists()


def test_older_text_of_settings(tmp_path):
    text = f"max_events_per_nc:1000;capture_enabled_for_nc:0;host_memory:true;profile_output_dir:{tmp_path}"
    config = torch._C._profiler._ExperimentalConfig(custom_profiler_config=text)
    with profile(activities=BOTH, experimental_config=config):
        work()
    assert (one_folder(tmp_path) / "host_mem.pb").exists()


def test_output_folder_that_cannot_be_made_is_an_error_and_the_next_profile_works(tmp_path):
    target = tmp_path / "gone"
    config = NeuronConfig(profile_output_dir=target / "captures")
    target.write_text("a file now")
    with pytest.raises(Exception, match="profile_output_dir"):
        with profile(activities=BOTH, experimental_config=config):
            work()
    with profile(activities=BOTH) as prof:
        work()
    assert any(row.key == "aten::mul" and row.self_device_time_total > 0 for row in prof.key_averages())


def test_nasty_folder_name(tmp_path):
    root = tmp_path / NASTY
    config = NeuronConfig(profile_output_dir=root)
    with profile(activities=BOTH, experimental_config=config, on_trace_ready=NeuronProfiler(config).export_trace):
        work()
    assert (one_folder(root) / "trace.json").exists()


def test_both_import_names_are_one():
    torch_neuronx = pytest.importorskip("torch_neuronx")
    assert torch_neuronx.profiling.NeuronConfig is NeuronConfig
    assert torch_neuronx.synchronize is torch.neuron.synchronize
    with pytest.raises(AttributeError, match="torch_neuronx"):
        torch_neuronx.no_such_name


def test_killed_process_leaves_what_it_captured(tmp_path):
    script = f"""
import os, signal, time, torch
from torch.profiler import *
from lanewise.profiling import NeuronConfig
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1],
             experimental_config=NeuronConfig(profile_output_dir={str(tmp_path)!r})):
    x = torch.ones(4, 8, device="neuron")
    for _ in range(20):
        x = x * x
    torch.neuron.synchronize()
    time.sleep(1)  # the writer appends several times a second
    os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert ended.returncode == -9, ended.stderr
    folder = one_folder(tmp_path)
    assert b"nc_exec_running" in (folder / "ntrace.pb").read_bytes()


def run_with(tmp_path, script="", **environment):
    code = "import torch\nx = torch.ones(4, 8, device='neuron')\nx * x\ntorch.neuron.synchronize()\n" + script
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, cwd=tmp_path, env=os.environ | environment
    )


def test_environment_variables_capture_the_whole_process(tmp_path):
    out = tmp_path / "captures"
    ended = run_with(
        tmp_path, NEURON_RT_INSPECT_ENABLE="1", NEURON_RT_INSPECT_DEVICE_PROFILE="1", NEURON_RT_INSPECT_OUTPUT_DIR=str(out)
    )
    assert ended.returncode == 0, ended.stderr
    folder = one_folder(out)
    assert b"nc_exec_running" in (folder / "ntrace.pb").read_bytes()
    assert list(folder.glob("*.ntff"))
    graphs = []
    for neff in folder.glob("*.neff"):
        with tarfile.open(fileobj=io.BytesIO(neff.read_bytes()[1024:])) as members:
            graphs.append(members.extractfile("graph.ir").read().decode())
    assert any("mul" in graph for graph in graphs), graphs


def test_environment_capture_that_is_wrong_names_the_variable(tmp_path):
    ended = run_with(tmp_path, NEURON_RT_INSPECT_ENABLE="1", NEURON_RT_INSPECT_DEVICE_PROFILE="sometimes")
    assert ended.returncode != 0
    assert "NEURON_RT_INSPECT_DEVICE_PROFILE" in ended.stderr and "sometimes" in ended.stderr


def test_a_profile_inside_an_environment_capture_takes_turns_with_it(tmp_path):
    script = """
from torch.profiler import *
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]) as prof:
    x * x
    torch.neuron.synchronize()
print([row.key for row in prof.key_averages() if row.self_device_time_total > 0])
x + x
torch.neuron.synchronize()
"""
    out = tmp_path / "captures"
    ended = run_with(tmp_path, script, NEURON_RT_INSPECT_ENABLE="1", NEURON_RT_INSPECT_OUTPUT_DIR=str(out))
    assert ended.returncode == 0, ended.stderr
    assert "aten::mul" in ended.stdout
    before, after = (folder.read_bytes() for folder in sorted(out.glob("i-*_pid_*/*/ntrace.pb")))
    assert b"aten::mul" in before and b"aten::mul" not in after
    assert b"aten::add" in after and b"aten::add" not in before


def test_device_time_of_the_system_trace_is_that_of_the_framework_trace(tmp_path):
    """Operator by operator, exact in ns: Kineto's trace.json against nc_exec_running in ntrace.pb."""
    reader_file = Path(__file__).resolve().parents[1] / "capture" / "perfetto_trace.py"
    spec = importlib.util.spec_from_file_location("perfetto_trace", reader_file)
    perfetto_trace = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(perfetto_trace)

    x = torch.randn(4, 512, device="neuron")
    config = NeuronConfig(profile_output_dir=tmp_path)
    with profile(activities=BOTH, experimental_config=config, on_trace_ready=NeuronProfiler(config).export_trace):
        for _ in range(3):
            (x * x + 1).mean().rsqrt()
        torch.neuron.synchronize()
    folder = one_folder(tmp_path)

    base = json.loads((folder / "trace.json").read_text())["baseTimeNanoseconds"]
    rows = json.loads((folder / "trace.json").read_text(), parse_float=Decimal)["traceEvents"]
    framework = Counter(
        (row["name"], row["args"]["External id"], base + int(row["ts"] * 1000), int(row["dur"] * 1000))
        for row in rows
        if row.get("cat") == "kernel"
    )
    trace = perfetto_trace.Reader((folder / "ntrace.pb").read_bytes())
    system = Counter(
        (s.args["name"], s.args["external_id"], s.start, s.end - s.start) for s in trace.slices if s.name == "nc_exec_running"
    )
    assert sum(system.values()) == 12
    assert framework == system

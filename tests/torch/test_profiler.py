# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Device time reaches PyTorch's table and trace: on the right row, exactly, once."""

import json
from collections import defaultdict

import pytest
import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

from lanewise.profiling import NeuronConfig, NeuronProfiler, ProfileMode

BOTH = [ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]
DEVICE_KINDS = ("kernel", "gpu_memcpy", "gpu_memset")
FIRST_ID = 1 << 24


def rms_norm(x, w, eps):
    v = (x * x).mean(-1, keepdim=True)
    return x * torch.rsqrt(v + eps) * w


@pytest.fixture(scope="module")
def operands():
    x = torch.randn(4, 512).to(torch.bfloat16).to("neuron")
    return x, torch.ones(512, dtype=torch.bfloat16, device="neuron")


@pytest.fixture(scope="module")
def study(operands, tmp_path_factory):
    """The article's profile of the separate operations, with its trace."""
    x, w = operands
    eps = torch.tensor(1e-6)
    config = NeuronConfig(profile_output_dir=tmp_path_factory.mktemp("captures"))
    path = []
    with (
        torch.no_grad(),
        profile(
            activities=BOTH,
            schedule=schedule(wait=2, warmup=1, active=1),
            experimental_config=config,
            on_trace_ready=lambda prof: path.append(NeuronProfiler(config).export_trace(prof)),
        ) as prof,
    ):
        for _ in range(4):
            rms_norm(x, w, eps)
            torch.neuron.synchronize()
            prof.step()
    return prof, json.loads(open(path[0]).read())


def exported(prof, tmp_path):
    path = tmp_path / "trace.json"
    prof.export_chrome_trace(str(path))
    return json.loads(path.read_text())


def events(trace, *categories):
    return [e for e in trace["traceEvents"] if e.get("ph") == "X" and e.get("cat") in categories]


def nanoseconds(event):
    return round(event["dur"] * 1000)


def device_ns_by_operator(trace):
    """Sum of device time by name of the operator that has the same External id."""
    names = {e["args"]["External id"]: e["name"] for e in events(trace, "cpu_op", "user_annotation")}
    sums = defaultdict(int)
    for e in events(trace, *DEVICE_KINDS):
        sums[names[e["args"]["External id"]]] += nanoseconds(e)
    return dict(sums)


def host_rows(prof):
    return {row.key: row for row in prof.key_averages() if row.device_type == torch.autograd.DeviceType.CPU}


def test_table_has_the_articles_rows(study):
    prof, _ = study
    rows = {key: row.count for key, row in host_rows(prof).items() if row.self_device_time_total > 0 and "copy" not in key}
    assert rows == {"aten::mul": 3, "aten::add": 1, "aten::rsqrt": 1, "aten::mean": 1}
    assert len([e for e in prof.events() if e.device_type == torch.autograd.DeviceType.PrivateUse1 and "Memcpy" not in e.name]) == 6


def test_copy_of_eps_is_its_own_cost(study):
    prof, trace = study
    (copy_row,) = [row for key, row in host_rows(prof).items() if row.self_device_time_total > 0 and "copy" in key]
    (memcpy,) = events(trace, "gpu_memcpy")
    assert memcpy["name"] == "Memcpy HtoD" and memcpy["args"]["bytes"] == 4
    assert copy_row.self_device_time_total == pytest.approx(nanoseconds(memcpy) / 1000, abs=1e-3)


def test_table_equals_trace(study):
    prof, trace = study
    in_trace = device_ns_by_operator(trace)
    in_table = {key: row.self_device_time_total for key, row in host_rows(prof).items() if row.self_device_time_total > 0}
    assert in_table.keys() == in_trace.keys()
    for name, microseconds in in_table.items():
        assert microseconds == pytest.approx(in_trace[name] / 1000, abs=1e-3), name


def test_trace_equals_metadata_of_the_capture(study):
    _, trace = study
    kernels = events(trace, "kernel")
    assert trace["neuron_launches"] == len(kernels) == 6
    assert trace["neuron_device_ns"] == sum(map(nanoseconds, kernels))
    assert trace["neuron_pending_at_stop"] == 0 and trace["neuron_dropped_events"] == 0
    assert trace["neuron_device_time_complete"] is True


def test_sorting_by_the_names_that_scripts_use(study):
    prof, _ = study
    for key in ("self_privateuse1_time_total", "privateuse1_time_total", "self_device_time_total"):
        table = prof.key_averages().table(sort_by=key, row_limit=3)
        assert "Self NEURON" in table and "aten::mul" in table


def test_overheads_are_arguments_of_the_row(study):
    _, trace = study
    properties = trace["deviceProperties"][0]
    assert properties["simulated"] is True and properties["preset"] == "trn2" and properties["device_capture"] is True
    overhead = properties["exec_overhead_ns"] + properties["device_capture_overhead_ns"]
    assert overhead > 0
    for kernel in events(trace, "kernel"):
        args = kernel["args"]
        assert args["exec overhead ns"] == properties["exec_overhead_ns"]
        assert args["capture overhead ns"] == properties["device_capture_overhead_ns"]
        assert args["overhead before ns"] + args["overhead after ns"] == overhead
        assert 0 < args["overhead before ns"] < overhead < nanoseconds(kernel)


def test_every_device_row_has_its_ids_and_an_arrow(study):
    _, trace = study
    starts = {e["id"] for e in trace["traceEvents"] if e.get("cat") == "ac2g" and e["ph"] == "s"}
    ends = {e["id"] for e in trace["traceEvents"] if e.get("cat") == "ac2g" and e["ph"] == "f"}
    submitted = {e["args"]["correlation"]: e for e in events(trace, "privateuse1_runtime")}
    for row in events(trace, *DEVICE_KINDS):
        args = row["args"]
        assert row["pid"] == args["device"] == 0 and row["tid"] == args["stream"]
        assert args["correlation"] >= FIRST_ID
        assert args["correlation"] in starts and args["correlation"] in ends
        cause = submitted[args["correlation"]]
        assert cause["args"]["External id"] == args["External id"]
        assert cause["ts"] <= row["ts"]


def test_runtime_rows_lie_inside_their_operator(study):
    _, trace = study
    operators = {e["args"]["External id"]: e for e in events(trace, "cpu_op")}
    launches = [e for e in events(trace, "privateuse1_runtime") if e["name"] == "nrta_execute_schedule"]
    assert len(launches) == 6
    for launch in launches:
        operator = operators[launch["args"]["External id"]]
        assert launch["tid"] == operator["tid"] and launch["pid"] == operator["pid"]
        assert operator["ts"] <= launch["ts"]
        assert launch["ts"] + launch["dur"] <= operator["ts"] + operator["dur"]


def test_fused_operator_is_one_launch(operands):
    x, w = operands
    with torch.no_grad():
        torch.rms_norm(x, (512,), w)
        torch.neuron.synchronize()
        with profile(activities=BOTH) as prof:
            torch.rms_norm(x, (512,), w)
            torch.neuron.synchronize()
    rows = {key: row.count for key, row in host_rows(prof).items() if row.self_device_time_total > 0}
    assert rows == {"aten::_fused_rms_norm": 1}


def test_compiled_function_is_one_launch_on_its_region(operands):
    x, w = operands
    compiled = torch.compile(rms_norm, backend="neuron")
    with torch.no_grad():
        compiled(x, w, 1e-6)
        torch.neuron.synchronize()
        with profile(activities=BOTH) as prof:
            compiled(x, w, 1e-6)
            torch.neuron.synchronize()
    ((name, row),) = [(key, row) for key, row in host_rows(prof).items() if row.self_device_time_total > 0]
    assert name.startswith("Torch-Compiled Region") and row.count == 1
    launches = [e for e in prof.events() if e.device_type == torch.autograd.DeviceType.PrivateUse1]
    assert len(launches) == 1
    assert row.self_device_time_total == pytest.approx(launches[0].self_device_time_total, abs=1e-3)


def test_compilation_is_a_span_of_its_own_and_never_device_time(operands, tmp_path):
    x, _ = operands
    odd = x[:, : 512 - 7].contiguous()  # a shape that no other test compiles
    torch.neuron.synchronize()
    with profile(activities=BOTH) as prof:
        odd * odd
        torch.neuron.synchronize()
    trace = exported(prof, tmp_path)
    (compile_row,) = [e for e in events(trace, "privateuse1_runtime") if e["name"] == "neuron_compile"]
    assert nanoseconds(compile_row) > 0
    (kernel,) = events(trace, "kernel")
    (mul,) = [e for e in events(trace, "cpu_op") if e["name"] == "aten::mul"]
    assert mul["ts"] <= compile_row["ts"] < kernel["ts"]
    assert device_ns_by_operator(trace) == {"aten::mul": nanoseconds(kernel)}


def test_without_correlation_device_rows_stay_and_operators_have_no_device_time(operands, tmp_path):
    x, _ = operands
    config = NeuronConfig(correlate_device_time=False, profile_output_dir=tmp_path)
    with profile(activities=BOTH, experimental_config=config) as prof:
        x * x
        torch.neuron.synchronize()
    assert host_rows(prof)["aten::mul"].self_device_time_total == 0
    trace = exported(prof, tmp_path)
    (kernel,) = events(trace, "kernel")
    assert "External id" not in kernel["args"]
    assert kernel["args"]["correlation"] >= FIRST_ID


def test_capture_overhead_is_paid_only_while_devices_are_captured(operands, tmp_path):
    x, _ = operands
    durations = {}
    for name, config in {
        "none": None,
        "runtime": NeuronConfig(modes=[ProfileMode.RUNTIME], profile_output_dir=tmp_path),
        "device": NeuronConfig(modes=[ProfileMode.DEVICE], profile_output_dir=tmp_path),
    }.items():
        with profile(activities=BOTH, experimental_config=config) as prof:
            x * x
            torch.neuron.synchronize()
        (kernel,) = events(trace := exported(prof, tmp_path), "kernel")
        durations[name] = nanoseconds(kernel)
        capture_overhead = trace["deviceProperties"][0]["device_capture_overhead_ns"]
    assert durations["none"] == durations["runtime"]
    assert durations["device"] == durations["runtime"] + capture_overhead


def test_warm_up_work_does_not_leak_into_the_window(operands):
    x, _ = operands
    with profile(activities=BOTH, schedule=schedule(wait=0, warmup=1, active=1, repeat=1)) as prof:
        for _ in range(20):
            torch.rsqrt(x)  # not synchronized: may still run when the window opens
        prof.step()
        x * x
        torch.neuron.synchronize()
        prof.step()
    rows = {key for key, row in host_rows(prof).items() if row.self_device_time_total > 0}
    assert rows == {"aten::mul"}
    kernels = [e for e in prof.events() if e.device_type == torch.autograd.DeviceType.PrivateUse1]
    assert len(kernels) == 1


def test_each_cycle_counts_from_nothing(operands):
    x, _ = operands
    counts = []
    with profile(
        activities=BOTH,
        schedule=schedule(wait=0, warmup=1, active=2, repeat=2),
        on_trace_ready=lambda prof: counts.append(host_rows(prof)["aten::mul"].count),
    ) as prof:
        for _ in range(6):
            x * x
            torch.neuron.synchronize()
            prof.step()
    assert counts == [2, 2]


def test_accumulated_events_keep_both_cycles(operands):
    x, _ = operands
    with profile(activities=BOTH, schedule=schedule(wait=0, warmup=1, active=1, repeat=2), acc_events=True) as prof:
        for _ in range(4):
            x * x
            torch.neuron.synchronize()
            prof.step()
    row = host_rows(prof)["aten::mul"]
    assert row.count == 2 and row.self_device_time_total > 0


def test_cpu_only_profile_has_no_row_of_ours(operands, tmp_path):
    x, _ = operands
    with profile(activities=BOTH):
        x * x
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        x * x
        torch.neuron.synchronize()
    trace = exported(prof, tmp_path)
    assert events(trace, "cpu_op")
    assert not events(trace, *DEVICE_KINDS, "privateuse1_runtime")


def test_device_only_profile(operands, tmp_path):
    x, _ = operands
    with profile(activities=[ProfilerActivity.PrivateUse1]) as prof:
        x * x
        torch.neuron.synchronize()
    assert len(events(exported(prof, tmp_path), "kernel")) == 1


def test_launch_under_an_annotation_alone_belongs_to_it(operands):
    x, w = operands
    compiled = torch.compile(rms_norm, backend="neuron")
    with torch.no_grad():
        compiled(x, w, 1e-6)
        with profile(activities=BOTH) as prof:
            with record_function("outer"):
                x * x
            torch.neuron.synchronize()
    outer = host_rows(prof)["outer"]
    assert outer.device_time_total == pytest.approx(host_rows(prof)["aten::mul"].device_time_total, abs=1e-3)


def test_two_devices_have_two_lanes(operands, tmp_path):
    if torch.neuron.device_count() < 2:
        pytest.skip("one device only: LANEWISE_DEVICES or the environment says so")
    x, _ = operands
    y = x.to("neuron:1")
    torch.neuron.synchronize()
    with profile(activities=BOTH) as prof:
        x * x
        y * y
        torch.neuron.synchronize(0)
        torch.neuron.synchronize(1)
    trace = exported(prof, tmp_path)
    assert {e["pid"] for e in events(trace, "kernel")} == {0, 1}
    labels = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"] if e.get("name") == "process_name"}
    assert labels[0] == "neuron:0" and labels[1] == "neuron:1"


def test_events_over_the_cap_are_counted_and_said(operands, tmp_path, capfd):
    x, _ = operands
    config = NeuronConfig(max_events_per_nc=10, profile_output_dir=tmp_path)
    with profile(activities=BOTH, experimental_config=config) as prof:
        for _ in range(50):
            x * x
        torch.neuron.synchronize()
    trace = exported(prof, tmp_path)
    assert trace["neuron_dropped_events"] >= 40
    assert trace["neuron_device_time_complete"] is False
    assert "max_events_per_nc" in capfd.readouterr().err
    assert any("incomplete" in row.key for row in prof.key_averages())


def test_cores_that_are_not_there_are_named(operands, tmp_path, capfd):
    x, _ = operands
    beyond = torch.neuron.device_count() + 5
    config = NeuronConfig(capture_enabled_for_nc=[0, beyond], profile_output_dir=tmp_path)
    with profile(activities=BOTH, experimental_config=config):
        x * x
        torch.neuron.synchronize()
    assert f"capture_enabled_for_nc names core {beyond}; this process has core" in capfd.readouterr().err


def test_iteration_that_ends_with_open_launches_is_told(operands, tmp_path, capfd):
    x, _ = operands
    torch.neuron.synchronize()
    with profile(activities=BOTH) as prof:
        for _ in range(30):
            x * x
    trace = exported(prof, tmp_path)
    said = [line for line in capfd.readouterr().err.splitlines() if line.startswith("lanewise:")]
    assert len(said) == 1 and "torch.neuron.synchronize()" in said[0] and "aten::mul" in said[0]
    assert trace["neuron_open_at_iteration_end"] > 0
    # The profiler waited, so nothing is lost.
    assert len(events(trace, "kernel")) == 30 and trace["neuron_device_time_complete"] is True


def test_synchronized_iteration_is_not_told_anything(operands, capfd):
    x, _ = operands
    with profile(activities=BOTH):
        x * x
        torch.neuron.synchronize()
    assert "lanewise:" not in capfd.readouterr().err


def test_launches_open_at_stop_make_the_table_say_so(operands, tmp_path, capfd, monkeypatch):
    x, _ = operands
    torch.neuron.synchronize()
    with profile(activities=BOTH) as prof:
        for _ in range(200):
            x * x
        monkeypatch.delattr(torch.neuron, "synchronize")
    monkeypatch.undo()
    trace = exported(prof, tmp_path)
    torch.neuron.synchronize()
    assert trace["neuron_pending_at_stop"] > 0 and trace["neuron_device_time_complete"] is False
    assert "incomplete" in capfd.readouterr().err
    assert any("incomplete" in row.key for row in prof.key_averages())


def test_backward_on_autograd_threads_is_attributed(operands):
    x = torch.randn(8, 8, device="neuron", requires_grad=True)
    loss = (x * x).sum()
    torch.neuron.synchronize()
    with profile(activities=BOTH) as prof:
        loss.backward()
        torch.neuron.synchronize()
    rows = host_rows(prof)
    kernels = [e for e in prof.events() if e.device_type == torch.autograd.DeviceType.PrivateUse1]
    assert kernels
    total = sum(e.self_device_time_total for e in kernels)
    assert sum(row.self_device_time_total for row in rows.values()) == pytest.approx(total, abs=1e-2)


def test_other_options_of_the_profiler(operands):
    x, _ = operands
    with profile(activities=BOTH, record_shapes=True, with_stack=True, profile_memory=True, with_flops=True) as prof:
        x * x
        torch.neuron.synchronize()
    (row,) = [r for r in prof.key_averages(group_by_input_shape=True) if r.key == "aten::mul"]
    assert row.input_shapes[:2] == [[4, 512], [4, 512]]
    assert row.self_device_time_total > 0


def test_older_profiler_without_kineto(operands):
    x, _ = operands
    with torch.autograd.profiler.profile(use_device="neuron", use_kineto=False) as prof:
        x * x
        torch.neuron.synchronize()
    (row,) = [r for r in prof.key_averages() if r.key == "aten::mul"]
    assert row.count == 1 and row.device_time_total > 0

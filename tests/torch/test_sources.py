# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""From an instruction of a compiled graph to its Python line and module, as `lanewise device instructions` tells them."""

import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

from lanewise.dynamo_backend.sources import module_path
from lanewise.profiling import NeuronConfig, NeuronProfiler, ProfileMode
from lanewise.study import rmsnorm
from lanewise.trace import device

BOTH = [ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]
LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.RMSNorm(64)
        self.fc = nn.Linear(64, 64)

    def forward(self, x):
        y = self.norm(x)
        return torch.relu(self.fc(y)) + x  # residual


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Block(), Block()])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return (x * x).mean(-1)  # of the root


def line_of(function, text: str) -> int:
    lines, first = inspect.getsourcelines(function)
    (at,) = [i for i, line in enumerate(lines) if text in line]
    return first + at


def capture(step, folder, modes=(ProfileMode.DEVICE, ProfileMode.RUNTIME), **options) -> Path:
    step()  # compiled before, as a training script has it
    torch.neuron.synchronize()
    config = NeuronConfig(modes=list(modes), profile_output_dir=str(folder))
    with profile(activities=BOTH, experimental_config=config, on_trace_ready=NeuronProfiler(config).export_trace, **options):
        step()
        torch.neuron.synchronize()
    return Path(config.get_session_dir())


def rows(opened: device.Device, table: str) -> list[dict]:
    return opened.ask("instructions")[table].to_pandas().to_dict("records")


def compiled(module):
    torch._dynamo.reset()
    return torch.compile(module, backend="neuron")


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return Net().to("neuron")


@pytest.fixture(scope="module")
def training(net, tmp_path_factory) -> Path:
    step = compiled(net)
    x = torch.randn(128, 64).to("neuron")
    return capture(lambda: step(x).sum().backward(), tmp_path_factory.mktemp("training"))


def test_times_by_module_and_line_add_up_to_the_engines(training):
    forward = device.open(training, program=program_with(training, "_forward"))
    assert forward.info["source_note"] == ""
    whole = sum(row["time_ps"] for row in rows(forward, "engines"))
    modules = {row["module"]: row for row in rows(forward, "modules")}
    assert sum(row["time_ps"] for row in modules.values()) == whole > 0
    assert sum(row["time_ps"] for row in rows(forward, "lines")) == whole
    wanted = {"Net", "Net.layers.0.norm", "Net.layers.0.fc", "Net.layers.0", "Net.layers.1.norm", "Net.layers.1.fc", "Net.layers.1"}
    assert wanted <= set(modules) <= wanted | {"unknown"}
    assert modules["Net.layers.0.norm"]["class"] == "RMSNorm"
    assert "tensor" in modules["Net.layers.1.fc"]["engines"]
    # What nobody names is less than what has a name.
    assert modules.get("unknown", {"time_ps": 0})["time_ps"] < whole / 2
    lines = {(Path(row["file"]).name, row["line"]) for row in rows(forward, "lines") if row["file"] != "unknown"}
    here = Path(__file__).name
    assert {(here, line_of(Block.forward, "self.norm(x)")), (here, line_of(Block.forward, "residual")), (here, line_of(Net.forward, "of the root"))} == lines


def program_with(folder: Path, part: str) -> str:
    (name,) = {pair["program"] for pair in device.pairs(folder) if part in pair["program"]}
    return name


def test_a_backward_has_the_lines_and_modules_of_its_forward(training):
    backward = device.open(training, program=program_with(training, "_backward"))
    modules = {row["module"]: row for row in rows(backward, "modules")}
    assert {"Net.layers.0.fc", "Net.layers.1.fc", "Net.layers.1.norm"} <= set(modules)
    assert sum(row["time_ps"] for row in modules.values()) == sum(row["time_ps"] for row in rows(backward, "engines"))
    matmuls = [row for row in rows(backward, "instructions") if row["opcode"] == "nc_matmul"]
    assert matmuls and all(row["module"].endswith(".fc") and row["line"] == line_of(Block.forward, "residual") for row in matmuls)


def test_command_and_python_say_the_same(training):
    program = program_with(training, "_forward")
    done = subprocess.run([LANEWISE, "device", "instructions", training, "--program", program, "--json"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["profile"]["source_note"] is None
    assert [row["module"] for row in said["modules"]] == [row["module"] for row in rows(device.open(training, program=program), "modules")]
    known = [row for row in said["instructions"] if row["module"] is not None]
    assert known and all(row["file"] == __file__ and row["line"] > 0 for row in known)
    table = subprocess.run([LANEWISE, "device", "instructions", training, "--program", program, "--csv", "--table", "lines"], capture_output=True, text=True, timeout=300)
    assert table.stdout.splitlines()[0].startswith("file,line,function,runs,time_ps") and table.stdout.splitlines()[0].endswith("engines")


def test_a_graph_of_two_call_sites_shows_each_its_own_lines(tmp_path):
    # Another function each, and other nodes before what is left of the graph: the same code all the same.
    def one(x):
        return x.exp() * 2  # one

    def other(x):
        unused = x * 3 * 3
        del unused
        y = x.exp()  # other, first
        return y * 2  # other, second

    one_compiled, other_compiled = compiled(one), torch.compile(other, backend="neuron")
    x = torch.randn(64, 64).to("neuron")

    @torch.no_grad()
    def both():
        one_compiled(x)
        other_compiled(x)

    folder = capture(both, tmp_path)
    (pair,) = device.pairs(folder)  # one program
    seen = []
    for nth in (1, 2):
        opened = device.open(folder, nth=nth)
        assert opened.info["hash"] == pair["hash"]
        seen.append({row["line"] for row in rows(opened, "lines") if row["file"] != "unknown"})
    assert seen == [{line_of(one, "# one")}, {line_of(other, "other, first"), line_of(other, "other, second")}]


def test_the_compiled_study_names_its_lines(tmp_path):
    example = rmsnorm.load_example()
    variants = example.make_variants(*example.make_inputs())
    torch._dynamo.reset()
    with torch.no_grad():
        folder = capture(variants["compiled"], tmp_path)
    lines = {row["line"]: row for row in rows(device.open(folder), "lines") if row["file"] != "unknown"}
    assert set(lines) == {line_of(example.separate, "mean_square ="), line_of(example.separate, "return x * torch.rsqrt")}
    assert all(row["function"] == "separate" and row["file"].endswith("rmsnorm.py") for row in lines.values())


def test_a_pair_alone_says_why_it_has_no_lines(training, tmp_path):
    pair = next(p for p in device.pairs(training) if p["program"].endswith("_forward"))
    for key in ("neff", "ntff"):
        shutil.copy(pair[key], tmp_path)
    alone = device.open(tmp_path / Path(pair["neff"]).name)
    assert "no launch record lies beside this pair" in alone.info["source_note"]
    instructions = alone.ask("instructions")["instructions"].to_pandas()
    assert instructions[["module", "file", "line"]].isna().all().all()
    assert [row["module"] for row in rows(alone, "modules")] == ["unknown"]
    done = subprocess.run([LANEWISE, "device", "instructions", tmp_path], capture_output=True, text=True, timeout=300)
    assert "no launch record lies beside this pair" in done.stdout


def test_eager_launches_say_that_they_are_no_graph(tmp_path):
    x = torch.ones(4, 8, device="neuron")
    folder = capture(lambda: x * x, tmp_path)
    assert not (folder / "launch_sources.pb").exists()
    assert "of one operator" in device.open(folder).info["source_note"]
    assert "of one operator" in device.open(folder, nth=1).info["source_note"]  # the trace has no stacks


def test_eager_launches_have_the_line_and_module_of_their_call(net, tmp_path):
    x = torch.randn(128, 64).to("neuron")
    with torch.no_grad():
        folder = capture(lambda: net(x), tmp_path, with_stack=True)
    seen = {}
    for nth in range(1, 10):  # two blocks of rms_norm, addmm, relu, add; then mul, mean
        opened = device.open(folder, nth=nth)
        assert opened.info["source_note"] == ""
        (line,) = rows(opened, "lines")  # nothing is unknown
        (module,) = rows(opened, "modules")
        seen[opened.info["program"], line["line"]] = (Path(line["file"]).name, module["module"], module["class"])
    here = Path(__file__).name
    addmm = [key for key in seen if "addmm" in key[0]]
    assert addmm and all(seen[key][0] == here and seen[key][2] == "Linear" for key in addmm)
    # The trace knows functions by their heads.
    assert {line for _, line in addmm} == {line_of(Block.forward, "def forward")}
    assert any(line == line_of(Net.forward, "def forward") and where[2] == "Net" for (_, line), where in seen.items())


def test_lines_come_without_the_system_trace_too(net, tmp_path):
    step = compiled(net.layers[0])
    x = torch.randn(128, 64).to("neuron")
    with torch.no_grad():
        folder = capture(lambda: step(x), tmp_path, modes=[ProfileMode.DEVICE])
    modules = {row["module"] for row in rows(device.open(folder, nth=1), "modules")}
    assert {"Block", "Block.norm", "Block.fc"} <= modules


@pytest.mark.parametrize(
    ("source", "root", "path"),
    [
        ("L['self'].layers.0.norm", ("self", "Net"), "Net.layers.0.norm"),
        ("L['self']", ("self", "Net"), "Net"),
        ("L['model'].fc", ("self", "Net"), "model.fc"),
        ("G['net'].layers[0].fc", None, "net.layers.0.fc"),
        ("L['self']._modules['layers']._modules['0']", ("self", "Net"), "Net.layers.0"),
        ("getattr(L['self'].layers, '0').fc", ("self", "Net"), "Net.layers.0.fc"),
        ("getattr(getattr(L['self'], 'h'), '3')", ("self", "Net"), "Net.h.3"),
    ],
)
def test_paths_of_modules_read_like_python(source, root, path):
    assert module_path(source, root) == path

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""torch.compile(backend="neuron"): right values, few launches, and what happens to what no program serves."""

import copy
import subprocess
import sys

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from lanewise import _C, compile_metrics

BOTH = [ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    compile_metrics.reset_dynamo_metrics()
    torch.manual_seed(0)


def on_device(*tensors):
    return [t.to("neuron") if isinstance(t, torch.Tensor) else t for t in tensors]


def flat(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def agree(got, wanted, **tolerance):
    for g, w in zip(flat(got), flat(wanted), strict=True):
        if isinstance(w, torch.Tensor):
            assert g.device.type == "neuron" and g.dtype == w.dtype and g.shape == w.shape and g.stride() == w.stride()
            torch.testing.assert_close(g.cpu(), w, **tolerance)
        else:
            assert g == w


def compiled_agrees(f, *args, **options):
    """Runs f compiled on the device and plain on the CPU; inputs are compared too, for mutations."""
    cpu = [a.clone() if isinstance(a, torch.Tensor) else a for a in args]
    dev = on_device(*args)
    compiled = torch.compile(f, backend="neuron", **options)
    wanted = f(*cpu)
    agree(compiled(*dev), wanted)
    agree([t for t in dev if isinstance(t, torch.Tensor)], [t for t in cpu if isinstance(t, torch.Tensor)])
    return compiled


def metrics():
    return compile_metrics.get_dynamo_metrics()


def launches(f, *args):
    """Kernels of one call, with their rows."""
    f(*args)
    torch.neuron.synchronize()
    with profile(activities=BOTH) as prof:
        f(*args)
        torch.neuron.synchronize()
    kernels = [e for e in prof.events() if e.device_type == torch.autograd.DeviceType.PrivateUse1 and "Mem" not in e.name]
    return len(kernels), prof


def rms_norm(x, w, eps):
    v = (x * x).mean(-1, keepdim=True)
    return x * torch.rsqrt(v + eps) * w


X, W = torch.randn(4, 64), torch.randn(64)


def test_six_operations_are_one_program():
    compiled = compiled_agrees(rms_norm, X, W, 1e-6)
    (graph,) = metrics()
    assert graph["programs"] == 1 and graph["eager_nodes"] == []
    assert launches(compiled, *on_device(X, W), 1e-6)[0] == 1


def test_backend_is_listed():
    assert "neuron" in torch._dynamo.list_backends()


def test_float_that_changes_makes_no_new_program():
    compiled = compiled_agrees(rms_norm, X, W, 1e-6)
    x, w = on_device(X, W)
    compiled(x, w, 1e-3)  # Dynamo now traces it as a number that changes
    before = len(metrics())
    for eps in (0.25, 0.5, 2.0):
        agree(compiled(x, w, eps), rms_norm(X, W, eps))
    assert len(metrics()) == before


def test_cpu_number_is_copied_to_the_device():
    dev = on_device(X, W)
    compiled = torch.compile(rms_norm, backend="neuron")
    eps = torch.tensor(1e-6)  # stays on the CPU
    agree(compiled(*dev, eps), rms_norm(X, W, eps))
    count, prof = launches(compiled, *dev, eps)
    assert count == 1
    assert [e.name for e in prof.events() if "Memcpy" in e.name] == ["Memcpy HtoD"]


@pytest.mark.parametrize("dynamic", [True, None])
def test_each_size_is_a_program_of_one_trace(dynamic):
    compiled = torch.compile(rms_norm, backend="neuron", dynamic=dynamic)
    for rows in (4, 3, 2, 3, 4, 1):
        x = torch.randn(rows, 64)
        agree(compiled(*on_device(x, W), 1e-6), rms_norm(x, W, 1e-6))
    assert len({graph["graph_id"] for graph in metrics()}) <= 3
    assert len(metrics()) <= 6


def test_mutated_input():
    def f(x, w):
        x.add_(1)
        return x * w

    compiled_agrees(f, X, W)
    assert metrics()[0]["eager_nodes"] == []


def test_outputs_that_are_inputs_and_views():
    def f(x, w):
        y = x * w
        return x, x.t(), y, y.view(-1), y[1:], x[:, ::2]

    dev = on_device(X, W)
    got = torch.compile(f, backend="neuron")(*dev)
    wanted = f(X, W)
    agree(got, wanted)
    assert got[0] is dev[0]
    assert got[1].data_ptr() == dev[0].data_ptr()  # a view, no copy
    assert metrics()[0]["programs"] == 1


def test_graph_of_views_alone_launches_nothing():
    compiled = compiled_agrees(lambda x: (x.t(), x.view(-1)), X)
    assert metrics()[0]["programs"] == 0
    assert launches(compiled, *on_device(X))[0] == 0


def test_factories_in_the_graph():
    def f(x):
        return x + torch.arange(64, device=x.device), torch.full((2,), 3.0, device=x.device)

    compiled_agrees(f, X)


def test_op_without_lowering_splits_the_graph():
    def f(x, w):
        y = x * w
        return torch.sort(y)[0] * 2

    torch.neuron.clear_op_tracking()
    compiled_agrees(f, X, W)
    (graph,) = metrics()
    assert graph["programs"] == 2 and graph["eager_nodes"] == ["aten.sort.default"]
    (fallback,) = torch.neuron.get_fallback_ops()
    assert fallback.startswith("aten::sort")


def test_mutation_behind_an_op_without_lowering():
    def f(x):
        y = torch.sort(x)[0]
        x.mul_(2)
        return y + 1

    compiled_agrees(f, X)


def test_two_mutations_and_a_reader_that_runs_outside():
    def f(x, w):
        x.add_(w)
        y = torch.sort(x)[0]
        w.mul_(2)
        return y + w

    compiled_agrees(f, X, W)


def test_data_dependent_size_runs_op_by_op():
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled_agrees(lambda x: x[x > 0] * 2, X)
    assert metrics()[-1]["programs"] == 0 and metrics()[-1]["eager_nodes"]


def test_forward_and_backward_of_a_model():
    cpu = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    dev = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    dev.load_state_dict(cpu.state_dict())
    dev = dev.to("neuron")
    x = torch.randn(8, 16)
    compiled = torch.compile(dev, backend="neuron")
    wanted = cpu(x)
    got = compiled(x.to("neuron"))
    agree(got.detach(), wanted.detach(), rtol=1e-4, atol=1e-5)
    wanted.square().sum().backward()
    got.square().sum().backward()
    for p, q in zip(dev.parameters(), cpu.parameters(), strict=True):
        torch.testing.assert_close(p.grad.cpu(), q.grad, rtol=1e-4, atol=1e-4)
    names = [graph["graph_name"].split("_")[-1] for graph in metrics()]
    assert names == ["forward", "backward"]
    assert all(graph["programs"] == 1 and not graph["eager_nodes"] for graph in metrics())


def test_training_time_lands_on_the_rows_of_the_compiled_function():
    x, w = on_device(X, W)
    w.requires_grad_()
    compiled = torch.compile(rms_norm, backend="neuron")

    def step():
        w.grad = None
        compiled(x, w, 1e-6).sum().backward()

    _, prof = launches(step)
    rows = {row.key for row in prof.key_averages() if row.self_device_time_total > 0 and row.device_type.name == "CPU"}
    assert {"CompiledFunction", "CompiledFunctionBackward"} <= rows


def test_bf16_is_within_an_ulp_of_the_reference():
    x, w = torch.randn(4, 512).bfloat16(), torch.randn(512).bfloat16()
    got = torch.compile(rms_norm, backend="neuron")(*on_device(x, w), 1e-6).cpu()
    wanted = rms_norm(x.double(), w.double(), 1e-6).bfloat16()
    ulps = (got.view(torch.int16).int() - wanted.view(torch.int16).int()).abs()
    assert ulps.max() <= 1


def test_metrics_have_the_known_keys():
    torch.compile(rms_norm, backend="neuron", options={"model_name": "norm"})(*on_device(X, W), 1e-6)
    (graph,) = metrics()
    assert graph["model_name"] == "norm" and graph["graph_name"].startswith("norm")
    assert graph["has_collectives"] is False and graph["graph_node_count"] == 6
    assert graph["torch_neuronx_compile_us"] > 0
    assert torch._dynamo.utils.counters["neuron"]["compiled_graphs"] == 1


@pytest.mark.parametrize(
    "options,named",
    [({"mode": "max-autotune"}, "max-autotune"), ({"options": {"fast": True}}, "fast"), ({"options": {"model_name": 3}}, "model_name")],
)
def test_unknown_modes_and_options_are_refused(options, named):
    with pytest.raises(Exception, match=named):
        torch.compile(rms_norm, backend="neuron", **options)(*on_device(X, W), 1e-6)


def test_bare_compile_uses_our_backend_on_neuron():
    agree(torch.compile(rms_norm)(*on_device(X, W), 1e-6), rms_norm(X, W, 1e-6))
    assert metrics()[0]["programs"] == 1


@pytest.mark.skipif(torch.__version__ < "2.15", reason="older Inductor fails in its own words before it asks who makes code for the device")
def test_inductor_by_name_says_what_to_call():
    with pytest.raises(Exception, match='backend="neuron"'):
        torch.compile(rms_norm, backend="inductor")(*on_device(X, W), 1e-6)


def test_importing_torch_does_not_import_dynamo():
    code = "import torch, sys; torch.empty(1, device='neuron'); print('torch._dynamo' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert out.stdout.strip() == "False"


def test_shape_error_in_a_program_is_an_exception_and_not_a_crash():
    with pytest.raises(Exception, match="size|shape"):
        torch.compile(lambda x, w: x @ w, backend="neuron")(*on_device(torch.randn(3, 4), torch.randn(5, 6)))


def test_running_statistics_are_updated_in_the_program():
    cpu = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.BatchNorm1d(8))
    dev = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.BatchNorm1d(8))
    dev.load_state_dict(cpu.state_dict())
    dev = dev.to("neuron")
    x = torch.randn(32, 16)
    torch.compile(dev, backend="neuron")(x.to("neuron")).square().sum().backward()
    cpu(x).square().sum().backward()
    torch.testing.assert_close(dev[1].running_mean.cpu(), cpu[1].running_mean)
    torch.testing.assert_close(dev[1].running_var.cpu(), cpu[1].running_var)
    torch.testing.assert_close(dev[0].weight.grad.cpu(), cpu[0].weight.grad, rtol=1e-3, atol=1e-4)
    assert dev[1].num_batches_tracked.item() == 1
    assert all(graph["programs"] == 1 and not graph["eager_nodes"] for graph in metrics())


class Block(torch.nn.Module):
    """One transformer block, with attention by its parts."""

    def __init__(self, tokens=50, dim=32, heads=4):
        super().__init__()
        self.heads = heads
        self.embedding = torch.nn.Embedding(tokens, dim)
        self.norm1, self.norm2 = torch.nn.LayerNorm(dim), torch.nn.RMSNorm(dim)
        self.qkv, self.out = torch.nn.Linear(dim, 3 * dim), torch.nn.Linear(dim, dim)
        self.up, self.down = torch.nn.Linear(dim, 4 * dim), torch.nn.Linear(4 * dim, dim)
        self.head = torch.nn.Linear(dim, tokens)

    def forward(self, ids):
        x = self.embedding(ids)
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        a = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(a.transpose(1, 2).reshape(b, t, d))
        x = x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))
        return self.head(x)


def train(model, device, steps, compiled):
    model = copy.deepcopy(model).to(device)
    f = torch.compile(model, backend="neuron") if compiled else model
    generator = torch.Generator().manual_seed(3)
    ids = torch.randint(0, 50, (2, 9), generator=generator).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses, made = [], []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(f(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        made.append((_C.program_cache_stats()["misses"], len(metrics())))
    return losses, made


def test_compiled_training_follows_the_cpu_and_makes_no_program_after_two_steps(monkeypatch):
    monkeypatch.setenv("LANEWISE_FALLBACK", "error")
    model = Block()
    wanted, _ = train(model, "cpu", 20, compiled=False)
    got, made = train(model, "neuron", 20, compiled=True)
    assert got == pytest.approx(wanted, rel=1e-3)
    assert got[-1] < got[0] / 10
    assert made[1] == made[-1]
    assert [graph["programs"] for graph in metrics()] == [1, 1]


def test_random_numbers_differ_from_call_to_call():
    compiled = torch.compile(lambda x: torch.nn.functional.dropout(x, 0.5, True), backend="neuron")
    x = torch.ones(64, 64, device="neuron")
    first, second = compiled(x).cpu(), compiled(x).cpu()
    assert 0.3 < (first == 0).float().mean() < 0.7
    assert not torch.equal(first, second)


def test_forms_in_which_scripts_compile():
    module = torch.nn.Linear(64, 8).to("neuron")
    x = X.to("neuron")
    wanted = module(x).cpu()
    # PyTorch 2.13 refuses this form for the modules of torch.nn on every device.
    module.compile(backend="neuron", dynamic=False, fullgraph=torch.__version__ >= "2.14")
    torch.testing.assert_close(module(x).cpu(), wanted)
    with torch.inference_mode():
        torch.testing.assert_close(torch.compile(module.forward, backend="neuron")(x).cpu(), wanted)
    with torch.autocast("neuron", dtype=torch.bfloat16):
        assert torch.compile(lambda t: t @ t.t(), backend="neuron")(x).dtype == torch.bfloat16


def test_inputs_that_share_memory():
    def f(x, y):
        x.add_(1)
        return x + y

    cpu = torch.arange(8.0)
    dev = cpu.to("neuron")
    got = torch.compile(f, backend="neuron")(dev[:6], dev[2:])
    assert torch.equal(got.cpu(), f(cpu[:6], cpu[2:]))
    assert torch.equal(dev.cpu(), cpu)


def test_two_devices_in_one_graph():
    if torch.neuron.device_count() < 2:
        pytest.skip("one device only: LANEWISE_DEVICES or the environment says so")
    got = torch.compile(lambda x: (x * 2).to("neuron:1") + 1, backend="neuron")(X.to("neuron"))
    assert got.device == torch.device("neuron:1")
    torch.testing.assert_close(got.cpu(), X * 2 + 1)

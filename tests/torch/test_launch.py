# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Eager launches: the values of the CPU, in-place and out= forms, promotion, run-time scalars, the bounded cache."""

import os
import subprocess
import sys

import pytest
import torch

from lanewise import _C

D = torch.device("neuron")
torch.manual_seed(0)
X, Y, W = torch.randn(4, 6), torch.randn(4, 6), torch.rand(6) + 0.5
I, M = torch.tensor([[3, -7, 9], [2**40, 5, -1]]), torch.randn(4, 6) > 0


def moved(value):
    if isinstance(value, torch.Tensor):
        return value.to(D)
    return type(value)(map(moved, value)) if isinstance(value, (list, tuple)) else value


def flat(result):
    return [t for r in result for t in flat(r)] if isinstance(result, (list, tuple)) else [result]


def same(f, *args, **tolerance):
    """f on the device gives what f gives on the CPU, without the host."""
    wanted = f(*[a.clone() if isinstance(a, torch.Tensor) else a for a in args])
    torch.neuron.clear_op_tracking()
    got = f(*map(moved, args))
    assert torch.neuron.get_fallback_ops() == []
    for g, w in zip(flat(got), flat(wanted), strict=True):
        assert g.device.type == "neuron" and g.dtype == w.dtype and g.shape == w.shape
        torch.testing.assert_close(g.cpu(), w, **tolerance)


CASES = {
    "broadcast": lambda: (lambda x, w: x * w + 1, X, W),
    "scalar left": lambda: (lambda x: 2 - x, X),
    "reciprocal of int": lambda: (lambda i: 1 / i, I),
    "int times float": lambda: (lambda i: i * 2.5, I),
    "int times int": lambda: (lambda i: i * (2**20 + 1), I),
    "int floor divide": lambda: (lambda i: (i // 2, i % 3), I),
    "int with bool": lambda: (lambda i: i + True, I),
    "bf16 with float scalar": lambda: (lambda x: x * 1.1 + 0.3, X.bfloat16()),
    "bf16 with f32": lambda: (lambda x, y: x + y, X.bfloat16(), Y),
    "comparison": lambda: (lambda x, y: (x > y, x == x, x <= 0.5), X, Y),
    "where": lambda: (lambda m, x: torch.where(m, x, 0.0), M, X),
    "mean and sum": lambda: (lambda x: (x.mean(-1, keepdim=True), x.sum(), x.sum(0), x.mean()), X),
    "extremes": lambda: (lambda x: (x.amax(1), x.amin(), x.max(0).values, x.argmax(1)), X),
    "unary": lambda: (lambda x: (x.abs().sqrt(), x.exp(), x.tanh(), x.sigmoid(), -x, (x * x + 1).log()), X),
    "rsqrt of int": lambda: (lambda i: i.rsqrt(), torch.tensor([1, 4, 9])),
    "activations": lambda: (lambda x: (torch.relu(x), torch.nn.functional.gelu(x), torch.nn.functional.silu(x)), X),
    "softmax": lambda: (lambda x: (x.softmax(-1), x.log_softmax(0)), X),
    "norms": lambda: (lambda x, w: (torch.rms_norm(x, [6], w, 1e-6), torch.layer_norm(x, [6], w)), X, W),
    "matmul": lambda: (lambda x, y: (x @ y.t(), torch.addmm(y[:, :4], x, y.t(), beta=0.5, alpha=2), torch.bmm(x[None], y.t()[None])), X, Y),
    "powers": lambda: (lambda x: (x**2, x**3, (x * x) ** 0.5, 2**x), X),
    "strided": lambda: (lambda x, y: x.t()[::2] * y.t()[1::2], X, Y),
    "0-dim": lambda: (lambda x: x.sum() * x[0, 0], X),
    "empty": lambda: (lambda x: (x[:0] * 2, x[:0].sum()), X),
    "embedding": lambda: (lambda t, i: torch.nn.functional.embedding(i, t), torch.randn(9, 4), torch.tensor([[1, 8], [0, 1]])),
    "cross entropy": lambda: (lambda x: torch.nn.functional.cross_entropy(x, torch.tensor([1, 0, 5, 2], device=x.device)), X),
    "concatenation": lambda: (lambda x, y: (torch.cat([x, y]), torch.stack([x, y], 1)), X, Y),
    "ranges": lambda: (lambda x: (torch.arange(5, device=x.device), torch.arange(1, 9, 3, device=x.device), torch.full((2,), 7, device=x.device)), X),
    "foreach": lambda: (lambda x, y: torch._foreach_add([x, y], [y, x], alpha=0.5), X, Y),
    "fp16": lambda: (lambda x: x * x - 3, X.half()),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_values_are_those_of_the_cpu(case):
    f, *args = case()
    tolerance = dict(rtol=1e-2, atol=1e-2) if any(isinstance(a, torch.Tensor) and a.dtype in (torch.bfloat16, torch.float16) for a in args) else dict(rtol=1e-4, atol=1e-5)
    same(f, *args, **(tolerance if any(isinstance(a, torch.Tensor) and a.is_floating_point() for a in args) else {}))


def in_place(*steps):
    def run(x, *rest):
        for step in steps:
            step(x, *rest)
        return x

    return run


WRITES = {
    "add_": (in_place(lambda x, y: x.add_(y, alpha=0.3)), X, Y),
    "mul_ by itself": (in_place(lambda x: x.mul_(x)), X),
    "rounds to the target's dtype": (in_place(lambda x, y: x.add_(y)), X.bfloat16(), Y),
    "through a transposed view": (in_place(lambda x: x.t().mul_(3)), X),
    "slice assignment": (in_place(lambda x: x.__setitem__((slice(None), slice(1, 3)), 7.0)), X),
    "row of itself": (in_place(lambda x: x.__setitem__((slice(None), 0), x[:, 5])), X),
    "other rows of itself": (in_place(lambda x: x[1:3].add_(x[0])), X),
    "fill_ and zero_": (in_place(lambda x: x[0].fill_(2.5), lambda x: x[1].zero_(), lambda x: x[:, 2].zero_()), X),
    "clamp_": (in_place(lambda x: x.clamp_(-0.5, 0.5)), X),
    "masked_fill_": (in_place(lambda x, m: x.masked_fill_(m, -1.0)), X, M),
    "foreach": (in_place(lambda x, y: torch._foreach_mul_([x, y], [0.5, 2.0]), lambda x, y: torch._foreach_addcdiv_([x], [y], [y * y + 1], 0.1)), X, Y),
}


@pytest.mark.parametrize("case", WRITES.values(), ids=WRITES.keys())
def test_writes_reach_their_target(case):
    f, *args = case
    same(f, *args, **(dict(rtol=1e-2, atol=1e-2) if args[0].dtype == torch.bfloat16 else {}))


def test_an_in_place_op_returns_its_target():
    x = X.to(D)
    assert x.add_(1) is x and torch.mul(x, 2, out=x) is x


def test_out_forms_resize_and_convert():
    x = X.to(D)
    small = torch.empty(0, device=D)
    assert torch.add(x, x, out=small) is small and small.shape == X.shape
    torch.testing.assert_close(small.cpu(), X + X)
    narrow = torch.empty(4, 6, dtype=torch.bfloat16, device=D)
    torch.mul(x, x, out=narrow)
    torch.testing.assert_close(narrow.cpu(), (X * X).bfloat16())
    wide = torch.empty(6, 4, device=D).t()
    torch.mul(x, x, out=wide)
    torch.testing.assert_close(wide.cpu(), X * X)
    with pytest.warns(UserWarning, match="resized"):
        torch.add(x, 1, out=torch.ones(3, device=D))


def misses():
    return _C.program_cache_stats()["misses"]


def test_numbers_are_passed_at_launch():
    x = X.to(D)
    same(lambda x, k: (x * k, x.add(x, alpha=k), x + 3 * k), X, 0.25)
    x * 0.25, x.add(x, alpha=0.25), x + 0.75
    before = misses()
    for k in (0.5, 1e-3, -7.25):
        same(lambda x, k: (x * k, x.add(x, alpha=k), x + 3 * k), X, k)
    assert misses() == before


def test_a_new_shape_or_dtype_is_a_new_program():
    x = torch.randn(3, 5, device=D)
    x + 1
    before = misses()
    x + 2
    assert misses() == before
    x.t() + 1
    x.bfloat16() + 1
    assert misses() > before


def test_python_int_and_float_differ():
    i = torch.tensor([1, 2, 3])
    same(lambda i: (i + 1, i + 1.0, i * 2, i * 2.0), i)


def test_a_cpu_number_is_a_real_copy():
    eps, x = torch.tensor(1e-3), X.to(D)
    torch.testing.assert_close((x + eps).cpu(), X + eps)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as prof:
        x + eps
        x + 1e-3
    rows = {row.key: row.count for row in prof.key_averages()}
    assert rows["aten::add"] == 2 and rows["aten::copy_"] == 1 and rows["aten::_copy_from"] == 1
    # A second look: a hit makes no other row.
    assert set(rows) == {"aten::add", "aten::copy_", "aten::_copy_from"}


def test_the_cache_is_bounded():
    stats = _C.program_cache_stats()
    assert 0 < stats["entries"] <= stats["capacity"]
    _C.clear_program_cache()
    assert _C.program_cache_stats()["entries"] == 0
    torch.testing.assert_close((X.to(D) * 2).cpu(), X * 2)


def test_a_small_cache_evicts_the_oldest_and_stays_right():
    done = subprocess.run([sys.executable, "-c", """if True:
        import torch
        from lanewise import _C
        for _ in range(2):
            for n in range(1, 12):
                x = torch.arange(float(n)).to("neuron")
                assert (x * 2 + 1).tolist() == [2.0 * i + 1 for i in range(n)]
        stats = _C.program_cache_stats()
        assert stats["capacity"] == 4 and stats["entries"] == 4 and stats["evictions"] == stats["misses"] - 4, stats
    """], env={**os.environ, "LANEWISE_PROGRAM_CACHE": "4"}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_blocking_launches_give_the_same_values():
    done = subprocess.run([sys.executable, "-c", """if True:
        import torch
        x = torch.ones(4, device="neuron")
        y = x + x
        assert torch.neuron.current_stream().query() and y.tolist() == [2, 2, 2, 2]
    """], env={**os.environ, "NEURON_LAUNCH_BLOCKING": "1"}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_modes_of_the_caller_do_not_reach_the_meta_kernels():
    with torch.device("neuron"):
        x = torch.ones(3, 17)
        torch.testing.assert_close((x * x).mean(-1).cpu(), torch.ones(3, device="cpu"))
    with torch.inference_mode():
        y = X.to(D) * 2
        y.add_(1)
        assert y.is_inference()
        torch.testing.assert_close(y.cpu(), X * 2 + 1)


def test_a_compiled_graph_is_launched_without_the_dispatcher():
    text = """
      %x = input f32[4,6]{6,1}
      %y = aten::mul.Tensor(%x, $0) -> f32[4,6]{6,1}
      %z = aten::add.Tensor(%y, $1, 1) -> f32[4,6]{6,1}
      return %z, %x := %y
      params f64, i64
    """
    program = _C.compile_graph(text, "two")
    x = X.to(D)
    (z,) = _C.run_program(program, [x], [0.5, 3])
    torch.testing.assert_close(z.cpu(), X * 0.5 + 3)
    torch.testing.assert_close(x.cpu(), X * 0.5)
    assert program.name == "two" and program.hash > 0 and program.instructions > 0
    for tensors, numbers, said in (([], [0.5, 3], "takes 1 tensors"), ([x], [0.5], "takes 2 numbers"), ([x.t()], [0.5, 3], "strides"),
                                   ([x.bfloat16()], [0.5, 3], "BFloat16"), ([X], [0.5, 3], "cpu")):
        with pytest.raises(ValueError, match=said):
            _C.run_program(program, tensors, numbers)
    with pytest.raises(ValueError):
        _C.compile_graph("%x = nonsense", "bad")
    with pytest.raises(NotImplementedError, match="aten::nothing"):
        _C.compile_graph("%x = input f32[4]{1}\n%y = aten::nothing(%x) -> f32[4]{1}\nreturn %y", "bad")
    with pytest.raises(TypeError):
        _C.run_program(program, ["x"], [0.5, 3])


def test_gradients_are_those_of_the_cpu():
    def grads(device):
        x = X.clone().to(device).requires_grad_()
        w = W.clone().to(device).requires_grad_()
        h = torch.rms_norm(x, [6], w, 1e-6)
        loss = torch.nn.functional.gelu(h @ X.t().to(device)).softmax(-1).log().mean() + torch.layer_norm(h, [6], w).square().sum()
        loss.backward()
        return loss, x.grad, w.grad

    torch.neuron.clear_op_tracking()
    got = grads(D)
    assert torch.neuron.get_fallback_ops() == []
    for g, w in zip(got, grads("cpu"), strict=True):
        torch.testing.assert_close(g.cpu(), w, rtol=1e-3, atol=1e-4)

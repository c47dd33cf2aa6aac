# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Calls that PyTorch's samples never make on the CPU: composites, rare overloads, and ops without a CPU kernel."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from graph_case import GraphCase, make_case

aten = torch.ops.aten


def _calls() -> Iterator[tuple]:
    x, y = torch.randn(4, 6), torch.randn(4, 6)
    n = torch.randint(-9, 9, (4, 6))
    mask = torch.rand(4, 6) > 0.5
    yield aten.bitwise_and.Scalar, (n, 6)
    yield aten.bitwise_or.Scalar, (n, 6)
    yield aten.bitwise_xor.Scalar, (n, 6)
    yield aten.chunk, (x, 4, 1)
    yield aten.chunk, (x, 3, 0)
    yield aten.clamp_max, (x, 0.25)
    yield aten.contiguous, (x.t(),)
    yield aten.copy, (torch.empty(4, 6, dtype=torch.bfloat16), torch.randn(6))
    yield aten.copy, (torch.empty(4, 6, dtype=torch.int32), x * 9)
    yield aten.div.Scalar_mode, (x * 9, 2.0), {"rounding_mode": "floor"}
    yield aten.div.Scalar_mode, (n, 4), {"rounding_mode": "trunc"}
    yield aten.fill.Tensor, (n, torch.tensor(2.75))
    yield aten.floor_divide.Scalar, (n, 4)
    yield aten.fmod.Scalar, (n, 4)
    yield aten.fmod.Scalar, (x, -0.3)
    yield aten.isfinite, (torch.tensor([1.0, float("inf"), float("nan")]),)
    yield aten.lift_fresh_copy, (x,)
    yield aten.linear, (torch.randn(2, 3, 6), y, torch.randn(4))
    yield aten.linear, (x.bfloat16(), y.bfloat16())
    yield aten.max.other, (x, y)
    yield aten.min.other, (x, y)
    yield aten.narrow, (x, 1, -3, 2)
    yield aten.remainder.Scalar_Tensor, (7, n.masked_fill(n == 0, 5))
    yield aten.reshape, (x.t(), (8, 3))
    yield aten.slice_scatter, (x, torch.zeros(4, 2), 1, 2, 4)
    yield aten.slice_scatter, (x, torch.zeros(4, 3), 1, 0, 9223372036854775807, 2)
    yield aten.slice_scatter, (x, torch.zeros(3, 6), 0, 1)
    yield aten.square, (x,)
    yield aten.where.Scalar, (mask, 1.0, 2.0)
    yield aten.where.ScalarOther, (mask, x, 2.0)
    yield aten.where.ScalarSelf, (mask, 2.0, x)
    yield aten.zero, (x,)
    yield torch.ops.prims.convert_element_type, (x, torch.bfloat16)
    yield aten.native_dropout, (x, 0.5, False)
    yield aten.native_dropout_backward, (x, mask, 2.0)
    yield aten.threshold, (x, 0.5, -3.0)
    for dim, count in ((0, 3), (1, 6)):
        index = torch.stack([torch.randperm(4 if dim == 0 else 6)[:3] for _ in range(count)])
        index = index.t().contiguous() if dim == 0 else index[:4]
        source = torch.randn(index.shape)
        for t, values in ((x, source), (n, (source * 9).long())):
            yield aten.scatter.src, (t, dim, index, values)
            yield aten.scatter.value, (t, dim, index, 7)
            yield aten.scatter_add, (t, dim, torch.zeros_like(index), values)
    repeated = torch.tensor([1, 3, 1, -1])
    yield aten.index_put, (x, [repeated], torch.randn(4, 6), True)
    yield aten.index_put, (n, [repeated], torch.ones(6, dtype=torch.long), True)
    yield aten.index_put, (x, [torch.tensor([2, -4])], torch.randn(2, 6))
    yield aten.index_put, (x, [mask], torch.tensor(9.0))
    yield aten.index_put, (n, [torch.tensor([True, False, True, False])], torch.tensor(5))
    yield aten.index_add, (x, 1, torch.tensor([0, 5, 0]), torch.randn(4, 3)), {"alpha": 2}
    yield aten.index_add, (n, 0, torch.tensor([0, 3, 0]), torch.ones(3, 6, dtype=torch.long))
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        h, w = torch.randn(3, 4, 64).to(dtype), torch.randn(64).to(dtype)
        yield aten._fused_rms_norm, (h, [64], w, 1e-5)
        yield aten._fused_rms_norm, (h, [4, 64], None, None)


def _list_calls() -> Iterator[tuple]:
    def some():
        return [torch.randn(3, 4), torch.randn(5), torch.randn(())]

    def positive():
        return [t.abs() + 0.1 for t in some()]

    for name in "abs atan ceil cos erf exp expm1 floor neg reciprocal round sigmoid sign sin tan tanh trunc zero".split():
        yield getattr(aten, f"_foreach_{name}"), (some(),)
    for name in ("log", "log1p", "log2", "rsqrt", "sqrt", "max"):
        yield getattr(aten, f"_foreach_{name}"), (positive(),)
    for name in ("add", "sub", "mul", "div", "maximum", "minimum", "clamp_min", "clamp_max"):
        op = getattr(aten, f"_foreach_{name}")
        yield op.List, (some(), positive())
        yield op.Scalar, (some(), 0.75)
        yield op.ScalarList, (some(), [0.5, -2.0, 3.0])
    for name in ("addcmul", "addcdiv"):
        op = getattr(aten, f"_foreach_{name}")
        yield op.Scalar, (some(), some(), positive(), -0.1)
        yield op.ScalarList, (some(), some(), positive(), [0.5, -2.0, 3.0])
    yield aten._foreach_add.Tensor, (some(), torch.tensor(1.5))
    yield aten._foreach_mul.Tensor, (some(), torch.tensor(1.5))
    yield aten._foreach_lerp.Scalar, (some(), some(), 0.1)
    yield aten._foreach_lerp.List, (some(), some(), [t.sigmoid() for t in some()])
    yield aten._foreach_lerp.ScalarList, (some(), some(), [0.1, 0.9, 0.5])
    yield aten._foreach_norm.Scalar, (some(), 1)
    yield aten._foreach_pow.Scalar, (positive(), 3)
    yield aten._foreach_pow.List, (positive(), some())
    yield aten._foreach_pow.ScalarAndTensor, (0.9, some())
    for amsgrad in (False, True):
        for maximize in (False, True):
            state = [positive() for _ in range(2)] if amsgrad else [positive(), []]
            steps = [torch.tensor(float(k)) for k in (1, 2, 30)]
            scale = torch.tensor(8.0) if maximize else None
            found = torch.tensor(float(amsgrad)) if maximize else None
            options = {"lr": 1e-2, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.1, "eps": 1e-8, "amsgrad": amsgrad,
                       "maximize": maximize, "grad_scale": scale, "found_inf": found}
            for op in (aten._fused_adam, aten._fused_adamw):
                yield op, (some(), some(), some(), *state, steps), options
    for momentum, first in ((0.0, True), (0.9, True), (0.9, False)):
        buffers = some() if momentum else []
        options = {"weight_decay": 0.1, "momentum": momentum, "lr": 0.05, "dampening": 0.2 if not first else 0.0,
                   "nesterov": momentum > 0 and first, "maximize": first, "is_first_step": first}
        yield aten._fused_sgd, (some(), some(), buffers), options
    bad = [torch.randn(3), torch.tensor([1.0, float("inf")])]
    yield aten._amp_foreach_non_finite_check_and_unscale, (bad, torch.zeros(1), torch.tensor([0.25]))
    yield aten._amp_foreach_non_finite_check_and_unscale, (bad[:1], torch.zeros(1), torch.tensor([0.25]))


def _rms_norm_backward(dtype: torch.dtype) -> tuple:
    """There is no CPU kernel: the derivative of the forward's formula in float64."""
    x, w, dy = torch.randn(3, 4, 64).to(dtype), torch.randn(64).to(dtype), torch.randn(3, 4, 64).to(dtype)
    rstd = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-5)
    xd, wd = x.double().requires_grad_(), w.double().requires_grad_()
    y = xd * torch.rsqrt(xd.pow(2).mean(-1, keepdim=True) + 1e-5) * wd
    dx, dw = torch.autograd.grad(y, (xd, wd), dy.double())
    arguments = (dy, x, [64], rstd, w, [True, True])
    return aten._fused_rms_norm_backward.default, arguments, (dx.to(dtype), dw.to(dtype))


def composite_cases() -> list[GraphCase]:
    torch.manual_seed(0)
    cases = []
    for func, args, *rest in (*_calls(), *_list_calls()):
        kwargs = rest[0] if rest else {}
        func = func if isinstance(func, torch._ops.OpOverload) else func.default
        results = func(*args, **kwargs)
        for as_parameters in (False, True):
            cases.append(make_case(f"{len(cases)}:{func.name()}", func, args, kwargs, results, as_parameters))
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        func, args, results = _rms_norm_backward(dtype)
        cases.append(make_case(f"{len(cases)}:{func.name()}", func, args, {}, results))
    return cases

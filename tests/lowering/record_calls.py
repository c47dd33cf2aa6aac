# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Every ATen call that PyTorch's own operator samples make on the CPU, forward and backward."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from unittest import mock

import numpy
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_utils import SEED
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map_only

from graph_case import GraphCase, NotServed, make_case, snapshot

MOST_ELEMENTS = 3000
SAMPLE_DTYPES = (torch.float32, torch.bfloat16, torch.int64, torch.bool)


class Recorder(TorchDispatchMode):
    """Turns calls of ``supported`` ops into cases, at most ``per_op`` of each op and dtype."""

    def __init__(self, supported: frozenset[str], per_op: int):
        super().__init__()
        self.supported = supported
        self.per_op = per_op
        self.cases: list[GraphCase] = []
        self.counts: Counter = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not self._wanted(func, args, kwargs):
            return func(*args, **kwargs)
        with torch._C._DisableTorchDispatch():
            args_before, kwargs_before = tree_map_only(torch.Tensor, self._once(), (args, kwargs))
        result = func(*args, **kwargs)
        with torch._C._DisableTorchDispatch():
            results = tree_map_only(torch.Tensor, lambda t: snapshot(t), result)
            for as_parameters in (False, True):
                name = f"{len(self.cases)}:{func.name()}"
                try:
                    case = make_case(name, func, args_before, kwargs_before, results, as_parameters)
                except NotServed:
                    break
                if as_parameters and not case.parameters:
                    break
                self.cases.append(case)
        return result

    @staticmethod
    def _once():
        """Equal tensors of one call stay one tensor."""
        copies = {}

        def copy(tensor):
            if id(tensor) not in copies:
                copies[id(tensor)] = snapshot(tensor)
            return copies[id(tensor)]

        return copy

    def _wanted(self, func, args, kwargs) -> bool:
        if func.name() not in self.supported or func._schema.is_mutable:
            return False
        tensors = [t for t in tree_flatten((args, kwargs))[0] if isinstance(t, torch.Tensor)]
        if any(t.device.type != "cpu" or t.numel() > MOST_ELEMENTS or type(t) not in (torch.Tensor, torch.nn.Parameter) for t in tensors):
            return False
        key = (func.name(), tuple(t.dtype for t in tensors))
        self.counts[key] += 1
        return self.counts[key] <= self.per_op


def _run_sample(op, sample, grad: bool) -> None:
    result = op(sample.input, *sample.args, **sample.kwargs)
    if not grad:
        return
    outputs = [t for t in tree_flatten(result)[0] if isinstance(t, torch.Tensor) and t.requires_grad]
    inputs = [t for t in tree_flatten((sample.input, sample.args, sample.kwargs))[0] if isinstance(t, torch.Tensor) and t.requires_grad]
    if outputs and inputs:
        torch.autograd.grad(outputs, inputs, [torch.randn_like(o) for o in outputs], allow_unused=True)


def record(supported: frozenset[str], per_op: int = 12, samples_per_op: int = 40) -> list[GraphCase]:
    recorder = Recorder(supported, per_op)
    # PyTorch's samples seed every device before each draw, and a device that is not there keeps a formatted stack of that: a
    # third of the time. Only the CPU draws here.
    with mock.patch("torch.testing._internal.common_utils.set_rng_seed", _seed_cpu):
        _seed_cpu()
        _record_samples(recorder, samples_per_op)
    return recorder.cases


def _seed_cpu(seed: int | None = None) -> None:
    seed = SEED if seed is None else seed
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    numpy.random.seed(seed)


def _record_samples(recorder: Recorder, samples_per_op: int) -> None:
    for op in op_db:
        if op.name.startswith(("fft.", "linalg.", "special.", "sparse.", "masked.", "jiterator")) and op.name != "linalg.vector_norm":
            continue
        for dtype in SAMPLE_DTYPES:
            if not op.supports_dtype(dtype, "cpu"):
                continue
            grad = op.supports_autograd and dtype.is_floating_point
            fruitless = 0
            try:
                for i, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=grad)):
                    if i >= samples_per_op or fruitless >= 3:
                        break  # most of PyTorch's operators never call one of ours
                    before = len(recorder.cases)
                    with recorder, warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        _run_sample(op, sample, grad)
                    fruitless = 0 if len(recorder.cases) > before else fruitless + 1
            except (RuntimeError, NotImplementedError, TypeError, ValueError):
                continue  # a sample that PyTorch itself refuses on the CPU

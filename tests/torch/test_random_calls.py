# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Random calls on random views: values, aliasing and refusals are those of the CPU. A failure names its seed."""

import random

import pytest
import torch

DTYPES = [torch.float32, torch.bfloat16, torch.int64, torch.int32, torch.bool, torch.uint8]
STEPS = 12


class Pair:
    """The same tensor on the CPU and on the device."""

    def __init__(self, host, device):
        self.host, self.device = host, device

    def map(self, f):
        return Pair(f(self.host), f(self.device))

    def difference(self):
        if self.host.dtype != self.device.dtype or self.host.shape != self.device.shape:
            return f"{self.host.dtype} {self.host.shape} against {self.device.dtype} {self.device.shape}"
        relative = 2e-2 if self.host.dtype == torch.bfloat16 else 1e-4
        try:
            torch.testing.assert_close(self.device.cpu(), self.host, rtol=relative, atol=1e-3, equal_nan=True)
        except AssertionError as error:
            return str(error)


def fresh(rng):
    host = (torch.randn([rng.randint(1, 6) for _ in range(rng.randint(1, 3))]) * 5).to(rng.choice(DTYPES))
    return Pair(host, host.to("neuron"))


def view(rng, pair):
    rank = pair.host.dim()
    kind = rng.choice(["transpose", "slice", "select", "unsqueeze", "flatten", "same"])
    if kind == "transpose" and rank > 1:
        a, b = rng.sample(range(rank), 2)
        return pair.map(lambda t: t.transpose(a, b))
    if kind == "slice" and rank > 0:
        dim = rng.randrange(rank)
        first = rng.randrange(pair.host.shape[dim])
        index = [slice(None)] * rank
        index[dim] = slice(first, rng.randint(first + 1, pair.host.shape[dim]), rng.randint(1, 2))
        return pair.map(lambda t: t[tuple(index)])
    if kind == "select" and rank > 1:
        dim = rng.randrange(rank)
        at = rng.randrange(pair.host.shape[dim])
        return pair.map(lambda t: t.select(dim, at))
    if kind == "unsqueeze":
        dim = rng.randrange(rank + 1)
        return pair.map(lambda t: t.unsqueeze(dim))
    return pair.map(lambda t: t.reshape(-1)) if kind == "flatten" else pair


def call(rng, a, b):
    """A function of two tensors and whether it writes into the first."""
    number = rng.choice([2, 0.5, -1, 3, True])
    dim = rng.randrange(max(a.host.dim(), 1))
    return rng.choice([
        (lambda x, y: x + y, False),
        (lambda x, y: x * y, False),
        (lambda x, y: x + number, False),
        (lambda x, y: x.sum(dim if x.dim() else []), False),
        (lambda x, y: torch.where(x > 0, x, y), False),
        (lambda x, y: x.square(), False),
        (lambda x, y: x.contiguous(), False),
        (lambda x, y: x.mul_(number), True),
        (lambda x, y: x.add_(y), True),
        (lambda x, y: x.copy_(y), True),
    ])


def outcome(f, *args):
    try:
        return f(*args), None
    except (RuntimeError, NotImplementedError) as error:
        return None, error


def same_memory(a, b):
    return a.host.untyped_storage().data_ptr() == b.host.untyped_storage().data_ptr()


@pytest.mark.parametrize("seed", range(40))
def test_agrees_with_the_cpu(seed):
    rng = random.Random(seed)
    torch.manual_seed(seed)
    pool = [fresh(rng) for _ in range(3)]
    for step in range(STEPS):
        a, b = rng.choice(pool), rng.choice(pool)
        for _ in range(rng.randint(0, 2)):
            a = view(rng, a)
        if rng.random() < 0.5:
            b = view(rng, b)
        f, writes = call(rng, a, b)
        # What the CPU does when it writes over what it still has to read is its own affair.
        if writes and same_memory(a, b):
            continue
        (host, host_error), (device, device_error) = outcome(f, a.host, b.host), outcome(f, a.device, b.device)
        if isinstance(host_error, NotImplementedError):
            return
        where = f"seed {seed}, step {step}, {a.host.dtype} {tuple(a.host.shape)} {a.host.stride()}, {b.host.dtype} {tuple(b.host.shape)}"
        assert (host_error is None) == (device_error is None), f"{where}: {host_error!r} against {device_error!r}"
        if host_error is None:
            made = Pair(host, device)
            for pair in [made, *pool]:
                assert pair.difference() is None, f"{where}: {pair.difference()}"
            if not writes and 0 < host.dim() and host.numel() < 400:
                pool.append(made)

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Training with AdamW: the loss curve of the CPU, nothing on the host, no program made after the second step."""

import pytest
import torch
from torch import nn

from lanewise import _C

D = torch.device("neuron")
STEPS = 20


@pytest.fixture(autouse=True)
def no_host(monkeypatch):
    monkeypatch.setenv("LANEWISE_FALLBACK", "error")


class Block(nn.Module):
    """One transformer block: attention by its parts, RMS norms, gated feed-forward."""

    def __init__(self, tokens=11, dim=16, heads=2):
        super().__init__()
        self.heads = heads
        self.embedding = nn.Embedding(tokens, dim)
        self.norm1, self.norm2 = nn.RMSNorm(dim), nn.LayerNorm(dim)
        # A bias of the keys has no gradient but rounding, which AdamW would blow up to a step.
        self.qkv, self.out = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim)
        self.up, self.gate, self.down = nn.Linear(dim, 2 * dim), nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)
        self.head = nn.Linear(dim, tokens, bias=False)

    def forward(self, ids):
        x = self.embedding(ids)
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        x = x + self.out(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, c))
        h = self.norm2(x)
        x = x + self.down(nn.functional.silu(self.gate(h)) * self.up(h))
        return self.head(x)


def mlp():
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 4))
    return model, torch.randn(16, 8), torch.randint(0, 4, (16,))


def block():
    ids = torch.randint(0, 11, (2, 9))
    return Block(), ids[:, :-1].contiguous(), ids[:, 1:].contiguous()


def train(device, make, optimizer):
    torch.manual_seed(1)
    model, x, y = make()
    model, x, y = model.to(device), x.to(device), y.to(device)
    stepper = optimizer(model.parameters())
    losses, misses = [], []
    for _ in range(STEPS):
        stepper.zero_grad()
        out = model(x)
        loss = nn.functional.cross_entropy(out.flatten(0, -2), y.flatten())
        loss.backward()
        stepper.step()
        losses.append(loss.item())
        misses.append(_C.program_cache_stats()["misses"])
    return torch.tensor(losses), misses, [p.detach().cpu() for p in model.parameters()]


OPTIMIZERS = {
    "AdamW": lambda p: torch.optim.AdamW(p, lr=1e-2),
    "AdamW single": lambda p: torch.optim.AdamW(p, lr=1e-2, foreach=False),
    "SGD": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=1e-3),
}


@pytest.mark.parametrize("make", [mlp, block])
@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())
def test_the_loss_curve_is_that_of_the_cpu(make, optimizer):
    wanted, _, wanted_parameters = train("cpu", make, optimizer)
    losses, misses, parameters = train(D, make, optimizer)
    torch.testing.assert_close(losses, wanted, rtol=2e-3, atol=2e-3)
    assert losses[-1] < losses[0] * 0.8
    for got, want in zip(parameters, wanted_parameters, strict=True):
        torch.testing.assert_close(got, want, rtol=2e-2, atol=5e-3)
    assert misses[-1] == misses[1], f"programs made after step 2: {[b - a for a, b in zip(misses, misses[1:])]}"


def test_a_learning_rate_schedule_makes_no_program():
    torch.manual_seed(0)
    model, x, y = mlp()
    model, x, y = model.to(D), x.to(D), y.to(D)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    misses = []
    for _ in range(6):
        optimizer.zero_grad(set_to_none=False)
        nn.functional.cross_entropy(model(x), y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        misses.append(_C.program_cache_stats()["misses"])
    assert misses[-1] == misses[1]

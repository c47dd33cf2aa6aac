# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Device memory: statistics in every layout, running out, pinned host memory, the profiler's memory columns."""

import gc

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

D = torch.device("neuron")
MIB = 1 << 20


@pytest.fixture(autouse=True)
def settled():
    gc.collect()
    torch.neuron.synchronize()


def test_allocation_is_counted_and_given_back():
    before = torch.neuron.memory_allocated()
    x = torch.empty(4 * MIB, dtype=torch.uint8, device=D)
    assert torch.neuron.memory_allocated() - before == 4 * MIB == torch.accelerator.memory_allocated() - before
    assert torch.neuron.memory_reserved() >= torch.neuron.memory_allocated()
    assert torch.neuron.max_memory_allocated() >= before + 4 * MIB
    del x
    assert torch.neuron.memory_allocated() == before
    torch.neuron.reset_peak_memory_stats()
    assert torch.neuron.max_memory_allocated() == before == torch.accelerator.max_memory_allocated()


def test_freed_blocks_are_used_again_and_can_be_released():
    torch.empty(8 * MIB, dtype=torch.uint8, device=D)
    reserved = torch.neuron.memory_reserved()
    torch.empty(8 * MIB, dtype=torch.uint8, device=D)
    assert torch.neuron.memory_reserved() == reserved
    torch.neuron.synchronize()
    torch.neuron.empty_cache()
    assert torch.neuron.memory_reserved() < reserved


def test_both_layouts_of_the_statistics():
    stats = torch.neuron.memory_stats()
    assert set(stats["allocated_bytes"]) >= {"current", "peak", "allocated", "freed"}
    assert stats["allocated_bytes"]["current"] == stats["allocated_bytes.all.current"] == torch.neuron.memory_allocated()
    assert stats["reserved_bytes.all.current"] == torch.neuron.memory_reserved()
    assert "neuron:0" in torch.neuron.memory_summary() and torch.neuron.memory.memory_summary is torch.neuron.memory_summary
    torch.neuron.reset_accumulated_memory_stats()
    assert torch.neuron.memory_stats()["allocated_bytes"]["freed"] == 0


def test_each_device_has_its_own_memory():
    x = torch.empty(MIB, dtype=torch.uint8, device="neuron:1")
    assert torch.neuron.memory_allocated(1) >= MIB and torch.neuron.memory_allocated("neuron:1") == torch.neuron.memory_allocated(x.device)


def test_running_out_is_a_python_error_and_leaves_the_device_usable():
    free, total = torch.neuron.mem_get_info()
    with pytest.raises(torch.OutOfMemoryError) as raised:
        torch.empty(total + MIB, dtype=torch.uint8, device=D)
    assert "memory" in str(raised.value)
    assert torch.neuron.memory_stats()["num_ooms"] >= 1
    assert (torch.ones(3, device=D) + 1).sum().item() == 6
    assert torch.neuron.mem_get_info()[0] <= total


def test_pinned_memory():
    x = torch.randn(1000).pin_memory()
    assert x.is_pinned() and not torch.randn(3).is_pinned()
    there = x.to(D, non_blocking=True)
    torch.neuron.synchronize()
    assert torch.equal(there.cpu(), x)
    back = torch.empty(1000, pin_memory=True)
    back.copy_(there, non_blocking=True)
    torch.neuron.synchronize()
    assert torch.equal(back, x)
    # The block may not be handed out again while a copy reads it.
    addresses = set()
    for _ in range(20):
        y = torch.randn(1000).pin_memory()
        addresses.add(y.data_ptr())
        y.to(D, non_blocking=True)
        del y
    assert addresses
    with pytest.raises(RuntimeError, match="pinned"):
        torch.empty(3, device=D, pin_memory=True)


def test_the_profiler_sees_memory():
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1], profile_memory=True) as prof:
        x = torch.empty(MIB, dtype=torch.uint8, device=D)
        del x
    table = prof.key_averages().table()
    assert "NEURON Mem" in table
    row = next(r for r in prof.key_averages() if r.key == "aten::empty")
    assert row.self_device_memory_usage == MIB


def test_an_empty_tensor_takes_nothing():
    before = torch.neuron.memory_allocated()
    x = torch.empty(0, 5, device=D)
    assert torch.neuron.memory_allocated() == before and x.data_ptr() == 0

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Streams and events: order across streams, and times that are those of the device."""

import threading

import pytest
import torch

D = torch.device("neuron")


def test_the_current_stream_is_per_thread_and_device():
    own = torch.neuron.Stream()
    assert isinstance(own, torch.Stream) and own != torch.neuron.default_stream()
    assert torch.neuron.current_stream() == torch.neuron.default_stream() == torch.accelerator.current_stream()
    with torch.neuron.stream(own):
        assert torch.neuron.current_stream() == own and torch.neuron.current_stream(1) == torch.neuron.default_stream(1)
        seen = []
        thread = threading.Thread(target=lambda: seen.append(torch.neuron.current_stream()))
        thread.start()
        thread.join()
        assert seen == [torch.neuron.default_stream()]
    assert torch.neuron.current_stream() == torch.neuron.default_stream()
    with own:
        assert torch.neuron.current_stream() == own
    torch.neuron.set_stream(own)
    assert torch.neuron.current_stream() == own
    torch.neuron.set_stream(torch.neuron.default_stream())
    with torch.neuron.stream(None):
        assert torch.neuron.current_stream() == torch.neuron.default_stream()


def test_one_stream_waits_for_another():
    first, second = torch.neuron.Stream(), torch.neuron.Stream()
    with first:
        x = torch.ones(64, 64, device=D)
        for _ in range(10):
            x = x + 1
        done = first.record_event()
    second.wait_event(done)
    with second:
        y = x * 2
    y.record_stream(second)
    x.record_stream(second)
    second.synchronize()
    assert y.sum().item() == 64 * 64 * 22 and second.query()
    first.wait_stream(second)


def test_elapsed_time_is_device_time():
    def elapsed(work):
        work()
        start, end = (torch.neuron.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(5):
            work()
        end.record()
        end.synchronize()
        assert start.query() and end.query()
        return start.elapsed_time(end)

    small, large = torch.ones(4, 4, device=D), torch.ones(2048, 2048, device=D)
    times = elapsed(lambda: small + small), elapsed(lambda: large + large)
    assert 0 < times[0] < times[1]


def test_events_without_time_have_none():
    start, end = torch.neuron.Event(), torch.neuron.Event(enable_timing=True)
    assert start.query()
    start.record()
    end.record()
    end.synchronize()
    with pytest.raises((ValueError, RuntimeError), match="timing"):
        start.elapsed_time(end)
    with pytest.raises((ValueError, RuntimeError)):
        torch.neuron.Event(enable_timing=True).elapsed_time(end)


def test_many_streams_share_a_pool():
    streams = [torch.neuron.Stream() for _ in range(100)]
    assert len({s.stream_id for s in streams}) == 32
    results = []
    for s in streams[:40]:
        with s:
            results.append(torch.ones(8, device=D) * 3)
    torch.neuron.synchronize()
    assert all(r.sum().item() == 24 for r in results)


def test_threads_launch_at_once():
    x = torch.randn(32, 32)
    wrong = []

    def work(seed):
        y = x.to(D)
        for i in range(20):
            y = torch.tanh(y * (1 + seed / 10)) + i / 7
        reference = x
        for i in range(20):
            reference = torch.tanh(reference * (1 + seed / 10)) + i / 7
        if not torch.allclose(y.cpu(), reference, rtol=1e-4, atol=1e-4):
            wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert wrong == []


@pytest.mark.parametrize("device", ["neuron:0", "neuron:1"])
def test_a_failed_launch_reaches_the_stream_that_waits_for_it(device):
    table = torch.ones(4, 8, device=D)
    bad = torch.tensor([1, 99], device=D)
    side = torch.neuron.Stream()
    side.wait_stream(torch.neuron.current_stream())
    with side:
        rows = torch.nn.functional.embedding(bad, table)
    reader = torch.neuron.current_stream(torch.device(device).index)
    reader.wait_stream(side)
    with pytest.raises(IndexError, match="(?s)embedding.*outside"):
        if device == "neuron:0":
            rows.cpu()
        else:
            reader.synchronize()
    for index in range(2):
        try:
            torch.neuron.synchronize(index)
        except IndexError:
            pass
    assert (torch.ones(3, device=device) * 2).sum().item() == 6

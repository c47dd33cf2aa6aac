# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Corners where a device of its own goes wrong easily: shared memory that is written, negative views, cached dtypes."""

import subprocess
import sys

import pytest
import torch

from lanewise.profiling import NeuronConfig

D = "neuron"


@pytest.mark.parametrize("write", [lambda q: q.add_(1), lambda q: q.zero_(), lambda q: q.copy_(torch.zeros(4)),
                                   lambda q: q.copy_(torch.zeros(4, device=q.device)), lambda q: q.fill_(7)])
@pytest.mark.parametrize("device", ["neuron:0", "neuron:1"])
def test_a_lazy_clone_is_its_own_when_written(write, device):
    p = torch.ones(4, device=device)
    q = torch._lazy_clone(p)
    write(q)
    assert p.cpu().tolist() == [1, 1, 1, 1]
    assert q.cpu().tolist() != [1, 1, 1, 1]


def test_negative_views_copy_as_they_read():
    q = torch._neg_view(torch.arange(4.0, device=D))
    expected = [0, -1, -2, -3]
    assert q.cpu().tolist() == q.clone().cpu().tolist() == expected
    assert q[::2].cpu().tolist() == [0, -2]
    assert q.to(torch.bfloat16).float().cpu().tolist() == expected
    q.copy_(torch.tensor([1.0, 2, 3, 4]))
    assert q.cpu().tolist() == [1, 2, 3, 4]


def test_the_default_dtype_is_part_of_a_program():
    x = torch.arange(4, device=D)
    assert torch.sigmoid(x).dtype == torch.float32
    torch.set_default_dtype(torch.float16)
    try:
        assert torch.sigmoid(x).dtype == (x * 2.5).dtype == (x / 2).dtype == torch.float16
    finally:
        torch.set_default_dtype(torch.float32)
    assert (x / 2).dtype == torch.float32


def test_a_compiled_factory_stays_on_its_device():
    torch.neuron.set_device(0)
    made = torch.compile(lambda: torch.arange(8, device="neuron:1") * 2, backend="neuron")()
    assert made.device == torch.device("neuron:1") and made.cpu().tolist() == list(range(0, 16, 2))


def test_streams_of_devices_that_are_not_there():
    with pytest.raises((ValueError, RuntimeError), match="100"):
        torch.accelerator.current_stream(100)
    stray = torch.Stream(stream_id=3, device_index=100, device_type=torch.Stream(device=D).device_type)
    with pytest.raises((ValueError, RuntimeError), match="100"):
        torch.accelerator.set_stream(stray)


def test_settings_that_cannot_work_are_said():
    with pytest.raises(ValueError, match="5000"):
        NeuronConfig(capture_enabled_for_nc="5000")
    with pytest.warns(UserWarning, match="no operator gets device time"):
        NeuronConfig(disable_external_correlation=True)


SCRIPT = """
import torch
x = torch.ones(4, device="neuron")
print(torch.compile(lambda t: t * 2, backend="neuron")(x).cpu().tolist())
"""


def test_a_compiled_script_ends_silently():
    result = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300)
    assert result.stdout.strip() == "[2.0, 2.0, 2.0, 2.0]" and "nanobind" not in result.stderr


def test_a_bad_cache_size_is_said():
    script = "import os; os.environ['LANEWISE_PROGRAM_CACHE'] = '64k'; import torch; print(torch.ones(2, device='neuron') + 1)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert result.returncode != 0 and "LANEWISE_PROGRAM_CACHE is '64k'" in result.stderr

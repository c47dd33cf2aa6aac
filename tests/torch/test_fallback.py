# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The host fallback: right values, every call counted, an error when it is forbidden."""

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

D = torch.device("neuron")


@pytest.fixture(autouse=True)
def cleared(monkeypatch):
    monkeypatch.delenv("LANEWISE_FALLBACK", raising=False)
    torch.neuron.clear_op_tracking()


def test_one_entry_per_call_with_the_overload():
    x = torch.randn(5)
    there = x.to(D)
    for _ in range(2):
        values, order = there.sort()
    assert values.device.type == order.device.type == "neuron"
    torch.testing.assert_close(values.cpu(), x.sort().values)
    names = torch.neuron.get_fallback_ops()
    assert len(names) == 2 and len(set(names)) == 1 and names[0].startswith("aten::sort"), names
    torch.neuron.clear_op_tracking()
    assert torch.neuron.get_fallback_ops() == []


def test_it_writes_back_in_place():
    x = torch.zeros(4, device=D)
    torch.neuron.manual_seed(0)
    x.uniform_(1, 2)
    assert (x.cpu() >= 1).all() and torch.neuron.get_fallback_ops() == ["aten::uniform_"]


def test_native_ops_are_listed_apart():
    x = torch.ones(3, device=D)
    torch.neuron.clear_op_tracking()
    x + x, x + x, x * x
    assert sorted(torch.neuron.get_executed_ops()) == ["aten::add.Tensor", "aten::add.Tensor", "aten::mul.Tensor"]
    assert torch.neuron.get_fallback_ops() == []


@pytest.mark.parametrize("variable, value", [("LANEWISE_FALLBACK", "error"), ("TORCH_NEURONX_DISABLE_FALLBACK_EXECUTION", "1")])
def test_forbidden(monkeypatch, variable, value):
    x = torch.randn(5, device=D)
    torch.neuron.clear_op_tracking()
    monkeypatch.setenv(variable, value)
    with pytest.raises(NotImplementedError, match="aten::sort"):
        x.sort()
    assert torch.neuron.get_fallback_ops() == []


def test_the_reason_of_a_refused_op_is_told(monkeypatch):
    i = torch.ones(2, 2, dtype=torch.int64, device=D)
    monkeypatch.setenv("LANEWISE_FALLBACK", "error")
    with pytest.raises(NotImplementedError, match="aten::mm"):
        i @ i


def test_warned_once(monkeypatch):
    monkeypatch.setenv("LANEWISE_FALLBACK", "warn")
    x = torch.randn(4, device=D)
    with pytest.warns(UserWarning, match="aten::kthvalue.* runs on the host"):
        x.kthvalue(2)


def test_an_unknown_setting_is_an_error(monkeypatch):
    monkeypatch.setenv("LANEWISE_FALLBACK", "perhaps")
    with pytest.raises(ValueError, match="perhaps"):
        torch.randn(4).to(D).sort()


def test_a_view_is_never_faked(monkeypatch):
    with pytest.raises((NotImplementedError, RuntimeError)):
        torch.view_as_complex(torch.ones(3, 2, device=D))


def test_it_shows_its_copies_in_a_profile():
    x = torch.randn(5, device=D)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]) as prof:
        x.sort()
    rows = {row.key: row for row in prof.key_averages()}
    assert rows["aten::sort"].self_device_time_total == 0 and rows["aten::_to_cpu"].count >= 1


def test_a_refused_composite_runs_by_its_parts():
    x, w = torch.randn(4, 8), torch.randn(8)
    got = torch.rms_norm(x.to(D).bfloat16(), [8], w.to(D), 1e-6)
    torch.testing.assert_close(got.cpu(), torch.rms_norm(x.bfloat16(), [8], w, 1e-6), rtol=2e-2, atol=2e-2)


def test_convolution_and_its_gradient_run_on_the_host():
    torch.manual_seed(0)
    host = torch.nn.Conv2d(3, 4, 3, padding=1)
    device = torch.nn.Conv2d(3, 4, 3, padding=1).to(D)
    device.load_state_dict(host.state_dict())
    x = torch.randn(2, 3, 6, 6)
    torch.neuron.clear_op_tracking()
    host(x).square().sum().backward()
    out = device(x.to(D))
    out.square().sum().backward()
    torch.testing.assert_close(out.cpu(), host(x), rtol=1e-4, atol=1e-4)
    for a, b in zip(host.parameters(), device.parameters(), strict=True):
        torch.testing.assert_close(b.grad.cpu(), a.grad, rtol=1e-4, atol=1e-3)
    assert {"aten::convolution", "aten::convolution_backward"} <= set(torch.neuron.get_fallback_ops())

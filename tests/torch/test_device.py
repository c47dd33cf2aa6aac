# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Device neuron as PyTorch sees it: moving things there and back, saving, copying, random numbers, torch.accelerator."""

import copy
import io

import pytest
import torch

D = torch.device("neuron")


def agree(got, wanted):
    assert got.device.type == "neuron"
    torch.testing.assert_close(got.cpu(), wanted)


def test_import_torch_alone_finds_the_device():
    assert torch.neuron.is_available() and torch.neuron.device_count() >= 2
    assert torch.empty(1, device="neuron").device == torch.device("neuron:0")


def test_methods_that_pytorch_makes_for_a_device():
    x = torch.ones(3)
    moved = x.neuron()
    assert moved.is_neuron and not x.is_neuron and x.to(D).is_neuron
    layer = torch.nn.Linear(3, 2)
    assert layer.to("neuron").weight.is_neuron and layer.neuron(1).weight.device.index == 1
    assert moved.untyped_storage().is_neuron and x.untyped_storage().neuron().device.type == "neuron"


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2, torch.int64, torch.int32,
                                   torch.int16, torch.int8, torch.uint8, torch.bool])
def test_every_dtype_survives_the_round_trip(dtype):
    x = (torch.randn(5, 7) * 10).to(dtype)
    assert torch.equal(x.to(D).cpu().view(torch.uint8), x.view(torch.uint8))


def test_int64_is_exact():
    big = torch.tensor([2**62 + 1, -(2**53) - 1, 2**31, 7])
    agree(big.to(D) + 1, big + 1)
    agree(big.to(D) * 3, big * 3)


SHAPES = {
    "transposed": lambda t: t.t(),
    "every second column": lambda t: t[:, ::2],
    "one row": lambda t: t[2],
    "expanded": lambda t: t[:1].expand(4, 6),
    "block": lambda t: t[1:3, 2:5],
    "empty": lambda t: t[:0],
}


@pytest.mark.parametrize("view", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32])
def test_views_copy_in_all_directions(view, dtype):
    x = torch.randn(4, 6) * 8
    there = x.to(D)
    agree(view(there), view(x))
    agree(view(there).to(dtype), view(x).to(dtype))
    torch.testing.assert_close(view(there).to("cpu", dtype), view(x).to(dtype))
    agree(view(x).to(D), view(x))
    if view(x).is_contiguous() or 0 not in view(x).stride():
        source = torch.full_like(view(x), 3).to(dtype)
        for target in (there.clone(), there.clone()):
            expected = x.clone()
            view(expected).copy_(source)
            view(target).copy_(source if target is there else source.to(D))
            agree(target, expected)


def test_metadata_only_ops_make_no_launch():
    x = torch.randn(4, 6, device=D)
    torch.neuron.clear_op_tracking()
    views = [x.t(), x.view(24), x[1:], x.unsqueeze(0), x.expand(2, 4, 6), x.unfold(1, 2, 2), x.detach(), x.view(torch.int32), x.flatten(), x.chunk(2, 1)[1]]
    assert all(v.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() for v in views)
    assert torch.neuron.get_executed_ops() == [] and torch.neuron.get_fallback_ops() == []


def test_two_devices():
    x = torch.randn(3, 4)
    first, second = x.to("neuron:0"), x.to("neuron:1")
    agree(second * 2, x * 2)
    agree(second.to("neuron:0") + first, x + x)
    assert (first.to("neuron:1") + second).device.index == 1
    with torch.neuron.device(1):
        assert torch.neuron.current_device() == 1 and torch.ones(1, device="neuron").device.index == 1
    assert torch.neuron.current_device() == 0
    with torch.neuron.device_of(second):
        assert torch.neuron.current_device() == 1


def test_accelerator():
    assert torch.accelerator.is_available() and torch.accelerator.current_accelerator() == torch.device("neuron")
    assert torch.accelerator.device_count() == torch.neuron.device_count()
    torch.accelerator.set_device_index(1)
    try:
        assert torch.accelerator.current_device_index() == 1
    finally:
        torch.accelerator.set_device_index(0)
    torch.accelerator.synchronize()


def test_save_and_load():
    x = torch.randn(3, 4)
    model = torch.nn.Linear(4, 2).to(D)
    file = io.BytesIO()
    torch.save({"x": x.to("neuron:1"), "model": model.state_dict()}, file)
    for location, device in ((None, "neuron:1"), ("cpu", "cpu"), ("neuron:0", "neuron:0")):
        file.seek(0)
        loaded = torch.load(file, map_location=location)
        assert loaded["x"].device == torch.device(device)
        assert torch.equal(loaded["x"].cpu(), x) and torch.equal(loaded["model"]["weight"].cpu(), model.weight.detach().cpu())


def test_deepcopy_of_a_model_and_data_of_another_dtype():
    model = torch.nn.Linear(4, 2).to(D)
    twin = copy.deepcopy(model)
    assert twin.weight.data_ptr() != model.weight.data_ptr() and torch.equal(twin.weight.detach().cpu(), model.weight.detach().cpu())
    twin.weight.data = twin.weight.data.bfloat16()
    assert twin.weight.dtype == torch.bfloat16


def test_storages_grow_and_tensors_take_them():
    x = torch.arange(6.0, device=D)
    x.resize_(2, 6)
    agree(x[0], torch.arange(6.0))
    x.untyped_storage().resize_(200)
    agree(x[0], torch.arange(6.0))
    agree(torch.empty(0, device=D).set_(x.untyped_storage(), 1, (3,), (2,)), torch.tensor([1.0, 3.0, 5.0]))
    agree(torch.empty(0, device=D).set_(x[0]), torch.arange(6.0))


def test_seeds_rule_the_device():
    torch.neuron.manual_seed(3)
    first = torch.randn(5, device=D).cpu()
    cpu_state = torch.get_rng_state()
    torch.neuron.manual_seed(3)
    assert torch.equal(torch.randn(5, device=D).cpu(), first) and torch.equal(torch.get_rng_state(), cpu_state)
    torch.manual_seed(3)
    assert torch.equal(torch.randn(5, device=D).cpu(), first)
    state = torch.neuron.get_rng_state()
    then = torch.rand(4, device=D).cpu()
    torch.neuron.set_rng_state(state)
    assert torch.equal(torch.rand(4, device=D).cpu(), then)
    own = [torch.rand(4, device=D, generator=torch.Generator(device=D).manual_seed(9)).cpu() for _ in range(2)]
    assert torch.equal(*own) and torch.neuron.initial_seed() == 3
    assert len(torch.neuron.default_generators) == torch.neuron.device_count()
    states = torch.neuron.get_rng_state_all()
    torch.neuron.set_rng_state_all(states)
    torch.neuron.seed_all()


def test_properties_name_the_simulated_machine():
    properties = torch.neuron.get_device_properties(1)
    assert properties.name == torch.neuron.get_device_name(1) == "neuron:1"
    assert properties.total_memory == torch.neuron.mem_get_info(1)[1] > 0
    assert properties.machine == torch.neuron.machine_info()["preset"]
    assert torch.neuron.is_bf16_supported() and torch.bfloat16 in torch.neuron.get_amp_supported_dtype()


def test_autocast_lowers_matmuls_and_keeps_sums():
    model, x = torch.nn.Linear(8, 8).to(D), torch.randn(4, 8, device=D)
    with torch.autocast("neuron", dtype=torch.bfloat16):
        y = model(x)
        assert y.dtype == torch.bfloat16 and y.exp().dtype == torch.float32 and (x + x).dtype == torch.float32
    assert model(x).dtype == torch.float32
    with torch.amp.autocast(device_type="neuron"):
        assert model(x).dtype in (torch.bfloat16, torch.float16)


def test_printing_makes_no_launch():
    x, i = torch.randn(40, 50, device=D).bfloat16(), torch.arange(4, device=D)
    torch.neuron.clear_op_tracking()
    text = repr(x) + repr(i)
    assert "device='neuron:0'" in text and "tensor([0, 1, 2, 3], device='neuron:0')" in text
    assert torch.neuron.get_executed_ops() == [] and torch.neuron.get_fallback_ops() == []

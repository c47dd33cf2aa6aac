# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Bad input: each is one clear Python exception, and the device works afterwards."""

import os
import subprocess
import sys
import textwrap

import numpy
import pytest
import torch

D = torch.device("neuron")


@pytest.fixture(autouse=True)
def still_works():
    yield
    assert (torch.ones(3, device=D) * 2).sum().item() == 6


def refused(exception, *words):
    return pytest.raises(exception, match="(?s)" + ".*".join(words))


def test_dtypes_that_the_chip_lacks():
    with refused(TypeError, "no float64", "float32"):
        torch.ones(2, dtype=torch.float64, device=D)
    with refused(TypeError, "no float64"):
        torch.ones(2, dtype=torch.float64).to(D)
    with refused(TypeError, "no complex"):
        torch.ones(2, dtype=torch.complex64, device=D)
    with refused(TypeError, "no UInt16"):
        torch.ones(2, dtype=torch.uint16).to(D)
    x = torch.ones(2, device=D)
    with refused(RuntimeError, "no float64"):
        x + torch.tensor(1.0, dtype=torch.float64)
    with refused(RuntimeError, "no complex"):
        x * 2j
    with refused(TypeError, "no float64"):
        x.double()
    assert (x * 1e-300 + 2.5).tolist() == [2.5, 2.5]
    assert torch.ones(2, dtype=torch.float64).to(D, torch.float32).dtype == torch.float32
    assert x.to("cpu", torch.float64).dtype == torch.float64


def test_shapes_devices_and_indices():
    x = torch.ones(4, 6, device=D)
    with refused(RuntimeError, "broadcast", "5", "4, 6"):
        x + torch.ones(5, device=D)
    with refused(RuntimeError, "same device", "neuron:0", "cpu"):
        x + torch.ones(6)
    with refused(RuntimeError, "same device", "neuron:0", "neuron:1"):
        x + x.to("neuron:1")
    with refused(ValueError, "index 9 is out of range", "neuron:0 to neuron:"):
        torch.neuron.set_device(9)
    with refused((ValueError, RuntimeError), "out of range"):
        torch.ones(1, device="neuron:9")
    with refused(ValueError, "expected a neuron device"):
        torch.neuron.synchronize("cpu")
    with refused(RuntimeError, "(can't be cast|[Pp]romotion)"):
        torch.ones(2, dtype=torch.int64, device=D).add_(1.5)
    with refused(RuntimeError, "can't be cast"):
        torch.ones(2, dtype=torch.int64, device=D).mul_(1.5)
    with refused(RuntimeError, "4 ?x ?6|4, ?6|shape"):
        x @ x


def test_a_launch_that_fails_is_raised_where_its_result_is_looked_at():
    table = torch.randn(5, 4, device=D)
    for look in (lambda y: y.cpu(), lambda y: torch.neuron.synchronize(), lambda y: y.sum().item(), lambda y: torch.neuron.current_stream().synchronize()):
        y = torch.nn.functional.embedding(torch.tensor([1, 100]).to(D), table)
        with refused(IndexError, "aten::embedding", "program", "neuron:0", "100"):
            look(y)
        assert (table + 1).shape == (5, 4) and torch.equal((table * 0).cpu(), torch.zeros(5, 4))


def test_overlapping_memory_as_on_the_cpu():
    x = torch.arange(12.0, device=D).view(4, 3)
    for write in (lambda: x[1:].add_(x[:-1]), lambda: x[0].expand(4, 3).add_(1), lambda: x[1:].copy_(x[:-1]), lambda: torch.mul(x[:-1], 2, out=x[1:])):
        with refused(RuntimeError, "unsupported operation"):
            write()
    assert torch.equal(x.cpu(), torch.arange(12.0).view(4, 3))


def test_host_code_gets_no_device_memory():
    x = torch.ones(3, device=D)
    with refused(TypeError, "numpy"):
        x.numpy()
    with refused(TypeError, "numpy"):
        numpy.asarray(x)
    for share in (torch.utils.dlpack.to_dlpack, torch.from_dlpack, numpy.from_dlpack, lambda t: t.__dlpack__()):
        with pytest.raises((BufferError, ValueError)):
            share(x)
    assert numpy.asarray(x.cpu()).sum() == 3 and x.tolist() == [1, 1, 1]


def python(code, **environment):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env={**os.environ, **environment}, capture_output=True, text=True, timeout=300)


def test_a_raw_dereference_ends_the_process_with_one_line():
    done = python("""
        import ctypes, torch
        x = torch.ones(3, device="neuron")
        print("before", flush=True)
        ctypes.c_float.from_address(x.data_ptr()).value
        print("after")
    """)
    assert done.returncode in (139, -11) and done.stdout.strip() == "before"
    assert "neuron:0" in done.stderr and "Traceback" not in done.stderr


def test_use_after_fork():
    done = python("""
        import os, torch
        def in_child(work):
            pid = os.fork()
            if pid == 0:
                try:
                    work()
                    os._exit(0)
                except RuntimeError as error:
                    print(error, flush=True)
                    os._exit(3)
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        # The parent has not used the device: the child may.
        assert in_child(lambda: torch.ones(2, device="neuron").sum().item()) == 0
        x = torch.ones(2, device="neuron")
        assert in_child(lambda: x + 1) == 3
        assert in_child(lambda: torch.ones(2) + 1) == 0
        def drop():
            global x
            del x
        assert in_child(drop) == 0
        # Workers that stay on the CPU are fine.
        data = torch.utils.data.TensorDataset(torch.arange(8.0))
        batches = [b.to("neuron").sum().item() for b, in torch.utils.data.DataLoader(data, batch_size=4, num_workers=2, pin_memory=True)]
        assert batches == [6.0, 22.0], batches
        assert torch.neuron._is_in_bad_fork() is False
        print("parent fine", (x + 1).tolist())
    """)
    assert done.returncode == 0, done.stderr
    assert "forked child" in done.stdout and "parent fine [2.0, 2.0]" in done.stdout


def test_another_torch_is_refused_with_both_versions():
    done = python("""
        import sys, types
        build = types.ModuleType("lanewise._build"); build.TORCH_VERSION = "9.8.7"
        sys.modules["lanewise._build"] = build
        import torch
        try:
            import lanewise
        except ImportError as error:
            print(error)
        print(torch._C._get_privateuse1_backend_name(), torch.ones(2).sum().item())
    """, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert "9.8.7" in done.stdout and torch.__version__.split("+")[0] in done.stdout, done.stderr
    assert "privateuseone 2.0" in done.stdout


def test_with_autoload_a_refusal_is_a_warning():
    done = python("""
        import sys, types
        build = types.ModuleType("lanewise._build"); build.TORCH_VERSION = "9.8.7"
        sys.modules["lanewise._build"] = build
        import torch
        print(torch._C._get_privateuse1_backend_name())
    """)
    assert done.returncode == 0 and done.stdout.strip() == "privateuseone" and "9.8.7" in done.stderr


def test_a_taken_device_slot_is_one_sentence_and_changes_nothing():
    done = python("""
        import torch
        torch.utils.rename_privateuse1_backend("other")
        try:
            import lanewise
        except ImportError as error:
            print(error)
        print(hasattr(torch, "neuron"), torch._C._get_privateuse1_backend_name())
    """, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert "'other' has it already" in done.stdout and "False other" in done.stdout, done.stderr


def test_the_environment_is_read_at_the_first_use():
    done = python("""
        import os, torch
        os.environ["LANEWISE_DEVICES"] = "3"
        os.environ["LANEWISE_MACHINE"] = "trn3"
        print(torch.neuron.device_count(), torch.neuron.get_device_properties(2).machine)
    """)
    assert done.stdout.split() == ["3", "trn3"], done.stderr


def test_a_bad_environment_is_told_at_the_first_use():
    done = python("""
        import torch
        try:
            torch.ones(1, device="neuron")
        except (ValueError, RuntimeError) as error:
            print(error)
    """, LANEWISE_MACHINE="trn2,no_such_key=1")
    assert "no_such_key" in done.stdout, done.stderr


def test_a_failure_that_nobody_looked_at_is_told_at_the_end():
    done = python("""
        import torch
        torch.nn.functional.embedding(torch.tensor([9]).to("neuron"), torch.ones(2, 2, device="neuron"))
    """)
    assert "aten::embedding" in done.stderr and "Traceback" not in done.stderr


def test_lanewise_alone_makes_the_device():
    done = python('import lanewise, torch; print(torch.ones(2, device="neuron").sum().item())')
    assert done.stdout.strip() == "2.0", done.stderr
    done = python('import lanewise, torch; print(torch.ones(2, device="neuron").sum().item())', TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.stdout.strip() == "2.0", done.stderr

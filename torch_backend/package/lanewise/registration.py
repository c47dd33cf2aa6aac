# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Makes PyTorch's spare device PrivateUse1 the device ``neuron``. Once per process; refuses without having changed anything."""

from __future__ import annotations

import atexit
import sys

import torch

_registered = False


def register() -> None:
    """Registers device, module and methods. ImportError: another torch than built for, or the device slot is taken."""
    global _registered
    if _registered:
        return
    _refuse_other_torch()
    _refuse_taken_slot()
    from lanewise import _C  # noqa: F401  registers the kernels

    torch.utils.rename_privateuse1_backend("neuron")
    from lanewise import neuron

    torch._register_device_module("neuron", neuron)
    for name in ("amp", "memory", "random", "streams"):
        sys.modules[f"torch.neuron.{name}"] = getattr(neuron, name)
    torch.utils.generate_methods_for_privateuse1_backend(for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True)
    _refuse_dlpack()
    _print_on_host()
    from lanewise import compile_default

    compile_default.install()
    atexit.register(_report_unseen_failure)
    _registered = True


def _refuse_other_torch() -> None:
    from lanewise import _build

    running = torch.__version__.split("+")[0]
    if running.split(".")[:2] != _build.TORCH_VERSION.split(".")[:2]:
        raise ImportError(
            f"lanewise was built for PyTorch {_build.TORCH_VERSION} and cannot be loaded into PyTorch {running}: build it again "
            f"(./run --no-open), or install torch {_build.TORCH_VERSION}"
        )


def _refuse_taken_slot() -> None:
    taken_by = torch._C._get_privateuse1_backend_name()
    if taken_by != "privateuseone":
        raise ImportError(
            f"device neuron is not available: PyTorch has one slot for an outside device and {taken_by!r} has it already; "
            "uninstall that backend, or start Python with TORCH_DEVICE_BACKEND_AUTOLOAD=0 and import lanewise first"
        )


_DLPACK = "device neuron cannot share its memory by DLPack: no host code may touch it. Copy it first with tensor.cpu()."


def _refuse_dlpack() -> None:
    """PyTorch would hand out the address of device memory as an extension device's."""
    from torch.utils import dlpack

    def of_tensor(self, **options):
        if self.device.type == "neuron":
            raise BufferError(_DLPACK)
        return share(self, **options)

    def to_dlpack(tensor, *args, **options):
        if tensor.device.type == "neuron":
            raise BufferError(_DLPACK)
        return convert(tensor, *args, **options)

    share, convert = torch.Tensor.__dlpack__, dlpack.to_dlpack
    torch.Tensor.__dlpack__ = of_tensor
    dlpack.to_dlpack = to_dlpack


def _print_on_host() -> None:
    """Printing slices, compares and converts to float64: one copy to the host instead, as PyTorch does for XLA."""
    from torch import _tensor_str

    def tensor_str(self, indent):
        return write(self.to("cpu") if self.device.type == "neuron" else self, indent)

    write = _tensor_str._tensor_str
    _tensor_str._tensor_str = tensor_str


def _report_unseen_failure() -> None:
    """A launch that failed after the script's last look at the device would otherwise end without a word."""
    from lanewise import _C

    if _C.is_in_bad_fork():
        return
    try:
        _C.synchronize_all()
    except Exception as failure:
        print(f"lanewise: a launch failed and the script ended before it looked at the result: {failure}", file=sys.stderr)

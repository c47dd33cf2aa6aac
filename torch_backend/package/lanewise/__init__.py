# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""An open PyTorch accelerator stack over a simulated NeuronCore, and a trace engine that needs no PyTorch.

``import torch`` alone finds the device: PyTorch calls ``_autoload`` at the end of its own import, and device ``neuron`` is there.
``import lanewise`` does the same where autoloading is switched off, or where torch was imported before. It imports torch only in the
first case; ``lanewise.open`` never does.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lanewise.trace import Trace

__version__ = "0.1.0"


def open(path, *, producers=None, progress=None, threads: int = 0) -> Trace:
    """Opens a trace file, a capture folder, a folder of ranks, or a list of them; see ``lanewise.trace.open``."""
    from lanewise import trace

    return trace.open(path, producers=producers, progress=progress, threads=threads)


def _autoload() -> None:
    """Entry point of PyTorch's backend autoload: a refusal here is one warning, never a failed ``import torch``."""
    import warnings

    from lanewise import registration

    try:
        registration.register()
    except ImportError as refusal:
        warnings.warn(str(refusal), RuntimeWarning, stacklevel=2)


def _register_if_wanted() -> None:
    torch = sys.modules.get("torch")
    if torch is None:
        # With autoloading on, PyTorch's own import will call _autoload; the test is the one that PyTorch makes.
        if os.getenv("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") == "1":
            return
        from importlib.util import find_spec

        if find_spec("torch") is None:  # a place for traces only
            return
        import torch
    if not getattr(torch.__spec__, "_initializing", False):
        from lanewise import registration

        registration.register()


# At the end, since importing torch may call _autoload while this module is still being made.
_register_if_wanted()

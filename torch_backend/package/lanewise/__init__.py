# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""An open PyTorch accelerator stack over a simulated NeuronCore.

``import torch`` alone finds it: PyTorch calls ``_autoload`` at the end of its own import, and device ``neuron`` is there.
``import lanewise`` does the same where autoloading is switched off.
"""

__version__ = "0.1.0"


def _autoload() -> None:
    """Entry point of PyTorch's backend autoload: a refusal here is one warning, never a failed ``import torch``."""
    import warnings

    from lanewise import registration

    try:
        registration.register()
    except ImportError as refusal:
        warnings.warn(str(refusal), RuntimeWarning, stacklevel=2)


# Defined above, since importing torch may call it while this module is still being made.
import torch  # noqa: E402

if not getattr(torch.__spec__, "_initializing", False):
    from lanewise import registration

    registration.register()

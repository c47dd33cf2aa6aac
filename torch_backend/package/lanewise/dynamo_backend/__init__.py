# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The torch.compile backend ``neuron``: Dynamo's graphs become programs of the device.

Loaded by PyTorch through its entry point at the first ``torch.compile(..., backend="neuron")``; it imports
``torch._dynamo`` and so nothing that runs at ``import torch`` may import it.
"""

from lanewise.dynamo_backend.backend import neuron
from lanewise.dynamo_backend.default import neuron_or_inductor

__all__ = ["neuron", "neuron_or_inductor"]

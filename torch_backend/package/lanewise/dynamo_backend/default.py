# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""What a bare ``torch.compile(f)`` means: ``neuron`` for graphs on our device, Inductor for every other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from lanewise.dynamo_backend.backend import neuron


def neuron_or_inductor(gm: torch.fx.GraphModule, example_inputs: Sequence, *, mode=None, options=None, name=None) -> Callable:
    if _uses_neuron(gm, example_inputs):
        return neuron(gm, example_inputs, mode=mode, options=options, name=name)
    return torch._TorchCompileInductorWrapper(mode, options, None, name)(gm, example_inputs)


def _uses_neuron(gm: torch.fx.GraphModule, example_inputs: Sequence) -> bool:
    values = list(example_inputs)
    values += [n.meta.get("example_value") for n in gm.graph.nodes]  # a graph may make its tensors itself
    return any(isinstance(v, torch.Tensor) and v.device.type == "neuron" for v in values)

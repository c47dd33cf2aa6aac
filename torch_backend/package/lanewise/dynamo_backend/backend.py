# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""AOTAutograd around :class:`CompiledGraph`: forward, backward and inference graphs are compiled the same way."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence

import torch
from torch._dynamo.backends.common import aot_autograd

from lanewise import _C, compile_metrics
from lanewise.dynamo_backend.compiled_graph import CompiledGraph
from lanewise.dynamo_backend.sources import compiled_module

_OPTIONS = ("model_name",)


def neuron(gm: torch.fx.GraphModule, example_inputs: Sequence, *, mode=None, options=None, name=None) -> Callable:
    """Compiles ``gm``; what ``torch.compile`` calls.

    ``options={"model_name": text}`` labels the programs, as does ``torch.compile(..., name=text)``. There are no modes.
    """
    if mode not in (None, "default"):
        raise ValueError(f"torch.compile(backend='neuron') has only the mode 'default', not {mode!r}")
    model_name = name or compile_metrics.model_name()
    for key, value in (options or {}).items():
        if key not in _OPTIONS:
            raise ValueError(f"torch.compile(backend='neuron') has no option {key!r}; it has {', '.join(_OPTIONS)}")
        if not isinstance(value, str):
            raise TypeError(f"option {key!r} must be a str, not {type(value).__name__}")
        model_name = value
    graph_id = compile_metrics.new_graph_id()
    root = compiled_module()

    def compiler(kind: str) -> Callable:
        return functools.partial(_compile, graph_id=graph_id, kind=kind, model_name=model_name, root=root)

    backend = aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        decompositions=_decompositions(),
        keep_inference_input_mutations=True,
    )
    return backend(gm, example_inputs)


def _compile(gm: torch.fx.GraphModule, example_inputs: Sequence, *, graph_id: int, kind: str, model_name: str, root: tuple[str, str] | None) -> Callable:
    label = re.sub(r"[^ -~]", "_", model_name) or "graph"  # names of programs are printable ASCII
    graph = CompiledGraph(gm, name=f"{label}{graph_id}_{kind}", graph_id=graph_id, model_name=model_name, root=root)
    graph._boxed_call = True  # AOTAutograd then hands one list over, which we may empty
    return graph


@functools.cache
def _decompositions() -> dict:
    """PyTorch's decompositions of the ops that the lowering table does not have: the table decides."""
    supported = set(_C.supported_ops())
    aten = torch.ops.aten
    table = torch._decomp.core_aten_decompositions() | torch._decomp.get_decompositions(
        [
            aten._native_batch_norm_legit,
            aten._native_batch_norm_legit_functional,
            aten._native_batch_norm_legit_no_training,
            aten.native_batch_norm_backward,
        ]
    )
    return {op: how for op, how in table.items() if op.name() not in supported}

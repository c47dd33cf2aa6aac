# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""One graph of AOTAutograd as a callable: programs made once for each combination of sizes, launched directly.

Launches go through the binding and not through a dispatcher op, so that their device time lands on the profiler row
that is open: ``Torch-Compiled Region``, ``CompiledFunction`` or ``CompiledFunctionBackward``.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence

import torch
from torch import fx
from torch._dynamo.utils import counters

from lanewise import _C, compile_metrics
from lanewise.dynamo_backend.graph_text import graph_text
from lanewise.dynamo_backend.plan import HostView, Plan, Segment, is_cpu_number, is_tensor, number_source
from lanewise.dynamo_backend.sources import Sources
from lanewise.dynamo_backend.sizes import Bindings, Unbound, call_key, is_symbolic

_KEPT_SPECIALISATIONS = 128


class CompiledGraph:
    """Call it with one list of inputs, which it empties; it returns the list of results.

    Raises what the launch raises; an op, dtype or argument that no program serves runs through PyTorch instead.
    """

    def __init__(self, gm: fx.GraphModule, name: str, graph_id: int, model_name: str, root: tuple[str, str] | None = None):
        self._gm = gm
        self._sources = Sources(gm.graph, name, root)
        self._name = name
        self._graph_id = graph_id
        self._model_name = model_name
        self._placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
        for n in gm.graph.nodes:
            if n.op == "get_attr" and isinstance(constant := _attribute(gm, n.target), torch.Tensor):
                n.meta.setdefault("val", constant)
        metas = [n.meta.get("val") for n in self._placeholders]
        self._dynamic = [i for i, meta in enumerate(metas) if is_symbolic(meta)]
        self._made: OrderedDict[tuple, _Steps | None] = OrderedDict()
        counters["neuron"]["compiled_graphs"] += 1
        if not self._dynamic:
            self._made[()] = self._specialise(Bindings())

    def __call__(self, args: list) -> list:
        key = call_key(self._dynamic, args)
        if key not in self._made:
            bindings = Bindings([n.meta.get("val") for n in self._placeholders], args)
            self._made[key] = self._specialise(bindings)
            if len(self._made) > _KEPT_SPECIALISATIONS:
                self._made.popitem(last=False)
        steps = self._made[key]
        if steps is None:
            return list(self._gm(*args))
        values = dict(zip(self._placeholders, args, strict=True))
        args.clear()
        return steps.run(values)

    def _specialise(self, sizes: Bindings) -> _Steps | None:
        """None when only the data can tell the sizes: such a graph runs op by op."""
        started = time.perf_counter_ns()
        try:
            steps = _Steps(self._gm, sizes, f"{self._name}_{len(self._made)}" if self._dynamic else self._name, self._sources)
        except Unbound:
            steps = None
        spent = (time.perf_counter_ns() - started) // 1000
        lower_us, compile_us = (steps.lower_us, steps.compile_us) if steps else (0, 0)
        compile_metrics.record(
            {
                "graph_id": self._graph_id,
                "graph_name": self._name,
                "model_name": self._model_name,
                "has_collectives": False,
                "graph_node_count": sum(n.op == "call_function" for n in self._gm.graph.nodes),
                "timestamp": time.time(),
                "torch_neuronx_fx_passes_us": spent - lower_us - compile_us,
                "torch_neuronx_lower_us": lower_us,
                "torch_neuronx_compile_us": compile_us,
                "programs": steps.programs if steps else 0,
                "eager_nodes": steps.eager_nodes if steps else [str(n.target) for n in self._gm.graph.nodes if n.op == "call_function"],
            }
        )
        return steps


class _Steps:
    """A plan with its programs compiled."""

    def __init__(self, gm: fx.GraphModule, sizes: Bindings, name: str, sources: Sources):
        self.lower_us = self.compile_us = 0
        self._gm = gm
        self._sizes = sizes
        self._sources = sources
        supported = frozenset(_C.supported_ops())
        refused: frozenset[fx.Node] = frozenset()
        while True:
            self._plan = Plan(gm.graph, sizes, supported, refused)
            try:
                self._steps = [self._step(segment, f"{name}_{i}" if i else name) for i, segment in enumerate(self._plan.segments)]
                break
            except _Refused as refusal:
                refused |= refusal.nodes
        self.programs = sum(isinstance(step, _Launch) for step in self._steps)
        self.eager_nodes = self._plan.eager_nodes()
        self._constants = {n: _attribute(gm, n.target) for n in gm.graph.nodes if n.op == "get_attr"}
        self._results = [self._result(entry) for entry in self._plan.results]

    def run(self, values: dict) -> list:
        values = _Values(values, self._plan.views)
        values.update(self._constants)
        for step in self._steps:
            step.run(values)
        for into, value in self._plan.late_stores:
            values[into].copy_(values[value])
        return [values[r] if isinstance(r, fx.Node) else r for r in self._results]

    def _result(self, entry):
        """What is returned: a node, or a number known now."""
        if isinstance(entry, fx.Node) and not is_tensor(entry):
            return self._sizes.number(entry.meta.get("val"))
        return entry

    def _step(self, segment: Segment, name: str):
        if segment.device is None:
            return _Eager(segment, self._sizes)
        launch = _Launch(segment)
        started = time.perf_counter_ns()
        text = launch.text(self._sizes)
        lowered = time.perf_counter_ns()
        try:
            launch.program = _C.compile_graph(text, name, *self._sources.of(segment.nodes))
        except NotImplementedError:
            raise _Refused(_unserved_nodes(segment, self._sizes)) from None
        self.lower_us += (lowered - started) // 1000
        self.compile_us += (time.perf_counter_ns() - lowered) // 1000
        return launch


class _Values(dict):
    """Values of one call by node; views are made when they are asked for."""

    def __init__(self, inputs: dict, views: dict[fx.Node, HostView]):
        super().__init__(inputs)
        self._views = views

    def __missing__(self, node: fx.Node) -> torch.Tensor:
        view = self._views[node]
        base = self[view.base]
        made = torch.as_strided(base, view.size, view.stride, base.storage_offset() + view.offset)
        self[node] = made
        return made


class _Refused(Exception):
    def __init__(self, nodes: frozenset[fx.Node]):
        super().__init__()
        self.nodes = nodes


def _unserved_nodes(segment: Segment, sizes: Bindings) -> frozenset[fx.Node]:
    """Which nodes the compiler turns down when asked for one alone; all of them when that does not tell."""
    refused = set()
    for node in segment.nodes:
        alone = Segment(segment.device, [node], _items(node))
        try:
            _C.compile_graph(_Launch(alone).text(sizes), node.name)
        except NotImplementedError:
            refused.add(node)
    return frozenset(refused or segment.nodes)


def _items(node: fx.Node) -> list[fx.Node]:
    """The node, or the used items of its results when there are several."""
    return list(node.users) if isinstance(node.meta["val"], (tuple, list)) else [node]


class _Launch:
    """One program and what it is given."""

    def __init__(self, segment: Segment):
        self.program = None
        self._segment = segment
        inside = {item for node in segment.nodes for item in (node, *_items(node))}
        used = [n for node in segment.nodes for n in node.all_input_nodes] + [into for into, _ in segment.stores]
        used = list(dict.fromkeys(n for n in used if is_tensor(n) and n not in inside))
        parameters: dict[fx.Node, list[fx.Node]] = {}
        for n in used:
            source = number_source(n)
            if source is not None:
                parameters.setdefault(source, []).append(n)
        numbers = {n for stand_ins in parameters.values() for n in stand_ins}
        self._parameters = list(parameters.items())
        self._inputs = [n for n in used if n not in numbers]
        self._copied = {n for n in self._inputs if is_cpu_number(n.meta["val"])}
        self._outputs = segment.outputs

    def text(self, sizes: Bindings) -> str:
        inputs = [(n, _on_device(n.meta["val"]) if n in self._copied else n.meta["val"]) for n in self._inputs]
        stand_ins = [nodes for _, nodes in self._parameters]
        return graph_text(inputs, stand_ins, self._segment.nodes, self._outputs, self._segment.stores, sizes)

    def run(self, values: dict) -> None:
        tensors = [self._to_device(n, values) if n in self._copied else values[n] for n in self._inputs]
        parameters = [values[number].item() for number, _ in self._parameters]
        made = _C.run_program(self.program, tensors, parameters, self._segment.device)
        values.update(zip(self._outputs, made, strict=True))

    def _to_device(self, node: fx.Node, values: dict) -> torch.Tensor:
        value = values[node]
        dtype = torch.float32 if value.dtype == torch.float64 else value.dtype
        return value.to(device=f"neuron:{self._segment.device}", dtype=dtype)


def _on_device(meta: torch.Tensor) -> torch.Tensor:
    """The meta that a copied number has: the device has no float64."""
    return meta.to(torch.float32) if meta.dtype == torch.float64 else meta


class _Eager:
    """Ops that run one by one through PyTorch's dispatcher."""

    def __init__(self, segment: Segment, sizes: Bindings):
        self._calls = [(node, *self._bound(node, sizes)) for node in segment.nodes]

    @staticmethod
    def _bound(node: fx.Node, sizes: Bindings) -> tuple:
        def number(n: fx.Node):
            return n if is_tensor(n) else sizes.number(n.meta.get("val"))

        return fx.node.map_arg(node.args, number), fx.node.map_arg(node.kwargs, number)

    def run(self, values: dict) -> None:
        for node, args, kwargs in self._calls:
            look_up = values.__getitem__
            made = node.target(*fx.node.map_arg(args, look_up), **fx.node.map_arg(kwargs, look_up))
            values[node] = made
            if isinstance(made, (tuple, list)):
                for user in node.users:
                    values[user] = made[user.args[1]]


def _attribute(module: fx.GraphModule, path: str):
    for name in path.split("."):
        module = getattr(module, name)
    return module

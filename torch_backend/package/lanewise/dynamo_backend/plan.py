# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Cuts one graph into programs and the ops that run outside them.

A node goes into a program when the lowering table has its op, all its tensors live on one neuron device (CPU numbers
of no dimension may come along) and its arguments have a text form. The others run through PyTorch.

    level 0       level 1        level 2       level 3
    [eager op] -> [program A] -> [eager op] -> [program B]    one program and one launch when everything is served

Programs have odd levels and eager ops even ones, each the lowest that its inputs allow: segments never wait for each
other in a circle, neighbours of one kind share a launch, and arithmetic on CPU numbers splits nothing. Writes into
inputs (Dynamo's mutations) come last, after every reader.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import torch
from torch import fx

from lanewise.dynamo_backend.graph_text import NotServed, argument_text, call_of, dtype_text, results_of
from lanewise.dynamo_backend.sizes import Bindings, Symbolic

_COPY_INTO = torch.ops.aten.copy_.default


@dataclass(eq=False)
class Segment:
    """Nodes of one level; a program of ``device``, or ops run one by one when it is None."""

    device: int | None
    nodes: list[fx.Node] = field(default_factory=list)
    outputs: list[fx.Node] = field(default_factory=list)
    stores: list[tuple[fx.Node, fx.Node]] = field(default_factory=list)


@dataclass(frozen=True)
class HostView:
    """A value that is the memory of another one seen otherwise: no launch makes it."""

    base: fx.Node
    size: list[int]
    stride: list[int]
    offset: int  # elements, from the first of ``base``


class Plan:
    """``segments`` in order of execution, then ``late_stores``; ``results`` are what the graph returns."""

    def __init__(self, graph: fx.Graph, sizes: Bindings, supported: frozenset[str], refused: frozenset[fx.Node]):
        self._sizes = sizes
        self._supported = supported
        self._refused = refused
        self._store_nodes = _stores_at_the_end(graph)
        self.results = next(n for n in reversed(graph.nodes) if n.op == "output").args[0]
        self.late_stores: list[tuple[fx.Node, fx.Node]] = []
        self.views: dict[fx.Node, HostView] = {}
        self._kinds: dict[fx.Node, int | None] = {}
        # Bases that several results see: writing to one result must show in the others.
        results = {n for n in _nodes_in(self.results) if is_tensor(n)}
        seen = Counter(_base(n) for n in results)
        self._shared = {base for base, count in seen.items() if count > 1}
        live = self._live_nodes(graph)
        self.segments = self._levels(live)
        self._place_stores()
        self._find_outputs()

    def _live_nodes(self, graph: fx.Graph) -> list[fx.Node]:
        """Nodes that something outside needs, in graph order."""
        stored = {value for _, value in (store.args[:2] for store in self._store_nodes)}
        wanted = [self._made_for(n) for n in _nodes_in(self.results)]
        wanted += [n if self._kind(producer(n)) is not None else self._made_for(n) for n in stored]
        wanted += [n for n in graph.nodes if n.op == "call_function" and n.is_impure() and n not in self._store_nodes]
        live: set[fx.Node] = set()
        while wanted:
            node = wanted.pop()
            if node is None or producer(node) in live or producer(node).op in ("placeholder", "get_attr"):
                continue
            node = producer(node)
            live.add(node)
            in_program = self._kind(node) is not None
            for n in node.all_input_nodes:
                if in_program and is_tensor(n):
                    n = number_source(n) or n
                # A view inside a program is part of it; elsewhere it is the same memory seen otherwise.
                part = in_program and is_tensor(n) and self._kind(producer(n)) is not None
                wanted.append(n if part else self._made_for(n))
        return [n for n in graph.nodes if n in live]

    def _made_for(self, node: fx.Node) -> fx.Node | None:
        """The node that must run so that ``node`` can be had outside programs; None for inputs and numbers."""
        if not is_tensor(node):
            return None
        view = self.views.get(node) or self._host_view(node)
        if view is None:
            return node
        self.views[node] = view
        return view.base

    def _host_view(self, node: fx.Node) -> HostView | None:
        base = _base(node)
        value, of = node.meta.get("val"), base.meta.get("val")
        if base is node or not isinstance(of, torch.Tensor) or value.dtype != of.dtype:
            return None
        n = self._sizes.number
        # A small piece of a large intermediate value is cheaper to bring out than the whole.
        if base.op == "call_function" and base not in self._shared and n(value.numel()) < n(of.numel()):
            return None
        return HostView(
            base,
            self._sizes.numbers(value.shape),
            self._sizes.numbers(value.stride()),
            n(value.storage_offset()) - n(of.storage_offset()),
        )

    def _kind(self, node: fx.Node) -> int | None:
        """Index of the device whose program takes the node, or None."""
        if node not in self._kinds:
            self._kinds[node] = self._find_kind(node)
        return self._kinds[node]

    def _find_kind(self, node: fx.Node) -> int | None:
        target = node.target
        if node in self._refused or not isinstance(target, torch._ops.OpOverload) or target._schema.is_mutable:
            return None
        try:
            name, arguments = call_of(node)
            if name not in self._supported:
                return None
            tensors = {n: f"%{n.name}" for n in node.all_input_nodes if is_tensor(n)}
            for argument in arguments:
                argument_text(argument, tensors, self._sizes)
            devices = {self._device(r) for r in results_of(node) if r is not None}
            if not devices:
                return None
            for n in tensors:
                value = n.meta.get("val")
                if not is_cpu_number(value):
                    devices.add(self._device(value))
        except NotServed:
            return None
        return devices.pop() if len(devices) == 1 else None

    def _device(self, value) -> int:
        if not isinstance(value, torch.Tensor) or value.device.type != "neuron":
            raise NotServed("not a tensor of the device")
        dtype_text(value.dtype)
        return value.device.index or 0

    def _levels(self, live: list[fx.Node]) -> list[Segment]:
        level: dict[fx.Node, int] = {}
        segments: dict[tuple, Segment] = {}
        for node in live:
            kind = self._kind(node)
            before = [producer(n) for n in node.all_input_nodes]
            lowest = max((level[n] + (self._kind(n) != kind) for n in before if n in level), default=0)
            level[node] = lowest + (lowest % 2 != (kind is not None))
            key = (level[node], -1 if kind is None else kind)
            segments.setdefault(key, Segment(kind)).nodes.append(node)
        return [segments[key] for key in sorted(segments)]

    def _place_stores(self) -> None:
        """Into the last program when it makes the value and nothing runs after it; else copied at the very end."""
        last = self.segments[-1] if self.segments else None
        made_last = set(last.nodes) if last is not None and last.device is not None else set()
        for store in self._store_nodes:
            into, value = store.args[:2]
            fits = producer(value) in made_last and _same_shape(into, value, self._sizes)
            (last.stores if fits else self.late_stores).append((into, value))

    def _find_outputs(self) -> None:
        home = {node: segment for segment in self.segments for node in segment.nodes}
        needed: dict[Segment, dict[fx.Node, None]] = defaultdict(dict)
        outside = [n for n in _nodes_in(self.results) if is_tensor(n)]
        outside += [value for _, value in self.late_stores]
        for segment in self.segments:
            for node in segment.nodes:
                outside += [n for n in node.all_input_nodes if home.get(producer(n)) is not segment]
        for node in outside:
            made = self._made_for(node)
            segment = None if made is None else home.get(producer(made))
            if segment is not None:
                needed[segment][made] = None
        for segment, nodes in needed.items():
            segment.outputs = list(nodes)

    def eager_nodes(self) -> list[str]:
        return [str(n.target) for segment in self.segments if segment.device is None for n in segment.nodes]


def _base(node: fx.Node) -> fx.Node:
    """The value whose memory a view is; the node itself when it is none."""
    while node.op == "call_function" and getattr(producer(node).target, "is_view", False):
        node = producer(node).args[0]
    return node


def producer(node: fx.Node) -> fx.Node:
    """The op behind an item of its results."""
    while node.op == "call_function" and node.target is operator.getitem:
        node = node.args[0]
    return node


def is_tensor(node: fx.Node) -> bool:
    value = node.meta.get("val")
    if value is None and node.op == "get_attr":
        return True
    if isinstance(value, (tuple, list)):
        return any(isinstance(v, torch.Tensor) for v in value)
    return value is not None and not isinstance(value, (*Symbolic, int, float, bool))


def number_source(node: fx.Node) -> fx.Node | None:
    """The float64 CPU number that ``node`` is for arithmetic, if every user takes a Python number in its place.

    A Python float that changes from call to call reaches the graph in this form, behind conversions that lose nothing
    for arithmetic in float32. It becomes a run-time parameter: no copy, no new program.
    """
    root, chain = node, [node]
    while root.target is _CONVERT and root.args[1] in _WIDE and _is_wide_number(root.args[0]):
        root = root.args[0]
        chain.append(root)
    if not _is_wide_number(root) or root.meta["val"].dtype != torch.float64:
        return None
    return root if all(_takes_number(user, n) for n in chain for user in n.users) else None


_CONVERT = torch.ops.prims.convert_element_type.default
_WIDE = (torch.float64, torch.float32)


def _is_wide_number(node: fx.Node) -> bool:
    value = node.meta.get("val")
    return is_cpu_number(value) and value.dtype in _WIDE


def _takes_number(user: fx.Node, number: fx.Node) -> bool:
    """Whether ``user`` has it only where a Python number may stand too, or converts it to such a number."""
    if user.target is _CONVERT:
        return user.args[1] in _WIDE
    if not isinstance(user.target, torch._ops.OpOverload):
        return False
    schema = user.target._schema.arguments
    places = [schema[i].name for i, a in enumerate(user.args) if a is number]
    places += [name for name, a in user.kwargs.items() if a is number]
    return bool(places) and all(place == "other" for place in places)


def is_cpu_number(value) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type == "cpu" and value.dim() == 0


def _stores_at_the_end(graph: fx.Graph) -> list[fx.Node]:
    """``copy_`` into a graph input whose result nobody reads: how AOTAutograd keeps a mutation in the graph."""
    return [
        n
        for n in graph.nodes
        if n.target is _COPY_INTO and isinstance(n.args[0], fx.Node) and n.args[0].op == "placeholder" and not n.users
    ]


def _same_shape(into: fx.Node, value: fx.Node, sizes: Bindings) -> bool:
    a, b = into.meta["val"], value.meta["val"]
    return a.dtype == b.dtype and a.device == b.device and sizes.numbers(a.shape) == sizes.numbers(b.shape)


def _nodes_in(structure) -> list[fx.Node]:
    found: list[fx.Node] = []
    fx.node.map_arg(structure, lambda n: found.append(n))
    return found

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""FX nodes as the text form of ``compiler/aten/graph.h``. Serialisation only; what an op means is the compiler's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import fx

from lanewise.dynamo_backend.sizes import Bindings, Symbolic

_DTYPES = {
    torch.float32: "f32",
    torch.bfloat16: "bf16",
    torch.float16: "f16",
    torch.float8_e4m3fn: "f8e4m3",
    torch.float8_e5m2: "f8e5m2",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "bool",
}
# The device, not the program, decides these.
_UNNAMED = (torch.device, torch.layout, torch.memory_format, torch.Generator)


class NotServed(Exception):
    """This node has no text form; it runs through PyTorch instead."""


def dtype_text(dtype: torch.dtype) -> str:
    try:
        return _DTYPES[dtype]
    except KeyError:
        raise NotServed(f"dtype {dtype}") from None


def meta_text(meta: torch.Tensor, sizes: Bindings) -> str:
    shape = ",".join(map(str, sizes.numbers(meta.shape)))
    strides = ",".join(map(str, sizes.numbers(meta.stride())))
    return f"{dtype_text(meta.dtype)}[{shape}]{{{strides}}}"


def call_of(node: fx.Node) -> tuple[str, list]:
    """Op name and arguments in schema order, trailing defaults left out."""
    if node.target is torch.ops.prims.convert_element_type.default:
        x, dtype = node.args
        return "aten::_to_copy", [x, dtype]
    schema = node.target._schema.arguments
    values = [
        node.args[i] if i < len(node.args) else node.kwargs.get(argument.name, argument.default_value)
        for i, argument in enumerate(schema)
    ]
    arguments = [_as_declared(argument, value) for argument, value in zip(schema, values, strict=True)]
    while arguments and schema[len(arguments) - 1].has_default_value() and (
        _same(values[len(arguments) - 1], schema[len(arguments) - 1].default_value)
    ):
        arguments.pop()
    return node.target.name(), arguments


def _same(value, default) -> bool:
    return type(value) is type(default) and value == default


def _as_declared(argument, value):
    """An int given for a float parameter is a float; everything else is what it is."""
    if type(value) is int and str(argument.type) in ("float", "Optional[float]"):
        return float(value)
    return value


def argument_text(value, names: Mapping[fx.Node, str], sizes: Bindings) -> str:
    """``names``: the spelling of nodes whose value is a tensor or a run-time parameter."""
    if isinstance(value, fx.Node):
        if value in names:
            return names[value]
        return argument_text(value.meta["val"], names, sizes)  # a number that the sizes tell
    if value is None or isinstance(value, _UNNAMED):
        if isinstance(value, torch.layout) and value is not torch.strided:
            raise NotServed(f"layout {value}")
        return "none"
    if isinstance(value, Symbolic):
        value = sizes.number(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, torch.dtype):
        return dtype_text(value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(argument_text(item, names, sizes) for item in value) + "]"
    raise NotServed(f"argument of type {type(value).__name__}")


def results_of(node: fx.Node) -> list[torch.Tensor | None]:
    """What the node returns, one entry a tensor."""
    value = node.meta.get("val")
    return list(value) if isinstance(value, (tuple, list)) else [value]


def call_text(node: fx.Node, names: dict[fx.Node, str], sizes: Bindings) -> str:
    """One line; ``names`` gets the results: the node itself, or its getitem users when there are several."""
    op, arguments = call_of(node)
    spelled = ", ".join(argument_text(a, names, sizes) for a in arguments)
    results = results_of(node)
    metas = ", ".join("none" if r is None else meta_text(r, sizes) for r in results)
    if not isinstance(node.meta["val"], (tuple, list)):
        names[node] = f"%{node.name}"
        return f"%{node.name} = {op}({spelled}) -> {metas}"
    for user in node.users:
        names[user] = f"%{node.name}_r{user.args[1]}"
    left = ", ".join("_" if r is None else f"%{node.name}_r{k}" for k, r in enumerate(results))
    return f"({left}) = {op}({spelled}) -> {metas}"


def graph_text(
    inputs: Sequence[tuple[fx.Node, torch.Tensor]],
    parameters: Sequence[Sequence[fx.Node]],
    nodes: Sequence[fx.Node],
    outputs: Sequence[fx.Node],
    stores: Sequence[tuple[fx.Node, fx.Node]],
    sizes: Bindings,
) -> str:
    """A whole graph.

    ``inputs`` are nodes with the meta that they have at the launch; ``parameters`` lists, for each run-time number, the
    nodes that stand for it; ``stores`` are (input node, node whose value it receives).
    """
    names = {node: f"%{node.name}" for node, _ in inputs}
    for k, stand_ins in enumerate(parameters):
        names.update((node, f"${k}") for node in stand_ins)
    lines = [f"%{node.name} = input {meta_text(meta, sizes)}" for node, meta in inputs]
    lines += [call_text(node, names, sizes) for node in nodes]
    returned = [names[node] for node in outputs] + [f"{names[to]} := {names[value]}" for to, value in stores]
    lines.append("return " + ", ".join(returned))
    if parameters:
        lines.append("params " + ", ".join("f64" for _ in parameters))
    return "\n".join(lines) + "\n"

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""One ATen call on CPU tensors, as a graph text for the compiler with the bytes of its inputs."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch.utils._pytree import tree_leaves

DTYPES = {
    torch.float32: "f32",
    torch.bfloat16: "bf16",
    torch.float16: "f16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "bool",
}
# Numbers that the launcher always compiles in, because they choose structure.
LITERAL = {("aten::pow", "exponent"), ("aten::arange", "start"), ("aten::arange", "end"), ("aten::arange", "step"),
           ("aten::linalg_vector_norm", "ord"), ("aten::linspace", "start"), ("aten::linspace", "end"),
           ("aten::_foreach_norm", "ord")}


class NotServed(Exception):
    """The call has no text form."""


def meta_text(tensor: torch.Tensor) -> str:
    if tensor.dtype not in DTYPES or tensor.layout is not torch.strided:
        raise NotServed(str(tensor.dtype))
    sizes, strides = ",".join(map(str, tensor.shape)), ",".join(map(str, tensor.stride()))
    return f"{DTYPES[tensor.dtype]}[{sizes}]{{{strides}}}"


def span(tensor: torch.Tensor) -> torch.Tensor:
    """The memory from the first to the last element, as a tensor of one dimension."""
    last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride()))
    return tensor.as_strided((0 if tensor.numel() == 0 else last + 1,), (1,), tensor.storage_offset())


def hex_of(tensor: torch.Tensor) -> str:
    return bytes(span(tensor).clone().view(torch.uint8).tolist()).hex()


def snapshot(tensor: torch.Tensor) -> torch.Tensor:
    """A copy with the same strides, memory between the elements included."""
    copy = span(tensor.detach()).clone()
    return copy.as_strided(tensor.shape, tensor.stride(), 0)


def is_tensor_list(value) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(v, torch.Tensor) for v in value)


@dataclass
class GraphCase:
    name: str
    text: str
    inputs: list[str]
    parameters: list[tuple[float, int]]
    expected: list[torch.Tensor]  # inputs as they are afterwards when they are stored into, else new outputs
    stored: list[int] = field(default_factory=list)  # for an in-place op: input positions of `expected`
    key: tuple = ()

    def lines(self) -> list[str]:
        head = [f"case {self.name}"] + [f"input {h}" for h in self.inputs]
        head += [f"param {f!r} {i}" for f, i in self.parameters]
        return head + ["graph", self.text.rstrip("\n"), "end"]


class CaseBuilder:
    def __init__(self, func, numbers_as_parameters: bool):
        self.func = func
        self.schema = func._schema
        self.as_parameters = numbers_as_parameters
        self.lines: list[str] = []
        self.inputs: list[str] = []
        self.names: dict[int, str] = {}
        self.parameters: list[tuple[float, int]] = []
        self.kinds: list[str] = []

    def tensor(self, tensor: torch.Tensor) -> str:
        if id(tensor) not in self.names:
            if tensor.is_conj() or tensor.is_neg():
                raise NotServed("lazy conjugate")
            self.names[id(tensor)] = f"%i{len(self.inputs)}"
            self.lines.append(f"%i{len(self.inputs)} = input {meta_text(tensor)}")
            self.inputs.append(hex_of(tensor))
        return self.names[id(tensor)]

    def number(self, value, literal: bool) -> str:
        if isinstance(value, complex):
            raise NotServed("complex")
        if isinstance(value, bool) or literal or not self.as_parameters:
            return {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
        self.parameters.append((float(value), int(value) if isinstance(value, int) else 0))
        self.kinds.append("i64" if isinstance(value, int) else "f64")
        return f"${len(self.parameters) - 1}"

    def argument(self, declared, value) -> str:
        kind = str(declared.type)
        if value is None or isinstance(value, (torch.device, torch.layout, torch.memory_format, torch.Generator)):
            return "none"
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, torch.dtype):
            if value not in DTYPES:
                raise NotServed(str(value))
            return DTYPES[value]
        if isinstance(value, str):
            return f'"{value}"'
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(self.argument(declared, v) for v in value) + "]"
        if isinstance(value, (int, float, complex)):
            is_scalar = "number" in kind or "float" in kind or "Tensor" in kind
            literal = not is_scalar or (self.schema.name, declared.name) in LITERAL
            return self.number(float(value) if "float" in kind else value, literal)
        raise NotServed(type(value).__name__)

    def call(self, args, kwargs) -> str:
        values, spelled = [], []
        for i, declared in enumerate(self.schema.arguments):
            if i < len(args):
                values.append(args[i])
            elif declared.name in kwargs:
                values.append(kwargs[declared.name])
            else:
                values.append(declared.default_value)
        last = len(values)
        while last and self.schema.arguments[last - 1].has_default_value() and not isinstance(values[last - 1], torch.Tensor) and (
            values[last - 1] == self.schema.arguments[last - 1].default_value
        ):
            last -= 1
        for declared, value in zip(self.schema.arguments[:last], values[:last]):
            # A value at its default is compiled in, as the launcher does.
            at_default = declared.has_default_value() and not isinstance(value, torch.Tensor) and value == declared.default_value
            if at_default and isinstance(value, (int, float)) and not isinstance(value, bool):
                spelled.append(repr(float(value) if "float" in str(declared.type) else value))
            else:
                spelled.append(self.argument(declared, value))
        return ", ".join(spelled)


def make_case(name, func, args, kwargs, results, numbers_as_parameters=False) -> GraphCase:
    """A functional call: every result is a new output."""
    build = CaseBuilder(func, numbers_as_parameters)
    arguments = build.call(args, kwargs)
    flat = tree_leaves(results, is_leaf=lambda r: r is None)
    names = [f"%r{k}" if isinstance(r, torch.Tensor) else "_" for k, r in enumerate(flat)]
    metas = [meta_text(r) if isinstance(r, torch.Tensor) else "none" for r in flat]
    left = names[0] if len(flat) == 1 and not isinstance(results, (list, tuple)) and names[0] != "_" else "(" + ", ".join(names) + ")"
    build.lines.append(f"{left} = {func.name()}({arguments}) -> {', '.join(metas)}")
    build.lines.append("return " + ", ".join(n for n in names if n != "_"))
    if build.kinds:
        build.lines.append("params " + ", ".join(build.kinds))
    expected = [r for r in flat if isinstance(r, torch.Tensor)]
    return GraphCase(name, "\n".join(build.lines), build.inputs, build.parameters, expected)

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamic sizes specialise: symbols of a graph get the numbers of one call, and a program is made for these.

Dynamo traces a graph with symbolic sizes once; here it becomes one program for each combination of sizes that comes.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import SymBool, SymFloat, SymInt

Symbolic = (SymInt, SymFloat, SymBool)


class Unbound(Exception):
    """A number that only the data can tell (``.item()``, ``nonzero``)."""


class Bindings:
    """Values of the symbols of one graph."""

    def __init__(self, placeholders: Sequence = (), values: Sequence = ()):
        self._known: dict = {}
        for meta, value in zip(placeholders, values, strict=True):
            self._bind(meta, value)

    def _bind(self, meta, value) -> None:
        if isinstance(meta, Symbolic):
            self._learn(meta, value)
        elif isinstance(meta, torch.Tensor) and isinstance(value, torch.Tensor):
            for dim, size in enumerate(meta.shape):
                if isinstance(size, SymInt):
                    self._learn(size, value.shape[dim])
            for dim, stride in enumerate(meta.stride()):
                if isinstance(stride, SymInt):
                    self._learn(stride, value.stride(dim))

    def _learn(self, symbol, value) -> None:
        expr = symbol.node.expr
        if not expr.is_number:
            self._known.setdefault(expr, value)

    def number(self, value):
        """``value`` as a Python number."""
        if not isinstance(value, Symbolic):
            return value
        # Whole expressions come first: a backward graph may be given 2*s0 and never s0 itself.
        expr = value.node.expr.xreplace(self._known)
        if not getattr(expr, "is_number", True) and getattr(expr, "free_symbols", None):
            raise Unbound(str(expr))
        if isinstance(value, SymBool):
            return bool(expr)
        return int(expr) if isinstance(value, SymInt) else float(expr)

    def numbers(self, values) -> list:
        return [self.number(value) for value in values]


def is_symbolic(meta) -> bool:
    if isinstance(meta, Symbolic):
        return True
    if isinstance(meta, torch.Tensor):
        return any(isinstance(n, SymInt) for n in (*meta.shape, *meta.stride()))
    return isinstance(meta, (tuple, list)) and any(is_symbolic(m) for m in meta)


def call_key(dynamic_inputs: Sequence[int], args: Sequence) -> tuple:
    """What tells one specialisation from another: the numbers and shapes of the symbolic inputs of a call."""
    key = []
    for i in dynamic_inputs:
        value = args[i]
        key.append((tuple(value.shape), value.stride()) if isinstance(value, torch.Tensor) else value)
    return tuple(key)

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Where the nodes of a compiled graph come from: the Python stack and the module that PyTorch noted on each.

It is handed to the device runtime once, when the graph is compiled, and goes into captures with the launches of the graph
(``docs/formats/launch_sources.md``). Nothing is made up: a node of which PyTorch says nothing has no line and no module.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

import torch
from torch import fx

from lanewise import _C

_FRAME = re.compile(r'^ *File "(.+)", line (\d+), in (.+)$', re.MULTILINE)
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Lines of these are nobody's own, but for the examples that we ship.
_LIBRARIES = (os.path.dirname(os.path.abspath(torch.__file__)) + os.sep, _PACKAGE + os.sep)
_OWN = (os.path.join(_PACKAGE, "examples") + os.sep,)


def compiled_module() -> tuple[str, str] | None:
    """Of the frame that Dynamo compiles now, if it is a method of a module: the name of its ``self`` and the module's class.

    With it ``L['self'].fc`` can be called ``Net.fc``. None outside of Dynamo, or where it does not tell.
    """
    try:
        from torch._dynamo.symbolic_convert import InstructionTranslator

        frame = InstructionTranslator.current_tx()
        code, values = frame.f_code, frame.f_locals
    except (ImportError, AttributeError):  # no frame, or another version of PyTorch: the name of the variable serves
        return None
    name = code.co_varnames[0] if code.co_argcount else ""
    method = re.sub(r"^torch_dynamo_resume_in_(\w+)_at_\d+$", r"\1", code.co_name)
    if not isinstance(values.get(name), torch.nn.Module) or not hasattr(type(values[name]), method):
        return None
    return name, type(values[name]).__name__


class Sources:
    """What PyTorch says about the nodes of one graph. ``of(nodes)`` gives the last two arguments of ``_C.compile_graph``."""

    def __init__(self, graph: fx.Graph, name: str, root: tuple[str, str] | None):
        self._root = root
        self._frames: dict[tuple[str, int, str], int] = {}
        self._stacks: dict[str, tuple[list[int], int | None]] = {}
        self._rows: dict[fx.Node, int] = {}
        nodes = []
        for node in graph.nodes:
            if node.op == "call_function":
                self._rows[node] = len(nodes)
                nodes.append(self._node(node))
        self.number = _C.add_sources(name, list(self._frames), nodes)

    def of(self, nodes: Sequence[fx.Node]) -> tuple[int, list[int]]:
        return self.number, [self._rows[node] for node in nodes]

    def _node(self, node: fx.Node) -> tuple:
        meta = node.meta
        backward = bool(meta.get("autograd_backward")) or meta.get("partitioner_tag") == "is_backward"
        stack = meta.get("nn_module_stack") or meta.get("fwd_nn_module_stack")
        frames, own = self._stack(node.stack_trace or "")
        path, kind = self._module(stack)
        if not path and frames and self._root and not meta.get("is_gradient_acc"):
            path = kind = self._root[1]  # PyTorch names no module for lines of the compiled module itself
        return node.name, str(node.target), path, kind, backward, own, frames

    def _stack(self, text: str) -> tuple[list[int], int | None]:
        """Numbers of frames, innermost first, and the place of the user's own line among them."""
        if text not in self._stacks:
            found = [(file, int(line), function) for file, line, function in _FRAME.findall(text)][::-1]
            own = next((i for i, (file, _, _) in enumerate(found) if _is_own(file)), None)
            self._stacks[text] = [self._frames.setdefault(frame, len(self._frames)) for frame in found], own
        return self._stacks[text]

    def _module(self, stack: Mapping | None) -> tuple[str, str]:
        """Path and class of the innermost module of PyTorch's stack."""
        if not stack:
            return "", ""
        path, kind = list(stack.values())[-1][:2]
        return module_path(path, self._root), kind.rpartition(".")[2] if isinstance(kind, str) else kind.__name__


def module_path(source: str, root: tuple[str, str] | None) -> str:
    """``L['self'].layers._modules['0'].norm`` as ``Net.layers.0.norm``, with the class of the compiled module for its ``self``."""
    path = source
    while (plain := re.sub(r"getattr\(([^()]*), ['\"](\w+)['\"]\)", r"\1.\2", path)) != path:
        path = plain
    if variable := re.match(r"([LG])\[['\"](\w+)['\"]\]", path):
        is_self = root is not None and variable[1] == "L" and variable[2] == root[0]
        path = (root[1] if is_self else variable[2]) + path[variable.end() :]
    path = re.sub(r"\._modules\[['\"]([^'\"]+)['\"]\]", r".\1", path)
    return re.sub(r"\[['\"]?([^'\"\]]+)['\"]?\]", r".\1", path)


def _is_own(file: str) -> bool:
    return not file.startswith("<") and (file.startswith(_OWN) or not file.startswith(_LIBRARIES))

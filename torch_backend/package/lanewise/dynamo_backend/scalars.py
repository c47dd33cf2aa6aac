# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""CPU numbers that a program of the device needs.

A Python float that changes from call to call reaches the graph as a float64 tensor of no dimension on the CPU. It
becomes a run-time parameter of the program: no copy, no new program. Any other CPU tensor of no dimension is copied to
the device, as in eager mode.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import fx

from lanewise.dynamo_backend.plan import Segment, is_cpu_number, is_tensor

_CONVERT = torch.ops.prims.convert_element_type.default


@dataclass
class Scalars:
    """How each CPU number of a segment comes in."""

    parameters: dict[fx.Node, list[fx.Node]] = field(default_factory=dict)  # the number -> nodes that stand for it
    copied: list[fx.Node] = field(default_factory=list)


def scalars_of(segment: Segment) -> Scalars:
    found = Scalars()
    inside = set(segment.nodes)
    numbers = dict.fromkeys(
        n for node in segment.nodes for n in node.all_input_nodes if is_tensor(n) and is_cpu_number(n.meta["val"])
    )
    for number in numbers:
        root = _root(number)
        if root.meta["val"].dtype == torch.float64 and all(_takes_number(user, number) for user in number.users if user in inside):
            found.parameters.setdefault(root, []).append(number)
        else:
            found.copied.append(number)
    return found


def _root(node: fx.Node) -> fx.Node:
    """Behind conversions that lose nothing for arithmetic in float32."""
    while node.target is _CONVERT and node.args[1] in (torch.float64, torch.float32) and is_cpu_number(node.args[0].meta["val"]):
        if node.args[0].meta["val"].dtype not in (torch.float64, torch.float32):
            break
        node = node.args[0]
    return node


def _takes_number(user: fx.Node, number: fx.Node) -> bool:
    """Whether the op has the number only where a Python number may stand too."""
    schema = user.target._schema.arguments
    places = [schema[i].name for i, a in enumerate(user.args) if a is number]
    places += [name for name, a in user.kwargs.items() if a is number]
    return all(place == "other" for place in places) and bool(places)

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Runs cases through ``ir_evaluate`` and compares with what PyTorch computed."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from graph_case import GraphCase

# Relative and absolute (in units of the largest expected element): PyTorch sums in another order, and rounds
# intermediate results of half types where the lowering does not.
TOLERANCE = {
    torch.float32: (2e-5, 2e-6),
    torch.bfloat16: (1.6e-2, 4e-3),
    torch.float16: (2e-3, 5e-4),
}

# Where PyTorch on the CPU leaves noise that the exact result does not have (variance of equal numbers), or computes a
# composite with a rounding after each part.
NOISY = {"aten::native_layer_norm", "aten::native_layer_norm_backward", "aten::binary_cross_entropy_with_logits"}


@dataclass
class Outcome:
    case: GraphCase
    refused: str | None  # the compiler's sentence
    wrong: str | None


def evaluate(program: str, cases: Sequence[GraphCase], mode: str) -> list[Outcome]:
    """``mode``: "lowered", "passes" or "compiled" (the program on the simulated chip)."""
    text = "\n".join(line for case in cases for line in case.lines()) + "\n"
    command = [program] + ([] if mode == "lowered" else [f"--{mode}"])
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    answers = run.stdout.split("case ")[1:]
    if run.returncode != 0 or len(answers) != len(cases):
        at = cases[max(len(answers) - 1, 0)]
        raise AssertionError(f"{program} ended with {run.returncode} in {at.name}\n{at.text}\n{run.stderr}")
    return [_outcome(case, answer.splitlines()[1:]) for case, answer in zip(cases, answers)]


def _outcome(case: GraphCase, lines: list[str]) -> Outcome:
    if lines[0].startswith("error "):
        return Outcome(case, lines[0].removeprefix("error "), None)
    buffers = [line.removeprefix("buffer ").strip() for line in lines[1:]]
    for k, (data, expected) in enumerate(zip(buffers[len(case.inputs):], case.expected, strict=True)):
        if reason := _difference(data, expected, case.name.split(":", 1)[1] in NOISY):
            return Outcome(case, None, f"result {k}: {reason}")
    return Outcome(case, None, None)


def _difference(data: str, expected: torch.Tensor, noisy: bool) -> str | None:
    if expected.numel() == 0:
        return None
    flat = torch.frombuffer(bytearray.fromhex(data), dtype=torch.uint8).view(expected.dtype)
    actual = flat.as_strided(expected.shape, expected.stride())
    if not expected.dtype.is_floating_point:
        return None if torch.equal(actual, expected) else f"{actual.tolist()} instead of {expected.tolist()}"
    relative, absolute = TOLERANCE[expected.dtype]
    if noisy:
        relative, absolute = 8 * relative, 8 * absolute
    a, e = actual.double(), expected.double()
    scale = e[e.isfinite()].abs().max().item() if e.isfinite().any() else 0.0
    close = torch.isclose(a, e, rtol=relative, atol=absolute * (scale + 4 * noisy) + 1e-12, equal_nan=True)
    if bool(close.all()):
        return None
    worst = int((~close).flatten().nonzero()[0])
    return f"element {worst} is {a.flatten()[worst].item()!r} instead of {e.flatten()[worst].item()!r}"

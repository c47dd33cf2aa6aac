# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Command line of the studies: `lanewise study NAME`."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import textwrap
from pathlib import Path


def parse_shape(text: str) -> tuple[int, ...]:
    try:
        shape = tuple(int(n) for n in text.lower().replace(",", "x").split("x"))
    except ValueError:
        shape = ()
    if not shape or any(n < 1 for n in shape):
        raise argparse.ArgumentTypeError(f"{text!r} is no shape; write for example 4x512")
    return shape


DTYPES = {"bf16": "bfloat16", "bfloat16": "bfloat16", "fp32": "float32", "float32": "float32", "fp16": "float16",
          "float16": "float16"}


def parse_dtype(text: str) -> str:
    if text not in DTYPES:
        raise argparse.ArgumentTypeError(f"{text!r} is no dtype of the study; use bf16, fp16 or fp32")
    return DTYPES[text]


def parse_modes(text: str) -> list[str]:
    modes = [m.strip().upper() for m in text.split(",") if m.strip()]
    unknown = [m for m in modes if m not in ("DEVICE", "RUNTIME")]
    if unknown or not modes:
        raise argparse.ArgumentTypeError(f"{text!r}: modes are device and runtime, comma between")
    return modes


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="lanewise study", description="Run a study and compare its variants.")
    names = top.add_subparsers(dest="study", required=True)
    rmsnorm = names.add_parser("rmsnorm", help="one RMSNorm three ways: separate operations, torch.rms_norm, torch.compile")
    rmsnorm.add_argument("--machine", metavar="NAME[,key=value...]", help="preset and overrides (default: LANEWISE_MACHINE or trn2)")
    rmsnorm.add_argument("--modes", type=parse_modes, default=["DEVICE", "RUNTIME"], help="device,runtime (default, as in the article) or runtime")
    rmsnorm.add_argument("--shape", type=parse_shape, default=(4, 512), help="default 4x512")
    rmsnorm.add_argument("--dtype", type=parse_dtype, default="bfloat16", help="bf16 (default), fp16 or fp32")
    rmsnorm.add_argument("--output", type=Path, default=Path("output/rmsnorm"), help="where the captures go (default %(default)s)")
    rmsnorm.add_argument("--json", action="store_true", help="one JSON object on stdout instead of tables")
    return top


def main(argv: list[str] | None = None) -> int:
    options = parser().parse_args(argv)
    if options.machine:
        os.environ["LANEWISE_MACHINE"] = options.machine

    def progress(text: str) -> None:
        print(f"lanewise: {text}", file=sys.stderr, flush=True)

    progress("loading PyTorch")
    # Whatever PyTorch prints while it works belongs to stderr: stdout of --json is only the JSON.
    with contextlib.redirect_stdout(sys.stderr):
        try:
            import torch

            from lanewise.profiling import ProfileMode

            from . import rmsnorm

            if not hasattr(torch, "neuron"):
                progress("device neuron is not registered; `python -c 'import torch, lanewise'` says why")
                return 1
            machine = torch.neuron.machine_info()
            variants = rmsnorm.run(options.shape, getattr(torch, options.dtype),
                                   [ProfileMode[m] for m in options.modes], options.output, progress)
        except (ValueError, OSError, RuntimeError, NotImplementedError) as error:
            progress(f"{type(error).__name__}: {error}")
            return 1
    if options.json:
        keys = ("preset", "exec_overhead_ns", "device_capture_overhead_ns", "simulator_version")
        print(json.dumps({"schema": 1, "machine": {k: machine[k] for k in keys},
                          "variants": [v.to_json() for v in variants]}))
        return 0
    for variant in variants:
        print(f"\n{rmsnorm.TITLES[variant.name]}\n{variant.table}")
        print(f"capture: {variant.capture}")
    like_article = options.modes == ["DEVICE", "RUNTIME"] and options.shape == (4, 512) and options.dtype == "bfloat16"
    print(f"\nRMSNorm {'x'.join(map(str, options.shape))} {options.dtype}, captured {' + '.join(options.modes)}; device times are "
          f"simulated ({machine['spec']}, simulator {machine['simulator_version']}), CPU times are measured\n")
    print(rmsnorm.comparison(variants, like_article))
    print()
    for sentence in rmsnorm.reasons(variants, machine):
        print(textwrap.fill(sentence, 118, initial_indent="- ", subsequent_indent="  "))
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""`lanewise study rmsnorm`: one RMSNorm three ways; which is fast, and why.

Follows a public article on system-level analysis with TorchNeuron (21 October 2026): RMSNorm 4x512 bf16 captured with
DEVICE and RUNTIME; its device times are `ARTICLE_DEVICE_US`.
"""

from __future__ import annotations

import importlib.util
from importlib import resources
from pathlib import Path

from tabulate import tabulate

from .measure import Variant, measure

ARTICLE_DEVICE_US = {"eager": 2355.0, "fused": 403.3, "compiled": 375.5}
TITLES = {
    "eager": "Separate PyTorch operations (eager)",
    "fused": "torch.rms_norm",
    "compiled": 'The first function under torch.compile(backend="neuron")',
}


def load_example():
    """The study's script, examples/rmsnorm.py, as it is installed with the package."""
    path = resources.files("lanewise") / "examples" / "rmsnorm.py"
    spec = importlib.util.spec_from_file_location("lanewise_example_rmsnorm", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(shape: tuple[int, ...], dtype, modes: list, output: Path, progress) -> list[Variant]:
    """Profiles the three variants one after the other, each into its own folder below `output`."""
    example = load_example()
    variants = []
    for name, step in example.make_variants(*example.make_inputs(shape, dtype)).items():
        progress(f"profiling {name}")
        variants.append(measure(name, *example.profile_variant(step, output / name, modes)))
    return variants


def microseconds(ns: int) -> str:
    return f"{ns / 1000:.1f}"


def comparison(variants: list[Variant], like_article: bool) -> str:
    """One line a variant; the article's figure beside ours only where the capture is the article's."""
    eager = variants[0]
    rows = []
    for v in variants:
        rows.append([
            v.name, v.launches, microseconds(v.device_ns), microseconds(v.overhead_ns), microseconds(v.work_ns),
            f"{v.h2d_copies} HtoD, {microseconds(v.copy_ns)}", microseconds(v.self_cpu_ns),
            f"{eager.device_ns / v.device_ns:.2f}x" if v.device_ns else "-",
            f"{ARTICLE_DEVICE_US[v.name]:.1f}" if like_article else "-",
        ])
    headers = ["variant", "launches", "device us", "of which overhead", "work us", "copies us", "Self CPU us",
               "eager / this", "article us"]
    return tabulate(rows, headers, disable_numparse=True, colalign=("left",) + ("right",) * 8)


def reasons(variants: list[Variant], machine: dict) -> list[str]:
    """Why, in sentences made from the numbers."""
    eager, *others = variants
    best = min(others, key=lambda v: v.device_ns)
    share = 100 * eager.overhead_ns / eager.device_ns if eager.device_ns else 0
    sentences = [
        f"Eager crosses the dispatch border {eager.launches} times and each crossing pays for a launch: "
        f"{share:.1f} % of its {microseconds(eager.device_ns)} us on the device is overhead, "
        f"{microseconds(eager.work_ns)} us is work. One launch ({best.name}) pays once, which is why it takes "
        f"1/{eager.device_ns / best.device_ns:.1f} of the time; the work alone differs by "
        f"{eager.work_ns / max(best.work_ns, 1):.1f} x, because intermediate tensors no longer travel to memory and back.",
    ]
    if eager.h2d_copies:
        sentences.append(
            f"eps starts on the CPU, so every eager call copies it to the device: {eager.h2d_copies} host-to-device "
            f"cop{'y' if eager.h2d_copies == 1 else 'ies'}, {microseconds(eager.copy_ns)} us beside the launches. "
            "Pass it as a Python float, or keep it on the device.")
    if eager.capture_overhead_ns:
        per_launch = eager.capture_overhead_ns // max(eager.launches, 1)
        unwatched = eager.device_ns - eager.capture_overhead_ns
        sentences.append(
            f"Much of what you see is the watching: DEVICE capture adds {microseconds(per_launch)} us to a launch "
            f"({100 * eager.capture_overhead_ns / eager.device_ns:.1f} % of the eager column). Unwatched, the same launches take "
            f"{microseconds(unwatched)} us; `--modes runtime` measures that, and "
            "`--machine " + machine["preset"] + ",exec_overhead_ns=0,device_capture_overhead_ns=0` shows the silicon alone.")
    else:
        sentences.append(f"No DEVICE capture ran, so none of this is the cost of watching; the floor of a launch is "
                         f"{microseconds(machine['exec_overhead_ns'])} us (exec_overhead_ns).")
    lag = sum(v.sim_lag_ns for v in variants)
    if lag:
        sentences.append(f"The simulator was slower than the device it simulates for {microseconds(lag)} us; "
                         "no device time includes that.")
    return sentences

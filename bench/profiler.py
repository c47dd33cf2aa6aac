# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""What profiling costs the host: the same loop with the profiler on against off, on neuron and on the CPU.

    python bench/profiler.py

Reach (design section 8): our part <= 1 us a launch; on/off ratio on neuron <= 1.15 x the on/off ratio on the CPU.
"""

import os

os.environ.setdefault("LANEWISE_PACING", "off")

import torch  # noqa: E402
from timing import interleaved, thread_ns  # noqa: E402
from torch.profiler import ProfilerActivity, profile  # noqa: E402

LAUNCHES = 500
ACTIVITIES = [ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]


def profiled(function) -> float:
    with profile(activities=ACTIVITIES):
        value = thread_ns(function, LAUNCHES)
        torch.neuron.synchronize()
    return value


def plain(function) -> float:
    value = thread_ns(function, LAUNCHES)
    torch.neuron.synchronize()
    return value


@torch.no_grad()
def main() -> None:
    torch.set_num_threads(1)
    a = torch.randn(4, 512)
    x = a.to("neuron")
    cpu, neuron = (lambda: torch.add(a, a)), (lambda: torch.add(x, x))
    median = interleaved({
        "cpu off": lambda: plain(cpu), "cpu on": lambda: profiled(cpu),
        "neuron off": lambda: plain(neuron), "neuron on": lambda: profiled(neuron),
    }, rounds=7)
    for name, value in median.items():
        print(f"{name:12} {value:8.0f} ns a call")
    cpu_ratio = median["cpu on"] / median["cpu off"]
    neuron_ratio = median["neuron on"] / median["neuron off"]
    ours = (median["neuron on"] - median["neuron off"]) - (median["cpu on"] - median["cpu off"])
    print(f"on/off: cpu {cpu_ratio:.2f} x, neuron {neuron_ratio:.2f} x, neuron / cpu = {neuron_ratio / cpu_ratio:.2f}")
    print(f"our part of profiling: {ours:.0f} ns a launch")


if __name__ == "__main__":
    main()
